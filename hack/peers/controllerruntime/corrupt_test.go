// SPDX-License-Identifier: Apache-2.0

package controllerruntime

import (
	"context"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	peer "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/webhook-gen/webhook-gen/hack/peers/controllerruntime/reviews"
	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// ticket is a custom type with a large integer.
type ticket struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Number            int64 `json:"number,omitempty"`
}

func (t *ticket) DeepCopyObject() runtime.Object {
	copied := *t
	copied.ObjectMeta = *t.ObjectMeta.DeepCopy()
	return &copied
}

type defaulterFunc[T runtime.Object] func(T)

func (f defaulterFunc[T]) Default(_ context.Context, object T) error { f(object); return nil }

// corruption is an object, an edit, and the wanted object after the edit.
type corruption struct {
	name, object, want string
	ours, theirs       []byte
}

// TestCorruptions lists objects that controller-runtime v0.25.2 corrupts. Each must be right with this runtime, and
// still be wrong with controller-runtime; otherwise it does not belong on the list any more.
func TestCorruptions(t *testing.T) {
	pod := func(name, object string, edit func(*corev1.Pod), want string) corruption {
		return corruption{name, object, want, reviews.Mutated(t, []byte(object), edit),
			theirMutation(t, scheme.Scheme, reviews.PodKind(), object, defaulterFunc[*corev1.Pod](edit))}
	}
	tickets := runtime.NewScheme()
	gvk := metav1.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Ticket"}
	tickets.AddKnownTypeWithName(schema.GroupVersionKind(gvk), &ticket{})
	aTicket := func(name, object string, edit func(*ticket), want string) corruption {
		return corruption{name, object, want, reviews.Mutated(t, []byte(object), edit),
			theirMutation(t, tickets, gvk, object, defaulterFunc[*ticket](edit))}
	}
	const two = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"},"spec":{"containers":[` +
		`{"name":"web","future":1,"resources":{"limits":{"cpu":"0.5"}},"env":[{"name":"A","value":"1","futureE":2}]},{"name":"side","future":3}]}}`
	for _, c := range []corruption{
		pod("a container in front", two,
			func(p *corev1.Pod) {
				p.Spec.Containers = append([]corev1.Container{{Name: "new"}}, p.Spec.Containers...)
			},
			strings.Replace(two, `[{"name":"web"`, `[{"name":"new","resources":{}},{"name":"web"`, 1)),
		pod("the first container removed", two,
			func(p *corev1.Pod) { p.Spec.Containers = p.Spec.Containers[1:] },
			`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"},"spec":{"containers":[{"name":"side","future":3}]}}`),
		pod("a variable in front", two,
			func(p *corev1.Pod) {
				env := &p.Spec.Containers[0].Env
				*env = append([]corev1.EnvVar{{Name: "N"}}, *env...)
			},
			strings.Replace(two, `[{"name":"A"`, `[{"name":"N"},{"name":"A"`, 1)),
		pod("a label, and nothing else", two,
			func(p *corev1.Pod) { p.Labels = map[string]string{"a": "b"} },
			strings.Replace(two, `{"name":"p"}`, `{"name":"p","labels":{"a":"b"}}`, 1)),
		aTicket("a large number set", `{"kind":"Ticket","apiVersion":"example.com/v1"}`,
			func(t *ticket) { t.Number = 1700000000123456789 },
			`{"kind":"Ticket","apiVersion":"example.com/v1","number":1700000000123456789}`),
		aTicket("a large number counted on", `{"kind":"Ticket","apiVersion":"example.com/v1","number":9007199254740992}`,
			func(t *ticket) { t.Number++ },
			`{"kind":"Ticket","apiVersion":"example.com/v1","number":9007199254740993}`),
	} {
		t.Run(c.name, func(t *testing.T) {
			if !sameJSON(t, c.ours, []byte(c.want)) {
				t.Errorf("\n got %s\nwant %s", c.ours, c.want)
			}
			if sameJSON(t, c.theirs, []byte(c.want)) {
				t.Error("controller-runtime gets it right")
			}
		})
	}
}

func theirMutation[T runtime.Object](t *testing.T, s *runtime.Scheme, kind metav1.GroupVersionKind, object string, d defaulterFunc[T]) []byte {
	h := peer.WithDefaulter[T](s, d)
	return reviews.Patched(t, []byte(object), reviews.Ask(t, h, reviews.Of(t, admissionv1.Create, kind, []byte(object), nil)))
}

// TestPatchOrder checks that equal requests get equal patches.
func TestPatchOrder(t *testing.T) {
	edit := func(_ context.Context, r *admission.CreateRequest[corev1.Pod]) error {
		r.Object.Labels = map[string]string{"a": "1", "b": "2", "c": "3", "d": "4"}
		r.Object.Annotations = map[string]string{"a": "1", "b": "2", "c": "3", "d": "4"}
		return nil
	}
	h := admission.Mutating("pods.example.com", admission.OnCreate(edit))
	body := reviews.Of(t, admissionv1.Create, reviews.PodKind(), reviews.Pod, nil)
	first := string(reviews.Ask(t, h, body).Patch)
	for range 50 {
		if again := string(reviews.Ask(t, h, body).Patch); again != first {
			t.Fatalf("\n%s\n%s", first, again)
		}
	}
}
