package oracle

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	cmv1 "github.com/jetstack/cert-manager/pkg/apis/certmanager/v1"
	cmv1alpha2 "github.com/jetstack/cert-manager/pkg/apis/certmanager/v1alpha2"
	cmv1beta1 "github.com/jetstack/cert-manager/pkg/apis/certmanager/v1beta1"
)

// TestRunTime converts a Certificate of some 15 fields with generated functions and with cert-manager's
// own, in turns, and prints the lowest times.
func TestRunTime(t *testing.T) {
	scheme := installed()
	named := metav1.ObjectMeta{Name: "certificate", Namespace: "default", Labels: map[string]string{"app": "shop"}, Annotations: map[string]string{"example.com/a": "b"}}
	duration := &metav1.Duration{Duration: 2160 * time.Hour}
	hub := &cmv1.Certificate{ObjectMeta: named, Spec: cmv1.CertificateSpec{
		CommonName: "example.com", SecretName: "tls", DNSNames: []string{"a.example.com", "b.example.com", "c.example.com"}, URIs: []string{"spiffe://x"},
		EmailAddresses: []string{"a@example.com"}, Duration: duration, RenewBefore: duration, Subject: &cmv1.X509Subject{Organizations: []string{"one"}, Countries: []string{"CH"}},
		PrivateKey: &cmv1.CertificatePrivateKey{Algorithm: cmv1.ECDSAKeyAlgorithm, Size: 384, RotationPolicy: cmv1.RotationPolicyAlways},
		Usages:     []cmv1.KeyUsage{cmv1.UsageServerAuth, cmv1.UsageClientAuth},
	}, Status: cmv1.CertificateStatus{Conditions: []cmv1.CertificateCondition{{Type: cmv1.CertificateConditionReady, Status: "True", Reason: "Ready", Message: "is up to date"}}}}
	kept := hub.DeepCopy() // what v1alpha2 cannot represent
	kept.Spec.PrivateKey = &cmv1.CertificatePrivateKey{}
	alpha, beta := new(cmv1alpha2.Certificate), new(cmv1beta1.Certificate)
	theirs(t, scheme, internalOf(t, scheme, hub), alpha)
	theirs(t, scheme, internalOf(t, scheme, hub), beta)
	stashed := new(cmv1alpha2.Certificate)
	must(t, kinds[0].fromHub(kept, stashed), kept)
	for _, tc := range []struct {
		what     string
		kind     string
		src, dst runtime.Object
		toHub    bool
	}{
		{"v1beta1 to v1, lossless", "v1beta1 Certificate", beta, new(cmv1.Certificate), true},
		{"v1 to v1beta1, lossless", "v1beta1 Certificate", hub, new(cmv1beta1.Certificate), false},
		{"v1alpha2 to v1, looks for a loss", "v1alpha2 Certificate", alpha, new(cmv1.Certificate), true},
		{"v1alpha2 to v1, restores one", "v1alpha2 Certificate", stashed, new(cmv1.Certificate), true},
		{"v1 to v1alpha2, looks for a loss", "v1alpha2 Certificate", hub, new(cmv1alpha2.Certificate), false},
		{"v1 to v1alpha2, keeps one", "v1alpha2 Certificate", kept, new(cmv1alpha2.Certificate), false},
	} {
		i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == tc.kind })
		convert := kinds[i].fromHub
		if tc.toHub {
			convert = kinds[i].toHub
		}
		internal := internalOf(t, scheme, hub)
		ours, theirs := lowest(t,
			func() error { return convert(tc.src, tc.dst) },
			func() error {
				if err := scheme.Convert(tc.src, internal, nil); err != nil {
					return err
				}
				return scheme.Convert(internal, tc.dst, nil)
			})
		allocations := testing.AllocsPerRun(1000, func() { must(t, convert(tc.src, tc.dst), tc.src) })
		fmt.Fprintf(os.Stdout, "%-34s webhook-gen %8s and %3.0f allocations, cert-manager %8s: %.2f of the time\n", tc.what, ours, allocations, theirs, float64(ours)/float64(theirs))
	}
}

func internalOf(t *testing.T, scheme *runtime.Scheme, o runtime.Object) runtime.Object {
	t.Helper()
	internal := kinds[0].internal()
	theirs(t, scheme, o, internal)
	return internal
}

// lowest are the lowest times that each of two calls takes, in turns. Blocks are so short that many of them end before
// the processor is given to another program or memory is collected.
func lowest(t *testing.T, ours, theirs func() error) (time.Duration, time.Duration) {
	const blocks, calls = 2000, 20
	best := [2]time.Duration{time.Hour, time.Hour}
	for range blocks {
		for i, call := range []func() error{ours, theirs} {
			start := time.Now()
			for range calls {
				if err := call(); err != nil {
					t.Fatal(err)
				}
			}
			best[i] = min(best[i], time.Since(start)/calls)
		}
	}
	return best[0], best[1]
}
