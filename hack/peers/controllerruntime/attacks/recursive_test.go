// SPDX-License-Identifier: Apache-2.0

package attacks

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/log"
	peer "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/webhook-gen/webhook-gen/hack/peers/controllerruntime/reviews"
	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// tree is a kind of a recursive type.
type tree struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec branch `json:"spec,omitempty"`
}

type branch struct {
	Inner    *branch           `json:"inner,omitempty"`
	Branches []branch          `json:"branches,omitempty"`
	ByName   map[string]branch `json:"byName,omitempty"`
	Height   int64             `json:"height,omitempty"`
}

// DeepCopyObject implements runtime.Object.
func (t *tree) DeepCopyObject() runtime.Object {
	return &tree{t.TypeMeta, *t.ObjectMeta.DeepCopy(), t.Spec.copied()}
}

func (b branch) copied() branch {
	if b.Inner != nil {
		inner := b.Inner.copied()
		b.Inner = &inner
	}
	b.Branches = slices.Clone(b.Branches)
	for i := range b.Branches {
		b.Branches[i] = b.Branches[i].copied()
	}
	b.ByName = maps.Clone(b.ByName)
	for name, below := range b.ByName {
		b.ByName[name] = below.copied()
	}
	return b
}

// edit sets the height of the branch and of all branches below, or only of those without branches.
func (b *branch) edit(everywhere bool) {
	if everywhere || b.Inner == nil && b.Branches == nil && b.ByName == nil {
		b.Height = 1
	}
	if b.Inner != nil {
		b.Inner.edit(everywhere)
	}
	for i := range b.Branches {
		b.Branches[i].edit(everywhere)
	}
	for name, below := range b.ByName {
		below.edit(everywhere)
		b.ByName[name] = below
	}
}

type heights struct{ everywhere bool }

func (h heights) Default(_ context.Context, t *tree) error {
	t.Spec.edit(h.everywhere)
	return nil
}

// TestRecursiveTypes sends reviews of 64 kB whose cost could grow with the square of their length, to both handlers.
// With
// -v it prints the figures of hack/peers/figures.md. Ours may not allocate more, and has a bound of its own.
func TestRecursiveTypes(t *testing.T) {
	log.SetLogger(logr.Discard())
	kind := metav1.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Tree"}
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(schema.GroupVersionKind(kind), &tree{})
	const length = 64 << 10
	nested := func(begin, innermost, end string) string {
		n := length / (len(begin) + len(end))
		return strings.Repeat(begin, n) + innermost + strings.Repeat(end, n)
	}
	var below strings.Builder
	for i := 0; below.Len() < length/2; i++ {
		fmt.Fprintf(&below, `,"%d":{}`, i)
	}
	for _, test := range []struct {
		name       string
		spec       string
		everywhere bool
	}{
		{"a value that does not fit, at the bottom", nested(`{"inner":`, `{"height":"high"}`, "}"), false},
		{"an edit at each level", nested(`{"inner":`, "{}", "}"), true},
		{"an edit at the bottom, in lists", nested(`{"branches":[`, "{}", "]}"), false},
		{"edits below a key of half of the object", `{"byName":{"` + strings.Repeat("k", length/2) + `":{"byName":{` + below.String()[1:] + `}}}}`, false},
	} {
		body := reviews.Of(t, admissionv1.Create, kind, []byte(`{"apiVersion":"example.com/v1","kind":"Tree","metadata":{"name":"t"},"spec":`+test.spec+`}`), nil)
		allocated := map[string]uint64{}
		for name, h := range map[string]http.Handler{
			"ours": admission.Mutating("trees.example.com", admission.ForKind("example.com/v1", "Tree"),
				admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[tree]) error {
					r.Object.Spec.edit(test.everywhere)
					return nil
				})),
			"theirs": peer.WithDefaulter[*tree](scheme, heights{test.everywhere}),
		} {
			var before, after goruntime.MemStats
			goruntime.GC()
			goruntime.ReadMemStats(&before)
			began := time.Now()
			w := send(t, h, body)
			took := time.Since(began)
			goruntime.ReadMemStats(&after)
			allocated[name] = after.TotalAlloc - before.TotalAlloc
			t.Logf("%s, %s: %d kB took %s and %d MB; an answer of %d kB: %.200s", test.name, name, len(body)>>10, took.Round(time.Millisecond), allocated[name]>>20, w.Body.Len()>>10, w.Body)
		}
		if allocated["ours"] > max(allocated["theirs"], 64<<20) {
			t.Errorf("%s: %d bytes are allocated, and %d by controller-runtime's handler", test.name, allocated["ours"], allocated["theirs"])
		}
	}
}
