// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/settings"
)

// thing is an object in a version that can represent everything.
type thing struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec map[string]json.RawMessage `json:"spec,omitempty"`
}

func thingOf(t *testing.T, spec string) *thing {
	t.Helper()
	o := &thing{ObjectMeta: metav1.ObjectMeta{Name: "thing", Namespace: "here"}}
	if err := json.Unmarshal([]byte(spec), &o.Spec); err != nil {
		t.Fatal(err)
	}
	return o
}

// putBack restores an object for which the other version can represent nothing.
func putBack[T any, P Object[T]](stash Stash[T, P], object P) error {
	_, err := restore(context.Background(), P(new(T)), object, stash, stash, func(context.Context, *T, *T) error { return nil })
	return err
}

// TestStash keeps values that did not return, and restores them in the object as it is by then.
func TestStash(t *testing.T) {
	keyed := Schema{Members: map[string]Schema{"spec": {Members: map[string]Schema{
		"items":   {Keys: []string{"name"}},
		"first":   {One: map[string]string{}},
		"cpu":     {One: map[string]string{"type": "Resource", "resource.name": "cpu"}},
		"status":  {Dropped: true},
		"plain":   {Elements: &Schema{Members: map[string]Schema{"status": {Dropped: true}}}},
		"docking": {Scattered: true, Members: map[string]Schema{"inner": {Scattered: true}}},
		"only":    {Members: map[string]Schema{"status": {Dropped: true}}},
	}}}}
	stash := NewStash[thing]("v2", keyed) // for one object after another; they leave nothing behind in it
	for _, tc := range []struct{ name, said, returned, live, want string }{
		{"a member that is not there", `{"a":1,"b":2}`, `{"a":1}`, `{"a":3}`, `{"a":3,"b":2}`},
		{"a live value wins", `{"a":1,"b":2}`, `{"a":1}`, `{"a":1,"b":5}`, `{"a":1,"b":5}`},
		{"a value that came out otherwise", `{"a":"B"}`, `{"a":"A"}`, `{"a":"A"}`, `{"a":"B"}`},
		{"an edit of that value wins", `{"a":"B"}`, `{"a":"A"}`, `{"a":"C"}`, `{"a":"C"}`},
		{"a value that should not be there", `{}`, `{"a":0}`, `{"a":0}`, `null`},
		{"false, zero, empty", `{"a":false,"b":0,"c":"","d":[],"e":{}}`, `{}`, `{}`, `{"a":false,"b":0,"c":"","d":[],"e":{}}`},
		{"below a part that is gone", `{"a":{"b":1,"c":2}}`, `{"a":{"b":1}}`, `{"x":1}`, `{"x":1}`},
		{"numbers keep their digits", `{"a":9007199254740993}`, `{}`, `{}`, `{"a":9007199254740993}`},
		{"an element by its key", `{"items":[{"name":"x","v":1},{"name":"y","v":2}]}`, `{"items":[{"name":"x"},{"name":"y"}]}`,
			`{"items":[{"name":"y"},{"name":"new"},{"name":"x"}]}`, `{"items":[{"name":"y","v":2},{"name":"new"},{"name":"x","v":1}]}`},
		{"a removed element stays away", `{"items":[{"name":"x","v":1}]}`, `{"items":[{"name":"x"}]}`, `{"items":[]}`, `{"items":[]}`},
		{"an element that the other version has not", `{"items":[{"name":"x"},{"name":"y"}]}`, `{"items":[{"name":"y"}]}`, `{"items":[{"name":"y"}]}`, `{"items":[{"name":"x"},{"name":"y"}]}`},
		{"an element that came out in excess", `{"items":[{"name":"x"}]}`, `{"items":[{"name":"x"},{"name":"z"}]}`, `{"items":[{"name":"x"},{"name":"z"}]}`, `{"items":[{"name":"x"}]}`},
		{"another order", `{"items":[{"name":"y"},{"name":"x"}]}`, `{"items":[{"name":"x"},{"name":"y"}]}`, `{"items":[{"name":"x"},{"name":"y"}]}`, `{"items":[{"name":"y"},{"name":"x"}]}`},
		{"the same key twice", `{"items":[{"name":"x","v":1},{"name":"x","v":2}]}`, `{"items":[{"name":"x"},{"name":"x"}]}`, `{"items":[{"name":"x"},{"name":"x"}]}`, `{"items":[{"name":"x","v":1},{"name":"x","v":2}]}`},
		{"a second element with the key", `{"items":[{"name":"x","v":1}]}`, `{"items":[{"name":"x"}]}`, `{"items":[{"name":"x","w":2},{"name":"x"}]}`, `{"items":[{"name":"x","w":2},{"name":"x"}]}`},
		{"a list without keys", `{"plain":[{"v":1},{"v":2}]}`, `{"plain":[{},{}]}`, `{"plain":[{},{}]}`, `{"plain":[{"v":1},{"v":2}]}`},
		{"a changed list without keys", `{"plain":[{"v":1},{"v":2}]}`, `{"plain":[{},{}]}`, `{"plain":[{}]}`, `{"plain":[{}]}`},
		{"equal elements, one of which is gone", `{"plain":[{"a":1,"v":1},{"a":1,"v":2},{"a":2,"v":3}]}`, `{"plain":[{"a":1},{"a":1},{"a":2}]}`,
			`{"plain":[{"a":2},{"a":1}]}`, `{"plain":[{"a":2,"v":3},{"a":1}]}`},
		{"equal elements, one of which is new", `{"plain":[{"a":1,"v":1},{"a":1,"v":2}]}`, `{"plain":[{"a":1},{"a":1}]}`,
			`{"plain":[{"a":1},{"a":3},{"a":1},{"a":1}]}`, `{"plain":[{"a":1,"v":1},{"a":3},{"a":1,"v":2},{"a":1}]}`},
		{"an edited element among others", `{"plain":[{"a":1,"v":1},{"a":2,"v":2}]}`, `{"plain":[{"a":1},{"a":2}]}`,
			`{"plain":[{"a":5},{"a":2}]}`, `{"plain":[{"a":5},{"a":2,"v":2}]}`},
		{"an edited text among others", `{"plain":["01","2","03"]}`, `{"plain":["1","2","3"]}`,
			`{"plain":["1","5","3"]}`, `{"plain":["01","5","03"]}`},
		{"elements around the first", `{"first":["a","b","c"]}`, `{"first":["a"]}`, `{"first":["a"]}`, `{"first":["a","b","c"]}`},
		{"elements around a first that was edited", `{"first":["a","b","c"]}`, `{"first":["a"]}`, `{"first":["x"]}`, `{"first":["x","b","c"]}`},
		{"elements around a first that came out otherwise", `{"first":["1000m","b"]}`, `{"first":["1"]}`, `{"first":["1"]}`, `{"first":["1000m","b"]}`},
		{"elements around a first that is gone", `{"first":["a","b"],"x":1}`, `{"first":["a"],"x":1}`, `{"x":1}`, `{"x":1}`},
		{"elements around one that was edited", `{"cpu":[{"type":"Pods"},{"type":"Resource","resource":{"name":"cpu","value":50}},{"type":"Resource"}]}`,
			`{"cpu":[{"type":"Resource","resource":{"name":"cpu","value":50}}]}`, `{"cpu":[{"type":"Resource","resource":{"name":"cpu","value":60}}]}`,
			`{"cpu":[{"type":"Pods"},{"resource":{"name":"cpu","value":60},"type":"Resource"},{"type":"Resource"}]}`},
		{"a member of the one", `{"cpu":[{"type":"Resource","resource":{"name":"cpu","raw":"5m","value":50}}]}`,
			`{"cpu":[{"type":"Resource","resource":{"name":"cpu","value":50}}]}`, `{"cpu":[{"type":"Resource","resource":{"name":"cpu","value":60}}]}`,
			`{"cpu":[{"resource":{"name":"cpu","raw":"5m","value":60},"type":"Resource"}]}`},
		{"elements around one that is gone", `{"cpu":[{"type":"Pods"},{"type":"Resource","resource":{"name":"cpu"}}],"x":1}`,
			`{"cpu":[{"type":"Resource","resource":{"name":"cpu"}}],"x":1}`, `{"x":1}`, `{"cpu":[{"type":"Pods"}],"x":1}`},
		{"elements around none, and then one", `{"cpu":[{"type":"Pods"}],"x":1}`, `{"x":1}`,
			`{"x":1,"cpu":[{"type":"Resource","resource":{"name":"cpu"}}]}`, `{"cpu":[{"type":"Pods"},{"resource":{"name":"cpu"},"type":"Resource"}],"x":1}`},
		{"elements around one that says nothing", `{"cpu":[{"type":"Resource","resource":{"name":"cpu"}},{"type":"Pods"}],"x":1}`, `{"x":1}`,
			`{"x":1,"cpu":[{"type":"Resource","resource":{"name":"cpu","value":60}}]}`, `{"cpu":[{"resource":{"name":"cpu","value":60},"type":"Resource"},{"type":"Pods"}],"x":1}`},
		{"an empty object of which something could be dropped", `{"only":{}}`, `{}`, `{}`, `{"only":{}}`},
		{"a scattered object that is gone", `{"x":1,"docking":{"timeout":9,"pilot":true}}`, `{"x":1,"docking":{"timeout":9}}`, `{"x":1}`, `{"docking":{"pilot":true},"x":1}`},
		{"a scattered object that came", `{"x":1,"docking":{"pilot":true}}`, `{"x":1}`, `{"x":1,"docking":{"timeout":9}}`, `{"docking":{"pilot":true,"timeout":9},"x":1}`},
		{"a scattered object in another one", `{"x":1,"docking":{"inner":{"pilot":true}}}`, `{"x":1}`, `{"x":1,"docking":{"timeout":9}}`, `{"docking":{"inner":{"pilot":true},"timeout":9},"x":1}`},
		{"a list in a scattered object", `{"x":1,"docking":{"timeout":9,"berths":["a"]}}`, `{"x":1,"docking":{"timeout":9}}`, `{"x":1}`, `{"docking":{"berths":["a"]},"x":1}`},
		{"a scattered object with what came out otherwise", `{"x":1,"docking":{"timeout":"9s"}}`, `{"x":1,"docking":{"timeout":9}}`, `{"x":1}`, `{"x":1}`},
		{"an empty scattered object", `{"x":1,"docking":{}}`, `{"x":1}`, `{"x":1}`, `{"docking":{},"x":1}`},
		{"what is dropped", `{"status":"s","only":{"status":"s"},"plain":[{"status":"s","v":1}]}`, `{"plain":[{}]}`, `{"plain":[{}]}`, `{"plain":[{"v":1}]}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			live := thingOf(t, tc.live)
			live.Annotations = map[string]string{"example.com/user": "kept"}
			if err := stash.keep(t.Context(), live, thingOf(t, tc.said), thingOf(t, tc.returned), settings.Conversion{}); err != nil {
				t.Fatal(err)
			}
			if err := putBack(stash, live); err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(live.Spec)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			if diff := cmp.Diff(map[string]string{"example.com/user": "kept"}, live.Annotations); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestKeepIsBounded(t *testing.T) {
	live := thingOf(t, `{}`)
	err := NewStash[thing]("v2", Schema{}).keep(t.Context(), live, thingOf(t, `{"a":"`+strings.Repeat("x", maxAnnotations)+`"}`), live, settings.Conversion{})
	if err == nil || !strings.HasPrefix(err.Error(), "here/thing: ") {
		t.Errorf("error %v, which should name the object", err)
	}
}

// frame is an object with a struct that JSON leaves out when it is zero.
type frame struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec frameSpec `json:"spec,omitzero"`
}

type frameSpec struct {
	List  []string    `json:"list,omitempty"`
	Items []frameItem `json:"items,omitempty"`
	Own   string      `json:"own,omitempty"`
}

type frameItem struct {
	Name string `json:"name"`
	Type string `json:"type,omitempty"`
}

// TestKeepOfWhatArrives checks that a value kept below a struct is restored if the struct was left out on the way. The
// struct held an empty list, which JSON does not have.
func TestKeepOfWhatArrives(t *testing.T) {
	named := metav1.ObjectMeta{Name: "frame"}
	said := &frame{ObjectMeta: named, Spec: frameSpec{List: []string{}, Own: "own"}}
	returned := &frame{ObjectMeta: named, Spec: frameSpec{List: []string{}}}
	live := &frame{ObjectMeta: named}
	stash := NewStash[frame]("v2", Schema{})
	if err := stash.keep(t.Context(), live, said, returned, settings.Conversion{}); err != nil {
		t.Fatal(err)
	}
	if err := putBack(stash, live); err != nil {
		t.Fatal(err)
	}
	if live.Spec.Own != "own" {
		t.Errorf("%+v is restored, want what was said", live.Spec)
	}
}

// TestStashOfStructs keeps and restores values in structs of the object itself.
func TestStashOfStructs(t *testing.T) {
	for _, tc := range []struct {
		name                       string
		schema                     Schema
		said, returned, live, want frameSpec
	}{
		{"a live value wins", Schema{}, frameSpec{Own: "kept"}, frameSpec{}, frameSpec{Own: "live"}, frameSpec{Own: "live"}},
		{"a list of as many elements", Schema{}, frameSpec{List: []string{"a", "B"}}, frameSpec{List: []string{"a", "b"}}, frameSpec{List: []string{"a", "b"}}, frameSpec{List: []string{"a", "B"}}},
		{"a list with keys, of which every one came out otherwise", Schema{Members: map[string]Schema{"spec": {Members: map[string]Schema{"items": {Keys: []string{"name", "type"}}}}}},
			frameSpec{Items: []frameItem{{"a", "t"}}}, frameSpec{Items: []frameItem{{Name: "a"}}}, frameSpec{Items: []frameItem{{Name: "a"}}}, frameSpec{Items: []frameItem{{"a", "t"}}}},
		{"what is dropped", Schema{Members: map[string]Schema{"spec": {Members: map[string]Schema{"own": {Dropped: true}}}}},
			frameSpec{Own: "dropped", List: []string{"A"}}, frameSpec{List: []string{"a"}}, frameSpec{List: []string{"a"}}, frameSpec{List: []string{"A"}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			of := func(spec frameSpec) *frame { return &frame{ObjectMeta: metav1.ObjectMeta{Name: "frame"}, Spec: spec} }
			stash, live := NewStash[frame]("v2", tc.schema), of(tc.live)
			if err := stash.keep(t.Context(), live, of(tc.said), of(tc.returned), settings.Conversion{}); err != nil {
				t.Fatal(err)
			}
			if err := putBack(stash, live); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, live.Spec); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestKeepAgain checks that newly kept values of a version replace the values kept before.
func TestKeepAgain(t *testing.T) {
	live := thingOf(t, `{"x":1}`)
	live.Annotations = map[string]string{Annotation: `{"v2":[{"at":["spec","a"],"is":1}]}`}
	if err := NewStash[thing]("v2", Schema{}).keep(t.Context(), live, thingOf(t, `{"b":2,"x":1}`), thingOf(t, `{"x":1}`), settings.Conversion{}); err != nil {
		t.Fatal(err)
	}
	if got, want := live.Annotations[Annotation], `{"v2":[{"at":["spec","b"],"is":2}]}`; got != want {
		t.Errorf("annotation %s, want %s", got, want)
	}
}

func TestKeepIsSparse(t *testing.T) {
	live := thingOf(t, `{"a":1}`)
	if err := NewStash[thing]("v2", Schema{}).keep(t.Context(), live, thingOf(t, `{"a":1,"b":{"c":2}}`), thingOf(t, `{"a":1,"b":{}}`), settings.Conversion{}); err != nil {
		t.Fatal(err)
	}
	if got, want := live.Annotations[Annotation], `{"v2":[{"at":["spec","b","c"],"is":2}]}`; got != want {
		t.Errorf("annotation %s, want %s", got, want)
	}
}

func TestKeepNothing(t *testing.T) {
	for name, object := range map[string]*thing{"no difference": thingOf(t, `{"a":1}`), "no name": {Spec: map[string]json.RawMessage{"b": json.RawMessage("1")}}} {
		if err := NewStash[thing]("v2", Schema{}).keep(t.Context(), object, object, &thing{Spec: map[string]json.RawMessage{"a": json.RawMessage("1")}}, settings.Conversion{}); err != nil {
			t.Fatal(err)
		}
		if object.Annotations != nil {
			t.Errorf("%s: annotations %v", name, object.Annotations)
		}
	}
}

// TestOtherVersionsStay checks that the kept values of one version survive when another version keeps values.
func TestOtherVersionsStay(t *testing.T) {
	live := thingOf(t, `{"x":1}`)
	live.Annotations = map[string]string{Annotation: `{"v1":[{"at":["spec","a"],"is":1}]}`}
	stash := NewStash[thing]("v2", Schema{})
	if err := putBack(stash, live); err != nil {
		t.Fatal(err)
	}
	if err := stash.keep(t.Context(), live, thingOf(t, `{"b":1,"x":1}`), thingOf(t, `{"x":1}`), settings.Conversion{}); err != nil {
		t.Fatal(err)
	}
	if err := putBack(NewStash[thing]("v1", Schema{}), live); err != nil {
		t.Fatal(err)
	}
	if got, want := live.Annotations[Annotation], `{"v2":[{"at":["spec","b"],"is":1}]}`; got != want {
		t.Errorf("annotation %s, want %s", got, want)
	}
	if string(live.Spec["a"]) != "1" {
		t.Errorf("spec %v", live.Spec)
	}
}

// TestForeignStash checks that a stash from somebody else causes no error, and changes no metadata.
func TestForeignStash(t *testing.T) {
	stash := NewStash[thing]("v2", Schema{})
	for _, text := range []string{
		"", "{", "null", "[]", `{"v2":null}`, `{"v2":[{}]}`, `{"v2":[{"at":[]}]}`, `{"v2":[{"at":[1,null,{}]}]}`,
		`{"v2":[{"at":["spec"],"was":"x","is":7}]}`, `{"v2":[{"at":["metadata","name"],"is":"other"}]}`, `{"v2":[{"at":["Metadata"],"is":{"name":"other"}}]}`,
		`{"v2":[{"at":["spec","list",{"a":1}],"is":{"a":1},"index":-9}]}`, `{"v2":[{"at":["spec","list"],"around":{},"is":{},"index":9}]}`,
		`{"v2":[{"at":["spec","list"],"around":{"a.b":"c"},"is":[1],"index":9}]}`, `{"v2":[{"at":["spec","list"],"around":{}}]}`,
	} {
		live := thingOf(t, `{"list":[1]}`)
		live.Annotations = map[string]string{Annotation: text}
		if err := putBack(stash, live); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if live.Name != "thing" || live.Annotations != nil {
			t.Errorf("%s: metadata %+v", text, live.ObjectMeta)
		}
	}
}
