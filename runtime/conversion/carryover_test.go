// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/settings"
)

// TestCarryOver converts a shelf with the annotation of a hand-written conversion, which has the frame that the shelf
// was made of. Own is a field of a hook, and items are only in a frame.
func TestCarryOver(t *testing.T) {
	const (
		annotation = "example.com/conversion-data"
		frameText  = `{"apiVersion":"example.com/v2","kind":"Frame","spec":{"list":["a"],"own":"oak","items":[{"name":"x","type":"y"}]}}`
	)
	items := []frameItem{{Name: "x", Type: "y"}}
	frames, shelves := NewStash[frame]("v2", Schema{}), NewStash[shelf]("v1", Schema{})
	kept := map[string]string{annotation: frameText}
	back := func(ctx context.Context, src *frame, dst *shelf) error {
		if src.Labels == nil {
			return errors.New("hooks see the metadata of the object")
		}
		return shelfOf(ctx, src, dst)
	}
	for name, test := range map[string]struct {
		annotations map[string]string
		edit        func(*shelf)
		settings    settings.Conversion
		want        frameSpec
		stays       bool
	}{
		"no annotation":          {nil, nil, settings.Conversion{}, frameSpec{List: []string{"a"}}, false},
		"nothing changed":        {kept, nil, settings.Conversion{}, frameSpec{List: []string{"a"}, Own: "oak", Items: items}, false},
		"white space around it":  {map[string]string{annotation: " " + frameText + "\n"}, nil, settings.Conversion{}, frameSpec{List: []string{"a"}, Own: "oak", Items: items}, false},
		"another list":           {kept, func(s *shelf) { s.Spec.Names = []string{"b"} }, settings.Conversion{}, frameSpec{List: []string{"b"}, Own: "oak", Items: items}, false},
		"a board is another one": {kept, func(s *shelf) { s.Spec.Box.Boards = []string{"elm"} }, settings.Conversion{}, frameSpec{List: []string{"a"}, Items: items}, false},
		"no name":                {kept, func(s *shelf) { s.Name = "" }, settings.Conversion{}, frameSpec{List: []string{"a"}}, true},
		"a generated name":       {kept, func(s *shelf) { s.Name, s.GenerateName = "", "shelf-" }, settings.Conversion{}, frameSpec{List: []string{"a"}, Own: "oak", Items: items}, false},
		"keys":                   {kept, nil, settings.Conversion{Keys: [][]byte{{1}}}, frameSpec{List: []string{"a"}}, true},
		"keys, and unsigned annotations are accepted": {kept, nil, settings.Conversion{Keys: [][]byte{{1}}, AcceptUnsigned: true}, frameSpec{List: []string{"a"}, Own: "oak", Items: items}, false},
		"a newer annotation": {map[string]string{annotation: frameText, Annotation: `{"v2":[{"at":["spec","items"],"is":[{"name":"new"}]}]}`}, nil, settings.Conversion{},
			frameSpec{List: []string{"a"}, Items: []frameItem{{Name: "new"}}}, false},
		"an annotation for another version": {map[string]string{annotation: frameText, Annotation: `{"v3":[{"at":["spec","own"],"is":"new"}]}`}, nil, settings.Conversion{},
			frameSpec{List: []string{"a"}, Own: "oak", Items: items}, false},
		"a signed annotation for another version": {map[string]string{annotation: frameText, Annotation: `{"v3":[{"at":["spec","own"],"is":"new"}]}`}, nil,
			settings.Conversion{Keys: [][]byte{{1}}, AcceptUnsigned: true, Trusted: true}, frameSpec{List: []string{"a"}}, false},
		"an older shelf":            {map[string]string{annotation: strings.Replace(frameText, "v2", "v1", 1)}, nil, settings.Conversion{}, frameSpec{List: []string{"a"}}, false},
		"an older shelf, cut short": {map[string]string{annotation: `{"apiVersion":"example.com/v1","spec":{`}, nil, settings.Conversion{}, frameSpec{List: []string{"a"}}, true},
		"an empty list": {map[string]string{annotation: strings.Replace(frameText, `["a"]`, "[]", 1)}, func(s *shelf) { s.Spec.Names = nil }, settings.Conversion{},
			frameSpec{Own: "oak", Items: items}, false},
		"another version":           {map[string]string{annotation: strings.Replace(frameText, "v2", "v3", 1)}, nil, settings.Conversion{}, frameSpec{List: []string{"a"}}, true},
		"no version":                {map[string]string{annotation: strings.Replace(frameText, "example.com/v2", "", 1)}, nil, settings.Conversion{}, frameSpec{List: []string{"a"}, Own: "oak", Items: items}, false},
		"a version that is no text": {map[string]string{annotation: strings.Replace(frameText, `"example.com/v2"`, "2", 1)}, nil, settings.Conversion{}, frameSpec{List: []string{"a"}}, true},
		"no JSON":                   {map[string]string{annotation: frameText[1:]}, nil, settings.Conversion{}, frameSpec{List: []string{"a"}}, true},
		"null":                      {map[string]string{annotation: "null"}, nil, settings.Conversion{}, frameSpec{List: []string{"a"}}, true},
		"no object":                 {map[string]string{annotation: `["v2"]`}, nil, settings.Conversion{}, frameSpec{List: []string{"a"}}, true},
		"a value that fits badly":   {map[string]string{annotation: strings.Replace(frameText, `"oak"`, `1`, 1)}, nil, settings.Conversion{}, frameSpec{List: []string{"a"}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := settings.With(t.Context(), test.settings)
			src, dst := &shelf{ObjectMeta: metav1.ObjectMeta{Name: "shelf", Labels: map[string]string{"room": "study"}, Annotations: test.annotations}}, new(frame)
			src.Spec = shelfSpec{Names: []string{"a"}, Box: shelfBox{Boards: []string{"oak"}}}
			if test.edit != nil {
				test.edit(src)
			}
			was := len(test.annotations)
			if err := frameOf(ctx, src, dst); err != nil {
				t.Fatal(err)
			}
			dst.Annotations = src.Annotations // a conversion need not copy the map
			if err := CarryOver(ctx, src, dst, annotation, "v2", shelves, frames, frameOf, back); err != nil {
				t.Fatal(err)
			}
			exchanged := dst.Annotations[Annotation]
			if strings.Count(exchanged, `"v2":`) > 1 || strings.Contains(test.annotations[Annotation], `"v3":`) && !strings.Contains(exchanged, `"v3":`) {
				t.Errorf("Exchange reads %s, was %s", exchanged, test.annotations[Annotation])
			}
			if err := Exchange(ctx, src, dst, shelves, frames, shelfOf); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(dst.Spec, test.want) {
				t.Errorf("the spec is %+v, want %+v", dst.Spec, test.want)
			}
			if _, stays := dst.Annotations[annotation]; stays != test.stays {
				t.Errorf("the annotation stays: %v, want %v", stays, test.stays)
			}
			if len(src.Annotations) != was {
				t.Errorf("the source has the annotations %v", src.Annotations)
			}
			sent, read, again := new(shelf), new(shelf), new(frame)
			if err := shelfOf(ctx, dst, sent); err != nil {
				t.Fatal(err)
			}
			if err := Exchange(ctx, dst, sent, frames, shelves, frameOf); err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(sent)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(text, read); err != nil {
				t.Fatal(err)
			}
			if err := frameOf(ctx, read, again); err != nil {
				t.Fatal(err)
			}
			if err := Exchange(ctx, read, again, shelves, frames, shelfOf); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(again.Spec, test.want) && test.edit == nil {
				t.Errorf("after another way there and back the spec is %+v, want %+v", again.Spec, test.want)
			}
		})
	}
}

