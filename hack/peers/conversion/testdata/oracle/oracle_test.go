// Package oracle compares generated conversions with cert-manager's own, which go through internal
// types, on objects of cert-manager's own fuzzers. Its module has the path of a package of
// cert-manager, because these are internal packages, and cert-manager's own dependencies.
package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"testing"

	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	"github.com/jetstack/cert-manager/pkg/internal/apis/acme"
	acmeinstall "github.com/jetstack/cert-manager/pkg/internal/apis/acme/install"
	"github.com/jetstack/cert-manager/pkg/internal/apis/certmanager"
	cmfuzzer "github.com/jetstack/cert-manager/pkg/internal/apis/certmanager/fuzzer"
	cminstall "github.com/jetstack/cert-manager/pkg/internal/apis/certmanager/install"

	"github.com/jetstack/cert-manager/pkg/peers/certmanager/v1alpha2"
	"github.com/jetstack/cert-manager/pkg/peers/certmanager/v1alpha3"
	"github.com/jetstack/cert-manager/pkg/peers/certmanager/v1beta1"
)

// kind is a kind in one version: the conversions and how objects are made.
type kind struct {
	name                 string
	internal, hub, spoke func() runtime.Object
	toHub, fromHub       func(src, dst runtime.Object) error
}

func kindOf[I, H, S any](name string, toHub func(context.Context, *S, *H) error, fromHub func(context.Context, *H, *S) error) kind {
	object := func(o any) runtime.Object { return o.(runtime.Object) }
	return kind{name,
		func() runtime.Object { return object(any(new(I))) },
		func() runtime.Object { return object(any(new(H))) },
		func() runtime.Object { return object(any(new(S))) },
		func(src, dst runtime.Object) error { return toHub(context.Background(), any(src).(*S), any(dst).(*H)) },
		func(src, dst runtime.Object) error {
			return fromHub(context.Background(), any(src).(*H), any(dst).(*S))
		},
	}
}

var kinds = []kind{
	kindOf[certmanager.Certificate]("v1alpha2 Certificate", v1alpha2.CertificateToHub, v1alpha2.CertificateFromHub),
	kindOf[certmanager.CertificateRequest]("v1alpha2 CertificateRequest", v1alpha2.CertificateRequestToHub, v1alpha2.CertificateRequestFromHub),
	kindOf[certmanager.Issuer]("v1alpha2 Issuer", v1alpha2.IssuerToHub, v1alpha2.IssuerFromHub),
	kindOf[certmanager.ClusterIssuer]("v1alpha2 ClusterIssuer", v1alpha2.ClusterIssuerToHub, v1alpha2.ClusterIssuerFromHub),
	kindOf[acme.Challenge]("v1alpha2 Challenge", v1alpha2.ChallengeToHub, v1alpha2.ChallengeFromHub),
	kindOf[acme.Order]("v1alpha2 Order", v1alpha2.OrderToHub, v1alpha2.OrderFromHub),
	kindOf[certmanager.Certificate]("v1alpha3 Certificate", v1alpha3.CertificateToHub, v1alpha3.CertificateFromHub),
	kindOf[certmanager.CertificateRequest]("v1alpha3 CertificateRequest", v1alpha3.CertificateRequestToHub, v1alpha3.CertificateRequestFromHub),
	kindOf[certmanager.Issuer]("v1alpha3 Issuer", v1alpha3.IssuerToHub, v1alpha3.IssuerFromHub),
	kindOf[certmanager.ClusterIssuer]("v1alpha3 ClusterIssuer", v1alpha3.ClusterIssuerToHub, v1alpha3.ClusterIssuerFromHub),
	kindOf[acme.Challenge]("v1alpha3 Challenge", v1alpha3.ChallengeToHub, v1alpha3.ChallengeFromHub),
	kindOf[acme.Order]("v1alpha3 Order", v1alpha3.OrderToHub, v1alpha3.OrderFromHub),
	kindOf[certmanager.Certificate]("v1beta1 Certificate", v1beta1.CertificateToHub, v1beta1.CertificateFromHub),
	kindOf[certmanager.CertificateRequest]("v1beta1 CertificateRequest", v1beta1.CertificateRequestToHub, v1beta1.CertificateRequestFromHub),
	kindOf[certmanager.Issuer]("v1beta1 Issuer", v1beta1.IssuerToHub, v1beta1.IssuerFromHub),
	kindOf[certmanager.ClusterIssuer]("v1beta1 ClusterIssuer", v1beta1.ClusterIssuerToHub, v1beta1.ClusterIssuerFromHub),
	kindOf[acme.Challenge]("v1beta1 Challenge", v1beta1.ChallengeToHub, v1beta1.ChallengeFromHub),
	kindOf[acme.Order]("v1beta1 Order", v1beta1.OrderToHub, v1beta1.OrderFromHub),
}

