// SPDX-License-Identifier: Apache-2.0

package conversiontest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/webhook-gen/webhook-gen/runtime/conversion"
)

// spoke and hub are two versions of a kind. They differ in most ways in which versions can differ.
type spoke struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec spokeSpec `json:"spec,omitempty"`
}

type spokeSpec struct {
	Title    string             `json:"title,omitempty"` // name in the hub
	Size     int32              `json:"size,omitempty"`
	Mode     string             `json:"mode,omitempty"` // "rsa" here, "RSA" in the hub
	Hosts    []string           `json:"hosts,omitempty"`
	Replicas *int32             `json:"replicas,omitempty"`
	Tags     []string           `json:"tags"`
	Labels   map[string]string  `json:"labels,omitempty"`
	Parts    []spokePart        `json:"parts,omitempty"`
	Share    *resource.Quantity `json:"share,omitempty"`
	Template *template          `json:"template,omitempty"`
	Only     string             `json:"only,omitempty"` // only here
	Gone     string             `json:"gone,omitempty"` // given up
}

type spokePart struct {
	Name string `json:"name"`
	Note string `json:"note,omitempty"` // only here
}

type hub struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec hubSpec `json:"spec,omitempty"`
}

type hubSpec struct {
	Name     string             `json:"name,omitempty"`
	Size     int64              `json:"size,omitempty"`
	Mode     string             `json:"mode,omitempty"`
	Hosts    string             `json:"hosts,omitempty"` // with commas between
	Replicas *int32             `json:"replicas,omitempty"`
	Tags     []string           `json:"tags"`
	Labels   map[string]string  `json:"labels,omitempty"`
	Parts    []hubPart          `json:"parts,omitempty"`
	Share    *resource.Quantity `json:"share,omitempty"`
	Template *template          `json:"template,omitempty"`
}

type hubPart struct {
	Name string `json:"name"`
}

type template struct {
	Image string `json:"image,omitempty"`
}

// core converts the fields, as generated functions below the function of the kind do.
type core struct {
	toHub   func(src *spokeSpec, dst *hubSpec) error
	fromHub func(src *hubSpec, dst *spokeSpec) error
}

var right = core{
	toHub: func(src *spokeSpec, dst *hubSpec) error {
		*dst = hubSpec{Name: src.Title, Size: int64(src.Size), Mode: src.Mode, Tags: slices.Clone(src.Tags), Labels: maps.Clone(src.Labels)}
		if src.Mode == "rsa" {
			dst.Mode = "RSA"
		}
		if src.Replicas != nil {
			dst.Replicas = new(int32)
			*dst.Replicas = *src.Replicas
		}
		if src.Share != nil {
			share := src.Share.DeepCopy()
			dst.Share = &share
		}
		if src.Template != nil {
			dst.Template = new(template)
			*dst.Template = *src.Template
		}
		for _, p := range src.Parts {
			dst.Parts = append(dst.Parts, hubPart{p.Name})
		}
		return conversion.Join(&dst.Hosts, src.Hosts, ",")
	},
	fromHub: func(src *hubSpec, dst *spokeSpec) error {
		*dst = spokeSpec{Title: src.Name, Mode: src.Mode, Tags: slices.Clone(src.Tags), Labels: maps.Clone(src.Labels)}
		if src.Mode == "RSA" {
			dst.Mode = "rsa"
		}
		if src.Replicas != nil {
			dst.Replicas = new(int32)
			*dst.Replicas = *src.Replicas
		}
		if src.Share != nil {
			share := src.Share.DeepCopy()
			dst.Share = &share
		}
		if src.Template != nil {
			dst.Template = new(template)
			*dst.Template = *src.Template
		}
		for _, p := range src.Parts {
			dst.Parts = append(dst.Parts, spokePart{Name: p.Name})
		}
		if err := conversion.Split(&dst.Hosts, src.Hosts, ","); err != nil {
			return err
		}
		return conversion.Integer(&dst.Size, src.Size)
	},
}

// then calls a function after the conversion to the hub.
func (c core) then(after func(src *spokeSpec, dst *hubSpec)) core {
	toHub := c.toHub
	c.toHub = func(src *spokeSpec, dst *hubSpec) error {
		err := toHub(src, dst)
		after(src, dst)
		return err
	}
	return c
}

