// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
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

// shelfOf has a hook: it writes boards for the field own, and an empty list, which JSON does not have.
func shelfOf(_ context.Context, src *frame, dst *shelf) error {
	dst.ObjectMeta = *src.ObjectMeta.DeepCopy()
	dst.Spec.Names = src.Spec.List
	if src.Spec.Own != "" {
		dst.Spec.Box = shelfBox{strings.Split(src.Spec.Own, "-"), shelfChecks{List: []string{}}}
	}
	return nil
}

// frameOf has a hook that makes nothing of boards.
func frameOf(_ context.Context, src *shelf, dst *frame) error {
	dst.ObjectMeta = *src.ObjectMeta.DeepCopy()
	dst.Spec.List = src.Spec.Names
	return nil
}

// TestKeptValueGoesWithWhatHooksWrote converts a field with hooks there and back, with an edit of the other version in
// between. Alone in its struct, the field is kept with the struct. Signed annotations are trusted.
func TestKeptValueGoesWithWhatHooksWrote(t *testing.T) {
	frames := NewStash[frame]("v1", Schema{Members: map[string]Schema{"spec": {Members: map[string]Schema{"own": {Custom: true}}}}})
	shelves := NewStash[shelf]("v2", Schema{})
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
		}{{nil, false}, {[]string{"a"}, false}, {nil, true}, {[]string{"a"}, true}} {
			t.Run(fmt.Sprint(name, c), func(t *testing.T) {
				ctx := wire.WithMode(t.Context(), wire.Mode{Trusted: c.trusted})
				src := &frame{ObjectMeta: metav1.ObjectMeta{Name: "frame"}, Spec: frameSpec{List: c.list, Own: "oak-ash"}}
				written, arrived, got := new(shelf), new(shelf), new(frame)
				if err := shelfOf(ctx, src, written); err != nil {
					t.Fatal(err)
				}
				if err := ExchangeHooks(ctx, src, written, frames, shelves, frameOf, shelfOf); err != nil {
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
				if err := ExchangeHooks(ctx, arrived, got, shelves, frames, shelfOf, frameOf); err != nil {
					t.Fatal(err)
				}
				if got.Spec.Own != test.want {
					t.Errorf("own is %q, want %q; the annotation is %s", got.Spec.Own, test.want, written.Annotations[Annotation])
				}
			})
		}
	}
}

// TestHookNeedsItsValue keeps a value of a hook that panics without it. To find what the hook writes for the value, the
// object is converted without it.
func TestHookNeedsItsValue(t *testing.T) {
	frames := NewStash[frame]("v1", Schema{Members: map[string]Schema{"spec": {Members: map[string]Schema{"own": {Custom: true}}}}})
	shelves := NewStash[shelf]("v2", Schema{})
	forth := func(ctx context.Context, src *frame, dst *shelf) error {
		if src.Spec.Own == "" {
			panic("own is required")
		}
		return shelfOf(ctx, src, dst)
	}
	src, dst := &frame{ObjectMeta: metav1.ObjectMeta{Name: "frame"}, Spec: frameSpec{Own: "oak"}}, new(shelf)
	if err := forth(t.Context(), src, dst); err != nil {
		t.Fatal(err)
	}
	if err := ExchangeHooks(t.Context(), src, dst, frames, shelves, frameOf, forth); err != nil {
		t.Fatal(err)
	}
	if kept := dst.Annotations[Annotation]; !strings.Contains(kept, "oak") {
		t.Errorf("the annotation is %s", kept)
	}
}

// cabinet has a map. A hook converts the text own in its values to parts.
type cabinet struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Boxes map[string]cabinetBox `json:"boxes,omitempty"`
}

type cabinetBox struct {
	Own   string `json:"own,omitempty"`
	Parts string `json:"parts,omitempty"`
}

// TestValuesOfMapsAreConvertedOnce keeps a value in each of many values of a map. To find what the hook writes for
// them, the object is converted twice in all: with these values and without.
func TestValuesOfMapsAreConvertedOnce(t *testing.T) {
	spokes := NewStash[cabinet]("v1", Schema{Members: map[string]Schema{"boxes": {Elements: &Schema{Members: map[string]Schema{"own": {Custom: true}}}}}})
	hubs := NewStash[cabinet]("v2", Schema{})
	calls := 0
	forth := func(_ context.Context, src, dst *cabinet) error {
		calls++
		dst.ObjectMeta = *src.ObjectMeta.DeepCopy()
		dst.Boxes = map[string]cabinetBox{}
		for key, box := range src.Boxes {
			dst.Boxes[key] = cabinetBox{Parts: box.Own}
		}
		return nil
	}
	back := func(_ context.Context, src, dst *cabinet) error {
		dst.ObjectMeta = *src.ObjectMeta.DeepCopy()
		dst.Boxes = map[string]cabinetBox{}
		for key := range src.Boxes {
			dst.Boxes[key] = cabinetBox{}
		}
		return nil
	}
	src, dst := &cabinet{ObjectMeta: metav1.ObjectMeta{Name: "cabinet"}, Boxes: map[string]cabinetBox{}}, new(cabinet)
	for i := range 100 {
		src.Boxes[fmt.Sprint(i)] = cabinetBox{Own: "oak"}
	}
	if err := forth(t.Context(), src, dst); err != nil {
		t.Fatal(err)
	}
	calls = 0
	if err := ExchangeHooks(t.Context(), src, dst, spokes, hubs, back, forth); err != nil {
		t.Fatal(err)
	}
	if calls != 2 {
		t.Errorf("the object is converted %d times", calls)
	}
	if kept := dst.Annotations[Annotation]; strings.Count(kept, `"on":[{`) != 100 {
		t.Errorf("the annotation is %s", kept)
	}
}

// TestWrittenForManyPlaces has a value for each of ten places, and one that the functions at two of them write.
func TestWrittenForManyPlaces(t *testing.T) {
	var places []string
	for i := range 10 {
		places = append(places, fmt.Sprint("place", i))
	}
	calls := 0
	fails := ""
	lost := func(tried []string) (map[string][]step, bool, error) {
		calls++
		values := map[string][]step{}
		for _, place := range tried {
			if place == fails {
				return nil, true, nil
			}
			values["of "+place] = []step{{name: place}}
			if place == "place2" || place == "place5" {
				values["shared"] = []step{{name: "shared"}}
			}
		}
		return values, false, nil
	}
	check := func(most int) {
		t.Helper()
		calls = 0
		written, err := writtenFor(places, lost)
		if err != nil || calls > most {
			t.Errorf("%d calls, want at most %d, and %v", calls, most, err)
		}
		for _, place := range places {
			if written[place]["of "+place] == nil != (place == fails) {
				t.Errorf("%s has %v", place, written[place])
			}
			for _, other := range places {
				if other != place && written[place]["of "+other] != nil {
					t.Errorf("%s has the value of %s", place, other)
				}
			}
		}
		for _, place := range []string{"place2", "place5"} {
			if written[place]["shared"] == nil {
				t.Errorf("%s has %v", place, written[place])
			}
		}
	}
	check(8)
	fails = "place7"
	check(8 + len(places))
}