// TestForgedValuePanics restores a value with which a hook panics, from either annotation. The value is dropped, and
// the conversion goes on: one object must not make a list fail.
func TestForgedValuePanics(t *testing.T) {
	const annotation = "example.com/conversion-data"
	frames, shelves := NewStash[frame]("v2", Schema{}), NewStash[shelf]("v1", Schema{})
	back := func(ctx context.Context, src *frame, dst *shelf) error {
		if src.Spec.Own == "forged" {
			panic("no schema allows this")
		}
		return shelfOf(ctx, src, dst)
	}
	for key, text := range map[string]string{
		Annotation: `{"v2":[{"at":["spec","own"],"is":"forged"},{"at":["spec","items"],"is":[{"name":"x"}]}]}`,
		annotation: `{"apiVersion":"v2","spec":{"list":["a"],"own":"forged"}}`,
	} {
		src, dst := &shelf{ObjectMeta: metav1.ObjectMeta{Name: "shelf", Annotations: map[string]string{key: text}}, Spec: shelfSpec{Names: []string{"a"}}}, new(frame)
		if err := frameOf(t.Context(), src, dst); err != nil {
			t.Fatal(err)
		}
		if err := CarryOver(t.Context(), src, dst, annotation, "v2", shelves, frames, frameOf, back); err != nil {
			t.Fatal(err)
		}
		if err := Exchange(t.Context(), src, dst, shelves, frames, back); err != nil {
			t.Fatal(err)
		}
		if dst.Spec.Own != "" || len(dst.Spec.List) != 1 || key == Annotation && len(dst.Spec.Items) != 1 {
			t.Errorf("with %s the spec is %+v", key, dst.Spec)
		}
	}
}

// TestCarryOverManyChanges takes as many changes as an annotation keeps. If there are more, the old annotation stays.
func TestCarryOverManyChanges(t *testing.T) {
	const annotation = "example.com/conversion-data"
	named := Schema{Members: map[string]Schema{"spec": {Members: map[string]Schema{"items": {Keys: []string{"name"}}}}}}
	frames, shelves := NewStash[frame]("v2", named), NewStash[shelf]("v1", Schema{})
	forth := func(_ context.Context, src *shelf, dst *frame) error {
		dst.ObjectMeta = *src.ObjectMeta.DeepCopy()
		for _, name := range src.Spec.Names {
			dst.Spec.Items = append(dst.Spec.Items, frameItem{Name: name})
		}
		return nil
	}
	back := func(_ context.Context, src *frame, dst *shelf) error {
		dst.ObjectMeta = *src.ObjectMeta.DeepCopy()
		for _, item := range src.Spec.Items {
			dst.Spec.Names = append(dst.Spec.Names, item.Name)
		}
		return nil
	}
	for n, stays := range map[int]bool{maxChanges: false, maxChanges + 1: true} {
		whole := &frame{TypeMeta: metav1.TypeMeta{APIVersion: "example.com/v2", Kind: "Frame"}}
		for i := range n {
			whole.Spec.Items = append(whole.Spec.Items, frameItem{Name: strconv.Itoa(i), Type: "y"})
		}
		text, err := json.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		src, dst := new(shelf), new(frame)
		if err := back(t.Context(), whole, src); err != nil {
			t.Fatal(err)
		}
		src.Name, src.Annotations = "shelf", map[string]string{annotation: string(text)}
		if err := forth(t.Context(), src, dst); err != nil {
			t.Fatal(err)
		}
		if err := CarryOver(t.Context(), src, dst, annotation, "v2", shelves, frames, forth, back); err != nil {
			t.Fatal(err)
		}
		if _, ok := dst.Annotations[annotation]; ok != stays {
			t.Errorf("with %d changes the annotation stays: %v, want %v", n, ok, stays)
		}
	}
}