// kind makes conversions of the kind around the conversions of its fields, as the generator does.
func (c core) kind() Kind[spoke, hub] {
	schema := conversion.Schema{Members: map[string]conversion.Schema{"spec": {Members: map[string]conversion.Schema{
		"parts": {Keys: []string{"name"}}, "gone": {Dropped: true},
	}}}}
	spokeStash, hubStash := conversion.NewStash[spoke]("v1", schema), conversion.NewStash[hub]("v2", schema)
	toHub := func(_ context.Context, src *spoke, dst *hub) error {
		src.ObjectMeta.DeepCopyInto(&dst.ObjectMeta)
		return c.toHub(&src.Spec, &dst.Spec)
	}
	fromHub := func(_ context.Context, src *hub, dst *spoke) error {
		src.ObjectMeta.DeepCopyInto(&dst.ObjectMeta)
		return c.fromHub(&src.Spec, &dst.Spec)
	}
	return Kind[spoke, hub]{
		ToHub: func(ctx context.Context, src *spoke, dst *hub) error {
			*dst = hub{TypeMeta: metav1.TypeMeta{APIVersion: "example.com/v2", Kind: "Thing"}}
			if err := toHub(ctx, src, dst); err != nil {
				return err
			}
			return conversion.Exchange(ctx, src, dst, spokeStash, hubStash, fromHub)
		},
		FromHub: func(ctx context.Context, src *hub, dst *spoke) error {
			*dst = spoke{TypeMeta: metav1.TypeMeta{APIVersion: "example.com/v1", Kind: "Thing"}}
			if err := fromHub(ctx, src, dst); err != nil {
				return err
			}
			return conversion.Exchange(ctx, src, dst, hubStash, spokeStash, toHub)
		},
		Spoke:   func(o *spoke, r *rand.Rand) { o.Spec.Mode = []string{"", "rsa", "ecdsa"}[r.IntN(3)] },
		Hub:     func(o *hub, r *rand.Rand) { o.Spec.Mode = []string{"", "RSA", "ecdsa"}[r.IntN(3)] },
		Dropped: []string{"spec.gone"},
		Kept:    []string{"spec.only", "spec.parts.note"},
	}
}

// changed changes the result of the conversion to the hub last of all.
func changed(k Kind[spoke, hub], change func(src *spoke, dst *hub)) Kind[spoke, hub] {
	toHub := k.ToHub
	k.ToHub = func(ctx context.Context, src *spoke, dst *hub) error {
		err := toHub(ctx, src, dst)
		if err == nil {
			change(src, dst)
		}
		return err
	}
	return k
}

// keeping makes conversions that keep any values of the spoke in the annotation, and restore them in any way.
func keeping(keep func(src *spoke, dst *hub) any, restore func(kept []byte, src *hub, dst *spoke)) Kind[spoke, hub] {
	k := right.kind()
	k.ToHub = func(_ context.Context, src *spoke, dst *hub) error {
		*dst = hub{TypeMeta: metav1.TypeMeta{APIVersion: "example.com/v2", Kind: "Thing"}}
		src.ObjectMeta.DeepCopyInto(&dst.ObjectMeta)
		err := right.toHub(&src.Spec, &dst.Spec)
		if src.Name != "" {
			content := text(keep(src, dst))
			*dst = *annotated(dst, &content)
		}
		return err
	}
	k.FromHub = func(_ context.Context, src *hub, dst *spoke) error {
		*dst = spoke{TypeMeta: metav1.TypeMeta{APIVersion: "example.com/v1", Kind: "Thing"}}
		src.ObjectMeta.DeepCopyInto(&dst.ObjectMeta)
		*dst = *annotated(dst, nil)
		err := right.fromHub(&src.Spec, &dst.Spec)
		if content := annotation(src); content != nil {
			restore([]byte(*content), src, dst)
		}
		return err
	}
	return k
}

// scheme sets schemas with markers on fields of the hub.
func scheme(t *testing.T, k Kind[spoke, hub], marks map[string]string) Kind[spoke, hub] {
	k.Schemas = map[string]Schema{"v1": SchemaOf[spoke](t, map[string]string{"spec.mode": `{"enum": ["rsa", "ecdsa"]}`}), "v2": SchemaOf[hub](t, marks)}
	return k
}