// emptied are structs of which cert-manager moves all fields elsewhere and leaves an empty one behind, as
// if somebody had written it. Generated conversions leave none, and keep in the annotation that there was
// one. It is the only deviation.
var emptied = []string{"privateKey", "subject"}

// installed is a scheme with cert-manager's types and conversions.
func installed() *runtime.Scheme {
	scheme := runtime.NewScheme()
	cminstall.Install(scheme)
	acmeinstall.Install(scheme)
	return scheme
}

// TestSameAsTheirs fuzzes internal objects as cert-manager's round trip test does
// (pkg/internal/apis/certmanager/install/roundtrip_test.go), with lists of up to one element as there and of
// more, and holds that
//
//   - from the hub, our spoke is the one that they make of the internal object,
//   - to the hub, our hub is the one that they make of that spoke,
//   - and, as they expect of theirs, the way to the spoke and back ends where it began.
func TestSameAsTheirs(t *testing.T) {
	scheme := installed()
	codecs := serializer.NewCodecFactory(scheme)
	compared := 0
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			for _, elements := range []int{1, 4} {
				f := fuzzer.FuzzerFor(fuzzer.MergeFuzzerFuncs(metafuzzer.Funcs, cmfuzzer.Funcs), rand.NewSource(int64(elements)), codecs).NumElements(0, elements)
				for range 200 {
					internal, hub, spoke, theirHub, theirInternal := k.internal(), k.hub(), k.spoke(), k.hub(), k.internal()
					f.Fuzz(internal)
					theirs(t, scheme, internal, hub)
					theirs(t, scheme, internal, spoke)
					theirs(t, scheme, spoke, theirInternal)
					theirs(t, scheme, theirInternal, theirHub)

					ours, back, ourHub := k.spoke(), k.hub(), k.hub()
					must(t, k.fromHub(hub, ours), hub)
					same(t, "from the hub", hub, spoke, ours)
					must(t, k.toHub(ours, back), ours)
					same(t, "there and back", hub, hub, back)
					must(t, k.toHub(spoke, ourHub), spoke)
					same(t, "to the hub", spoke, theirHub, ourHub)
					if compared++; t.Failed() {
						return
					}
				}
			}
		})
	}
	fmt.Fprintf(os.Stdout, "%d objects of cert-manager's fuzzers convert as cert-manager converts them\n", compared)
}

func theirs(t *testing.T, scheme *runtime.Scheme, src, dst runtime.Object) {
	t.Helper()
	must(t, scheme.Convert(src, dst, nil), src)
}

func must(t *testing.T, err error, input any) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v\n%s", err, text(input))
	}
}

// same compares what two objects say, in JSON: cert-manager leaves apiVersion and kind to its serializer.
func same(t *testing.T, way string, input, want, got any) {
	t.Helper()
	a, b := body(want), body(got)
	theirs, _ := a["spec"].(map[string]any)
	ours, _ := b["spec"].(map[string]any)
	for _, name := range emptied {
		if _, left := ours[name]; !left && text(theirs[name]) == "{}" {
			delete(theirs, name)
		}
	}
	if text(a) != text(b) {
		t.Errorf("%s\ntheirs %s\nours   %s\nof     %s", way, text(a), text(b), text(input))
	}
}

// body is an object in JSON without its type and our annotation.
func body(o any) map[string]any {
	var members map[string]any
	if err := json.Unmarshal([]byte(text(o)), &members); err != nil {
		return map[string]any{"error": err.Error()}
	}
	delete(members, "apiVersion")
	delete(members, "kind")
	metadata, _ := members["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	if delete(annotations, "webhook-gen.github.io/conversion"); len(annotations) == 0 {
		delete(metadata, "annotations")
	}
	return members
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
