package apiserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/conversion"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/util/webhook"
	"sigs.k8s.io/randfill"

	"github.com/webhook-gen/webhook-gen/hack/peers/conversionreview/review"
	"github.com/webhook-gen/webhook-gen/hack/peers/conversionreview/review/spoke"
	ourconversion "github.com/webhook-gen/webhook-gen/runtime/conversion"
)

// serve runs the program that has our handler behind TLS, and returns its address and certificate. The program is built
// with the race detector, and fails if that has found something.
func serve(t *testing.T) (url string, ca []byte) {
	t.Helper()
	program := exec.Command("../../serve")
	var stderr bytes.Buffer
	program.Stderr = &stderr
	stdin, err := program.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close() // which ends it
		if err := program.Wait(); err != nil {
			t.Errorf("%v\n%s", err, &stderr)
		}
	})
	var said struct {
		URL string
		CA  []byte
	}
	if err := json.NewDecoder(stdout).Decode(&said); err != nil {
		t.Fatal(err)
	}
	return said.URL, said.CA
}

// apiServer is what an API server converts custom resources with: its own client of conversion webhooks and its own
// checks of what they answer, with our handler at the other end. It has one CRD, of the kind Machine or Server.
func apiServer(t *testing.T, kind, reviewVersion string) runtime.ObjectConvertor {
	t.Helper()
	url, ca := serve(t)
	factory, err := conversion.NewCRConverterFactory(webhook.NewDefaultServiceResolver(), func(r webhook.AuthenticationInfoResolver) webhook.AuthenticationInfoResolver { return r })
	if err != nil {
		t.Fatal(err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Name = strings.ToLower(kind) + "s." + review.HubVersion.Group
	crd.Spec.Group = review.HubVersion.Group
	crd.Spec.Names.Kind = kind
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{Name: review.HubVersion.Version}, {Name: review.SpokeVersion.Version}}
	crd.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{
		Strategy: apiextensionsv1.WebhookConverter,
		Webhook: &apiextensionsv1.WebhookConversion{
			ClientConfig:             &apiextensionsv1.WebhookClientConfig{URL: &url, CABundle: ca},
			ConversionReviewVersions: []string{reviewVersion},
		},
	}
	safe, _, err := factory.NewConverter(crd)
	if err != nil {
		t.Fatal(err)
	}
	return safe
}

func unstructuredOf(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON([]byte(text)); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return u
}

// TestAPIServer has the API server's own code convert objects, parts of objects and lists, and take what comes back.
func TestAPIServer(t *testing.T) {
	for _, reviewVersion := range []string{"v1", "v1beta1"} {
		for kind := range review.ObjectTexts {
			converter := apiServer(t, kind, reviewVersion)
			for _, from := range []schema.GroupVersion{review.HubVersion, review.SpokeVersion} {
				to := review.HubVersion
				if from == review.HubVersion {
					to = review.SpokeVersion
				}
				t.Run(fmt.Sprintf("%s %s to %s", reviewVersion, kind, to.Version), func(t *testing.T) {
					head := `{"apiVersion":"` + from.String() + `","kind":"` + kind + `"`
					for _, text := range []string{
						review.ObjectText(kind, from, 7),
						head + `,"metadata":{"name":"a"}}`,
						head + `,"spec":{}}`,
						head + `,"status":{"conditions":[]}}`,
						head + `,"metadata":{},"spec":{"providerID":"x"}}`,
						head + `,"metadata":{"labels":{"a":""},"annotations":{"b":"c"}},"spec":null}`,
						head + `,"metadata":{"name":"a","annotations":{"webhook-gen.github.io/conversion":"broken"}}}`,
						head + `,"metadata":{"name":"a","creationTimestamp":null,"managedFields":[{"manager":"x","future":1}]},"spec":{"future":{"z":1,"a":2}}}`,
					} {
						converted, err := converter.ConvertToVersion(unstructuredOf(t, text), to)
						if err != nil {
							t.Errorf("%v\n%s", err, text)
							continue
						}
						back, err := converter.ConvertToVersion(converted, from)
						if err != nil {
							t.Errorf("on the way back: %v\n%s", err, text)
							continue
						}
						status := func(o runtime.Object) any { return o.(*unstructured.Unstructured).Object["status"] }
						if want := status(unstructuredOf(t, text)); !equality.Semantic.DeepEqual(want, status(back)) {
							t.Errorf("the status was %v and is %v", want, status(back))
						}
					}
					list := &unstructured.UnstructuredList{}
					list.SetAPIVersion(from.String())
					list.SetKind(kind + "List")
					for i := range 30 {
						version := from
						if i%3 == 0 {
							version = to // which the API server does not send
						}
						list.Items = append(list.Items, *unstructuredOf(t, review.ObjectText(kind, version, i)))
					}
					converted, err := converter.ConvertToVersion(list, to)
					if err != nil {
						t.Fatal(err)
					}
					for i, item := range converted.(*unstructured.UnstructuredList).Items {
						if item.GetName() != fmt.Sprint("node-", i) || item.GetAPIVersion() != to.String() {
							t.Errorf("item %d is %s of %s", i, item.GetName(), item.GetAPIVersion())
						}
					}
				})
			}
		}
	}
}

// TestAPIServerIsTold holds that what is wrong with an object reaches the caller of the API server.
func TestAPIServerIsTold(t *testing.T) {
	text := strings.Replace(review.ObjectText("Machine", review.SpokeVersion, 7), `"5m0s"`, `"999999h"`, 1)
	_, err := apiServer(t, "Machine", "v1").ConvertToVersion(unstructuredOf(t, text), review.HubVersion)
	want := `Machine default/node-7 of infra.example.com/v1alpha1 cannot be converted to infra.example.com/v1: spec.nodeDrainTimeout: 3599996400 does not fit into int32`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestPlain holds the handler, through the API server, to what the generated functions make of decoded objects: of objects filled
// at random it makes the same in every field, and converts them back to what they were.
func TestPlain(t *testing.T) {
	plain(t, "Server", review.SpokeVersion, review.HubVersion, spoke.ServerToHub)
	plain(t, "Server", review.HubVersion, review.SpokeVersion, spoke.ServerFromHub)
	plain(t, "Machine", review.SpokeVersion, review.HubVersion, spoke.MachineToHub)
	plain(t, "Machine", review.HubVersion, review.SpokeVersion, spoke.MachineFromHub)
}

func plain[S, D any](t *testing.T, kind string, from, to schema.GroupVersion, convert func(context.Context, *S, *D) error) {
	t.Run(kind+" to "+to.Version, func(t *testing.T) {
		converter := apiServer(t, kind, "v1")
		for seed := range int64(100) {
			fill := randfill.NewWithSeed(seed).NilChance(.4).NumElements(0, 3).Funcs(
				func(v *metav1.Time, c randfill.Continue) { v.Time = time.Unix(c.Int63n(1<<32), 0).UTC() },
				func(v *metav1.Duration, c randfill.Continue) { v.Duration = time.Duration(c.Int31()) * time.Second },
				func(v *metav1.ObjectMeta, c randfill.Continue) { // what an API server takes
					v.Name, v.Namespace, v.Labels = "name", "namespace", map[string]string{"label": "value"}
					if c.Bool() {
						v.Annotations = map[string]string{"example.com/annotation": c.String(20)}
					}
				},
				func(v *int, c randfill.Continue) { *v = int(c.Int31()) }, // which fits into the other version
			)
			var source S
			fill.Fill(&source)
			text, err := json.Marshal(&source)
			if err != nil {
				t.Fatal(err)
			}
			u := unstructuredOf(t, strings.Replace(string(text), "{", `{"apiVersion":"x","kind":"y",`, 1))
			u.SetAPIVersion(from.String())
			u.SetKind(kind)
			src, want := typedOf[S](t, u), new(D)
			if err := convert(context.Background(), src, want); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			converted, err := converter.ConvertToVersion(u, to)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			forget(converted)
			forget(want)
			if got := typedOf[D](t, converted); !equality.Semantic.DeepEqual(want, got) {
				t.Fatalf("seed %d: %s", seed, cmp.Diff(want, got))
			}
			converted, err = converter.ConvertToVersion(u, to)
			if err != nil {
				t.Fatal(err)
			}
			back, err := converter.ConvertToVersion(converted, from)
			if err != nil {
				t.Fatalf("seed %d, on the way back: %v", seed, err)
			}
			if got := typedOf[S](t, back); !equality.Semantic.DeepEqual(src, got) {
				t.Fatalf("seed %d, there and back: %s", seed, cmp.Diff(src, got))
			}
		}
	})
}

// typedOf is an object as its Go type.
func typedOf[T any](t *testing.T, o any) *T {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	typed := new(T)
	if err := json.Unmarshal(text, typed); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return typed
}

// forget takes away what the conversion has kept.
func forget(o any) {
	object := o.(metav1.Object)
	annotations := object.GetAnnotations()
	if delete(annotations, ourconversion.Annotation); len(annotations) == 0 {
		annotations = nil
	}
	object.SetAnnotations(annotations)
}