func TestRightConversionsPass(t *testing.T) {
	t.Parallel()
	Check(t, right.kind())
	k := scheme(t, right.kind(), map[string]string{
		"spec.replicas": `{"default": 3}`, "spec.mode": `{"enum": ["RSA", "ecdsa"]}`, "spec.size": `{"default": 5}`, "spec.template": `{"nullable": true}`,
	})
	k.Replaced = []string{"spec.size"}
	Check(t, k)
	for _, share := range []string{`{"default": 1}`, `{"default": "1000m"}`} { // Go writes both as "1"
		k = scheme(t, right.kind(), map[string]string{"spec.share": share, "spec.mode": `{"enum": ["RSA", "ecdsa"]}`})
		k.Schemas["v1"] = SchemaOf[spoke](t, map[string]string{"spec.share": share, "spec.mode": `{"enum": ["rsa", "ecdsa"]}`})
		Check(t, k)
	}
	same := `{"minLength": 2, "maxLength": 9, "pattern": "^[a-z0-9]*$"}`
	k = scheme(t, right.kind(), map[string]string{"spec.name": same, "spec.size": `{"maximum": 100}`, "spec.mode": `{"enum": ["RSA", "ecdsa"]}`})
	k.Schemas["v1"] = SchemaOf[spoke](t, map[string]string{"spec.title": same, "spec.mode": `{"enum": ["rsa", "ecdsa"]}`})
	k.Refused = []string{"spec.size"}
	Check(t, k)
	k = right.kind()
	self := Kind[spoke, spoke]{ToHub: Via(k.ToHub, k.FromHub), FromHub: Via(k.ToHub, k.FromHub), Spoke: k.Spoke, Hub: k.Spoke, Dropped: k.Dropped, Kept: k.Kept}
	for _, f := range self.failures() {
		if f.invariant != 11 { // they are the same version
			t.Error(f)
		}
	}
}

