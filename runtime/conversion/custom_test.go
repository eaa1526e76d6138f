// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/settings"
)

// shelf is the other version of frame.
type shelf struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec shelfSpec `json:"spec,omitzero"`
}

type shelfSpec struct {
	Names []string `json:"names,omitempty"`
	Box   shelfBox `json:"box,omitzero"`
}

type shelfBox struct {
	Boards []string    `json:"boards,omitempty"`
	Checks shelfChecks `json:"checks,omitzero"`
}

type shelfChecks struct {
	List []string `json:"list,omitempty"`
}

// shelfOf has a hook: it writes boards for the field own, or for the annotation of that name, which it takes away, and an
// empty list, which JSON does not have.
func shelfOf(_ context.Context, src *frame, dst *shelf) error {
	dst.ObjectMeta = *src.ObjectMeta.DeepCopy()
	dst.Spec.Names = src.Spec.List
	delete(dst.Annotations, "own")
	if own := cmp.Or(src.Spec.Own, src.Annotations["own"]); own != "" {
		dst.Spec.Box = shelfBox{strings.Split(own, "-"), shelfChecks{List: []string{}}}
	}
	return nil
}

// frameOf has a hook that makes nothing of boards.
func frameOf(_ context.Context, src *shelf, dst *frame) error {
	dst.ObjectMeta = *src.ObjectMeta.DeepCopy()
	dst.Spec.List = src.Spec.Names
	return nil
}

// TestKeptValueGoesWithWhatHooksWrote converts a field, or an entry of metadata, with hooks there and back, with an edit
// of the other version in between. Alone in its struct, the field is kept with the struct. Signed annotations are
// trusted.
func TestKeptValueGoesWithWhatHooksWrote(t *testing.T) {
	own := Schema{Members: map[string]Schema{"own": {Custom: true}}}
	entries := []string{"own"}
	frames := NewStash[frame]("v1", Schema{Annotations: entries, Members: map[string]Schema{"spec": own, "metadata": {Members: map[string]Schema{"annotations": own}}}})
	shelves := NewStash[shelf]("v2", Schema{Annotations: entries})
	for name, test := range map[string]struct {
		edit func(*shelf)
		want string
	}{
		"nothing":                {func(*shelf) {}, "oak-ash"},
		"a board is removed":     {func(s *shelf) { s.Spec.Box.Boards = s.Spec.Box.Boards[:1] }, ""},
		"all boards are removed": {func(s *shelf) { s.Spec.Box.Boards = nil }, ""},
		"a board is another one": {func(s *shelf) { s.Spec.Box.Boards[0] = "elm" }, ""},
		"a label is added":       {func(s *shelf) { s.Labels = map[string]string{"room": "study"} }, "oak-ash"},
	} {
		for _, c := range []struct {
			list    []string
			trusted bool
			entry   bool
		}{{}, {list: []string{"a"}}, {trusted: true}, {list: []string{"a"}, trusted: true}, {entry: true}, {trusted: true, entry: true}} {
			t.Run(fmt.Sprint(name, c), func(t *testing.T) {
				ctx := settings.With(t.Context(), settings.Conversion{Trusted: c.trusted})
				src := &frame{ObjectMeta: metav1.ObjectMeta{Name: "frame"}, Spec: frameSpec{List: c.list, Own: "oak-ash"}}
				if c.entry {
					src.Annotations, src.Spec.Own = map[string]string{"own": src.Spec.Own}, ""
				}
				written, arrived, got := new(shelf), new(shelf), new(frame)
				if err := shelfOf(ctx, src, written); err != nil {
					t.Fatal(err)
				}
				if err := Exchange(ctx, src, written, frames, shelves, frameOf); err != nil {
					t.Fatal(err)
				}
				test.edit(written)
				sent, err := json.Marshal(written)
				if err != nil {
					t.Fatal(err)
				}
				if err := json.Unmarshal(sent, arrived); err != nil {
					t.Fatal(err)
				}
				if err := frameOf(ctx, arrived, got); err != nil {
					t.Fatal(err)
				}
				if err := Exchange(ctx, arrived, got, shelves, frames, shelfOf); err != nil {
					t.Fatal(err)
				}
				if own := cmp.Or(got.Spec.Own, got.Annotations["own"]); own != test.want {
					t.Errorf("own is %q, want %q; the annotation is %s", own, test.want, written.Annotations[Annotation])
				}
			})
		}
	}
}

// TestSignedValuesOfOlderPrograms has a signed annotation of an older program, in which no hook converted the field.
// The value comes back for an object that lacks what the hook writes by now. A value that the hook has converted
// before does not.
func TestSignedValuesOfOlderPrograms(t *testing.T) {
	frames := NewStash[frame]("v1", Schema{Members: map[string]Schema{"spec": {Members: map[string]Schema{"own": {Custom: true}}}}})
	shelves := NewStash[shelf]("v2", Schema{})
	ctx := settings.With(t.Context(), settings.Conversion{Trusted: true})
	for custom, want := range map[string]string{``: "oak", `,"custom":true`: ""} {
		src, got := &shelf{Spec: shelfSpec{Names: []string{"a"}}, ObjectMeta: metav1.ObjectMeta{Name: "shelf", Annotations: map[string]string{
			Annotation: `{"v1":[{"at":["spec","own"],"is":"oak"` + custom + `}]}`,
		}}}, new(frame)
		if err := frameOf(ctx, src, got); err != nil {
			t.Fatal(err)
		}
		if err := Exchange(ctx, src, got, shelves, frames, shelfOf); err != nil {
			t.Fatal(err)
		}
		if got.Spec.Own != want {
			t.Errorf("%s: own is %q, want %q", custom, got.Spec.Own, want)
		}
	}
}
