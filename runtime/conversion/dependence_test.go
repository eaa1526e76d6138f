// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// shelf is the other version of frame.
type shelf struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec shelfSpec `json:"spec,omitzero"`
}

type shelfSpec struct {
	Names  []string    `json:"names,omitempty"`
	Boards []string    `json:"boards,omitempty"`
	Checks shelfChecks `json:"checks,omitzero"`
}

type shelfChecks struct {
	List []string `json:"list,omitempty"`
}

// shelfOf is a hook: it writes boards for the field own, and an empty list, which JSON does not have.
func shelfOf(_ context.Context, src *frame, dst *shelf) error {
	dst.ObjectMeta = *src.ObjectMeta.DeepCopy()
	dst.Spec.Names = src.Spec.List
	if src.Spec.Own != "" {
		dst.Spec.Boards, dst.Spec.Checks = strings.Split(src.Spec.Own, "-"), shelfChecks{List: []string{}}
	}
	return nil
}

// frameOf is the hook back: it makes nothing of boards.
func frameOf(_ context.Context, src *shelf, dst *frame) error {
	dst.ObjectMeta = *src.ObjectMeta.DeepCopy()
	dst.Spec.List = src.Spec.Names
	return nil
}

// TestKeptValueGoesWithWhatHooksWrote converts a field with hooks there and back, with an edit of the other version in
// between.
func TestKeptValueGoesWithWhatHooksWrote(t *testing.T) {
	frames := NewStash[frame]("v1", Schema{Members: map[string]Schema{"spec": {Members: map[string]Schema{"own": {Custom: true}}}}})
	shelves := NewStash[shelf]("v2", Schema{})
	for name, test := range map[string]struct {
		edit func(*shelf)
		want string
	}{
		"nothing":                   {func(*shelf) {}, "oak-ash"},
		"a board is removed":        {func(s *shelf) { s.Spec.Boards = s.Spec.Boards[:1] }, ""},
		"all boards are removed":    {func(s *shelf) { s.Spec.Boards = nil }, ""},
		"a board is another one":    {func(s *shelf) { s.Spec.Boards[0] = "elm" }, ""},
		"something else is written": {func(s *shelf) { s.Spec.Checks.List = []string{"screws"} }, "oak-ash"},
	} {
		t.Run(name, func(t *testing.T) {
			src, written := &frame{ObjectMeta: metav1.ObjectMeta{Name: "frame"}, Spec: frameSpec{List: []string{"a"}, Own: "oak-ash"}}, new(shelf)
			if err := shelfOf(t.Context(), src, written); err != nil {
				t.Fatal(err)
			}
			if err := ExchangeHooks(t.Context(), src, written, frames, shelves, frameOf, shelfOf); err != nil {
				t.Fatal(err)
			}
			test.edit(written)
			sent, err := json.Marshal(written)
			if err != nil {
				t.Fatal(err)
			}
			arrived, got := new(shelf), new(frame)
			if err := json.Unmarshal(sent, arrived); err != nil {
				t.Fatal(err)
			}
			if err := frameOf(t.Context(), arrived, got); err != nil {
				t.Fatal(err)
			}
			if err := ExchangeHooks(t.Context(), arrived, got, shelves, frames, shelfOf, frameOf); err != nil {
				t.Fatal(err)
			}
			if got.Spec.Own != test.want {
				t.Errorf("own is %q, want %q; the annotation is %s", got.Spec.Own, test.want, written.Annotations[Annotation])
			}
		})
	}
}