func TestRequiredInDerivedSchemas(t *testing.T) {
	s := SchemaOf[hub](t, map[string]string{"spec": `{"required": true}`, "spec.mode": `{"required": true, "enum": ["RSA"]}`})
	for text, want := range map[string]string{
		`{}`: "spec: is required", `{"spec": {}}`: "spec.mode: is required", `{"spec": {"mode": "RSA"}}`: "", `{"spec": {"mode": "no"}}`: `spec.mode: not in the enum`,
	} {
		var object map[string]any
		if err := json.Unmarshal([]byte(text), &object); err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := s.Validate(object); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// alwaysMode makes objects with a mode.
func alwaysMode(k Kind[spoke, hub]) Kind[spoke, hub] {
	k.Spoke, k.Hub = func(o *spoke, _ *rand.Rand) { o.Spec.Mode = "rsa" }, func(o *hub, _ *rand.Rand) { o.Spec.Mode = "RSA" }
	return k
}

// TestRequiredTypes repairs an object that lacks required fields whose types write their own JSON.
func TestRequiredTypes(t *testing.T) {
	type object struct {
		Time     metav1.Time        `json:"time"`
		Micro    metav1.MicroTime   `json:"micro"`
		Duration metav1.Duration    `json:"duration"`
		Quantity resource.Quantity  `json:"quantity"`
		Either   intstr.IntOrString `json:"either"`
	}
	marks := map[string]string{}
	for _, name := range []string{"time", "micro", "duration", "quantity", "either"} {
		marks[name] = `{"required": true}`
	}
	s := SchemaOf[object](t, marks)
	for _, given := range []string{`{}`, `{"time": null, "micro": null, "duration": "", "quantity": "", "either": null}`} {
		found := map[string]any{}
		if err := json.Unmarshal([]byte(given), &found); err != nil {
			t.Fatal(err)
		}
		s.root.Repair(found, rand.New(rand.NewPCG(1, 1)))
		s.Prune(found)
		if err := s.Validate(found); err != nil {
			t.Error(err)
		}
		var o object
		if err := json.Unmarshal([]byte(text(found)), &o); err != nil {
			t.Errorf("%s became %s: %v", given, text(found), err)
		}
	}
}

// TestFaultsAreFound breaks every invariant, and looks for its number.
func TestFaultsAreFound(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		invariant int
		fault     string
		kind      Kind[spoke, hub]
	}{
		{1, "a field is lost", changed(right.kind(), func(_ *spoke, dst *hub) { dst.Spec.Name = "" })},
		{1, "an object does not convert", core{right.toHub, func(*hubSpec, *spokeSpec) error { return errors.New("no") }}.kind()},
		{1, "a conversion to the hub panics", right.then(func(src *spokeSpec, _ *hubSpec) { _ = src.Template.Image }).kind()},
		{1, "a conversion from the hub panics", core{right.toHub, func(src *hubSpec, _ *spokeSpec) error { panic(src.Name) }}.kind()},
		{9, "two fields are swapped one way, which the annotation hides", right.then(func(src *spokeSpec, dst *hubSpec) { dst.Name, dst.Mode = dst.Mode, dst.Name }).kind()},
		{2, "what was kept wins over an edit", keeping(
			func(src *spoke, _ *hub) any { return src.Spec },
			func(kept []byte, _ *hub, dst *spoke) { _ = json.Unmarshal(kept, &dst.Spec) })},
		{2, "an edit loses what it is not about", keeping(
			func(src *spoke, dst *hub) any { return []any{src.Spec, dst.Spec} },
			func(kept []byte, src *hub, dst *spoke) {
				var both []json.RawMessage
				if json.Unmarshal(kept, &both) == nil && len(both) == 2 && text(wire(&src.Spec)) == string(both[1]) {
					_ = json.Unmarshal(both[0], &dst.Spec)
				}
			})},
		{3, "a map is shared", changed(right.kind(), func(src *spoke, dst *hub) { dst.Spec.Labels = src.Spec.Labels })},
		{3, "a pointer is shared", changed(right.kind(), func(src *spoke, dst *hub) { dst.Spec.Replicas = src.Spec.Replicas })},
		{3, "metadata is shared", changed(right.kind(), func(src *spoke, dst *hub) { dst.OwnerReferences = src.OwnerReferences })},
		{3, "the input is changed", changed(right.kind(), func(src *spoke, _ *hub) { src.Spec.Gone = "seen" })},
		{4, "a default is made up", right.then(func(src *spokeSpec, dst *hubSpec) {
			if dst.Mode == "" {
				dst.Mode = "RSA"
			}
		}).kind()},
		{4, "a default is made up beside something else", right.then(func(src *spokeSpec, dst *hubSpec) {
			if dst.Mode == "" && src.Template != nil {
				dst.Mode = "RSA"
			}
		}).kind()},
		{4, "a default is made up in a part, of a field that every object has", alwaysMode(changed(right.kind(), func(src *spoke, dst *hub) {
			if src.Name == "" && src.Namespace != "" && dst.Spec.Mode == "" {
				dst.Spec.Mode = "RSA"
			}
		}))},
		{4, "a struct is made up", right.then(func(src *spokeSpec, dst *hubSpec) {
			if dst.Template == nil {
				dst.Template = &template{}
			}
		}).kind()},
		{4, "a part makes other fields than the whole", right.then(func(src *spokeSpec, dst *hubSpec) {
			if src.Title == "" {
				dst.Mode, dst.Labels = "", map[string]string{"mode": src.Mode}
			}
		}).kind()},
		{4, "a part does not convert", func() Kind[spoke, hub] {
			k := right.kind()
			toHub := k.ToHub
			k.ToHub = func(ctx context.Context, src *spoke, dst *hub) error {
				if src.Name == "" {
					return errors.New("no name")
				}
				return toHub(ctx, src, dst)
			}
			return k
		}()},
		{5, "elements are restored by index", keeping(
			func(src *spoke, _ *hub) any {
				var notes []string
				for _, p := range src.Spec.Parts {
					notes = append(notes, p.Note)
				}
				return notes
			},
			func(kept []byte, _ *hub, dst *spoke) {
				var notes []string
				_ = json.Unmarshal(kept, &notes)
				for i := range min(len(notes), len(dst.Spec.Parts)) {
					dst.Spec.Parts[i].Note = notes[i]
				}
			})},
		{6, "every call gives something else", func() Kind[spoke, hub] {
			calls := 0
			return changed(right.kind(), func(_ *spoke, dst *hub) {
				calls++
				content := fmt.Sprintf(`{"v3":[{"at":["spec","call"],"is":%d}]}`, calls)
				*dst = *annotated(dst, &content)
			})
		}()},
		{7, "a number is cut off", core{right.toHub, func(src *hubSpec, dst *spokeSpec) error {
			small := *src
			small.Size = 0
			err := right.fromHub(&small, dst)
			dst.Size = int32(src.Size)
			return err
		}}.kind()},
		{7, "an enum's value becomes another one", right.then(func(src *spokeSpec, dst *hubSpec) {
			if src.Mode == "ecdsa" {
				dst.Mode = "RSA"
			}
		}).kind()},
		{7, "text with a separator is split elsewhere", right.then(func(src *spokeSpec, dst *hubSpec) { dst.Hosts = strings.Join(src.Hosts, " ") }).kind()},
		{8, "a pointer to zero becomes nil", right.then(func(src *spokeSpec, dst *hubSpec) {
			if src.Replicas != nil && *src.Replicas == 0 {
				dst.Replicas = nil
			}
		}).kind()},
		{8, "an empty list becomes nil", right.then(func(src *spokeSpec, dst *hubSpec) {
			if len(src.Tags) == 0 {
				dst.Tags = nil
			}
		}).kind()},
		{8, "an empty struct becomes nil", right.then(func(src *spokeSpec, dst *hubSpec) {
			if src.Template != nil && *src.Template == (template{}) {
				dst.Template = nil
			}
		}).kind()},
		{9, "a field is forgotten, which the annotation hides", right.then(func(_ *spokeSpec, dst *hubSpec) { dst.Template = nil }).kind()},
		{9, "a field of elements is forgotten on the way back", core{right.toHub, func(src *hubSpec, dst *spokeSpec) error {
			err := right.fromHub(src, dst)
			dst.Parts = nil
			return err
		}}.kind()},
		{10, "the annotation has no bounds", keeping(
			func(src *spoke, _ *hub) any { return src.Spec },
			func([]byte, *hub, *spoke) {})},
		{10, "a broken annotation is an error", func() Kind[spoke, hub] {
			k := right.kind()
			toHub := k.ToHub
			k.ToHub = func(ctx context.Context, src *spoke, dst *hub) error {
				if content := annotation(src); content != nil && !json.Valid([]byte(*content)) {
					return errors.New("the annotation is broken")
				}
				return toHub(ctx, src, dst)
			}
			return k
		}()},
		{10, "another object's annotation is believed", keeping(
			func(src *spoke, _ *hub) any { return src.Spec },
			func(kept []byte, _ *hub, dst *spoke) { _ = json.Unmarshal(kept, &dst.Spec) })},
		{10, "what was kept before the versions were alike is passed over", func() Kind[spoke, hub] {
			k := right.kind()
			toHub := k.ToHub
			k.ToHub = func(ctx context.Context, src *spoke, dst *hub) error { return toHub(ctx, annotated(src, nil), dst) }
			return k
		}()},
		{10, "what was kept and is restored stays in the annotation", func() Kind[spoke, hub] {
			k := right.kind()
			toHub := k.ToHub
			k.ToHub = func(ctx context.Context, src *spoke, dst *hub) error {
				err := toHub(ctx, src, dst)
				if content := annotation(src); content != nil && strings.HasPrefix(*content, `{"v2":[{`) {
					*dst = *annotated(dst, content)
				}
				return err
			}
			return k
		}()},
		{11, "the user's annotations go", changed(right.kind(), func(_ *spoke, dst *hub) { delete(dst.Annotations, "example.com/annotation") })},
		{11, "a label is added", changed(right.kind(), func(_ *spoke, dst *hub) { metav1.SetMetaDataLabel(&dst.ObjectMeta, "converted", "true") })},
		{11, "the uid changes", changed(right.kind(), func(_ *spoke, dst *hub) { dst.UID = "other" })},
		{11, "finalizers go", changed(right.kind(), func(_ *spoke, dst *hub) { dst.Finalizers = nil })},
		{11, "the kind is missing", changed(right.kind(), func(_ *spoke, dst *hub) { dst.Kind = "" })},
		{11, "the version stays", changed(right.kind(), func(_ *spoke, dst *hub) { dst.APIVersion = "example.com/v1" })},
		{11, "something stays in the destination", func() Kind[spoke, hub] {
			k := right.kind()
			toHub := k.ToHub
			k.ToHub = func(ctx context.Context, src *spoke, dst *hub) error {
				before := dst.Spec.Labels
				err := toHub(ctx, src, dst)
				if dst.Spec.Labels == nil {
					dst.Spec.Labels = before
				}
				return err
			}
			return k
		}()},
		{12, "a forged annotation decides on what the object says", changed(right.kind(), func(src *spoke, dst *hub) {
			if strings.Contains(src.Annotations[conversion.Annotation], `"size"`) {
				dst.Spec.Size = 666
			}
		})},
		{13, "zero becomes nil, and nil the default", scheme(t, right.then(func(_ *spokeSpec, dst *hubSpec) {
			if dst.Replicas != nil && *dst.Replicas == 0 {
				dst.Replicas = nil
			}
		}).kind(), map[string]string{"spec.replicas": `{"default": 3}`})},
		{13, "zero is left out, and becomes the default", scheme(t, right.kind(), map[string]string{"spec.size": `{"default": 5}`})},
		{13, "an Enum refuses a constant", scheme(t, right.kind(), map[string]string{"spec.mode": `{"enum": ["rsa", "ecdsa"]}`})},
		{13, "a number exceeds a maximum", scheme(t, right.kind(), map[string]string{"spec.size": `{"maximum": 100000}`})},
		{13, "a number is below a minimum", scheme(t, right.kind(), map[string]string{"spec.replicas": `{"minimum": -70}`})},
		{13, "text is too long", scheme(t, right.kind(), map[string]string{"spec.labels": `{"additionalProperties": {"maxLength": 63}}`})},
		{13, "text is too short", scheme(t, right.kind(), map[string]string{"spec.name": `{"minLength": 3}`})},
		{13, "text does not match a pattern", scheme(t, right.kind(), map[string]string{"spec.parts.name": `{"pattern": "^[A-Z]"}`})},
		{13, "a list is too long", scheme(t, right.kind(), map[string]string{"spec.tags": `{"maxItems": 16}`})},
		{13, "a map is too large", scheme(t, right.kind(), map[string]string{"spec.labels": `{"maxProperties": 9}`})},
		{13, "a required field is missing", scheme(t, right.kind(), map[string]string{"spec": `{"required": ["template"]}`})},
		{13, "no value satisfies a schema", scheme(t, right.kind(), map[string]string{"spec": `{"required": ["name"]}`, "spec.name": `{"pattern": "^$^a"}`})},
		{13, "a field has no schema", func() Kind[spoke, hub] {
			k := right.kind()
			k.Schemas = map[string]Schema{"v1": SchemaOf[spoke](t, nil), "v2": SchemaOf[spoke](t, nil)}
			return k
		}()},
	} {
		t.Run(fmt.Sprintf("%d %s", tc.invariant, tc.fault), func(t *testing.T) {
			toHub, fromHub := tc.kind.ways()
			failures := append(broken(toHub, tc.invariant), broken(fromHub, tc.invariant)...)
			if len(failures) == 0 {
				t.Error("not found")
			}
			for _, f := range failures {
				t.Log(f)
			}
		})
	}
}

// broken checks one of the invariants.
func broken[A, B any](w way[A, B], number int) []finding {
	for _, i := range w.invariants() {
		if i.number == number {
			tries := 1000
			if f, failed := w.first(i, &tries); failed {
				return []finding{f}
			}
		}
	}
	return nil
}

// TestFailureIsSmall checks that a failure shows little more than its cause.
func TestFailureIsSmall(t *testing.T) {
	k := right.then(func(_ *spokeSpec, dst *hubSpec) { dst.Template = nil }).kind()
	toHub, _ := k.ways()
	failures := broken(toHub, 9)
	if len(failures) == 0 {
		t.Fatal("not found")
	}
	if input := failures[0].input; !strings.Contains(input, `"spec":{"tags":null,"template":{"image":"`) || len(input) > 150 {
		t.Error(input)
	}
	if message := failures[0].String(); !strings.HasPrefix(message, "invariant 9 does not hold from the spoke: ") || !strings.Contains(message, "spec.template.image") {
		t.Error(message)
	}
}

// large is a kind whose spec takes more values than an object has.
type large struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec struct {
		Levels [30]struct {
			Levels [30]template `json:"levels"`
		} `json:"levels"`
	} `json:"spec,omitempty"`
	Status struct {
		Admission *template `json:"admission,omitempty"`
	} `json:"status,omitempty"`
}

// TestStatusIsFilled checks that a large spec leaves values for the status.
func TestStatusIsFilled(t *testing.T) {
	set := 0
	for seed := range uint64(200) {
		if filled[large](seed, filling{elements: 1, full: true}, nil).Status.Admission == nil {
			t.Fatalf("with everything set, the object of seed %d has no status.admission", seed)
		}
		if filled[large](seed, filling{elements: 2}, nil).Status.Admission != nil {
			set++
		}
	}
	if set < 50 {
		t.Errorf("%d of 200 objects have status.admission", set)
	}
}
