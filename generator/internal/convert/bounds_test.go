// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// side is a field of one version: the validation markers, separated by commas, the type, and the options of its tag.
type side struct{ markers, typ, options string }

func (s side) field(name string) string {
	var b strings.Builder
	for m := range strings.SplitSeq(s.markers, ", ") {
		switch {
		case m == "":
		case strings.HasPrefix(m, "+"):
			fmt.Fprintf(&b, "// %s\n", m)
		default:
			fmt.Fprintf(&b, "// +kubebuilder:validation:%s\n", m)
		}
	}
	fmt.Fprintf(&b, "%s %s `json:%q`\n", strings.ToUpper(name), s.typ, name+s.options)
	return b.String()
}

// TestBounds compares validation markers. Each case is a field of the same two structs.
func TestBounds(t *testing.T) {
	text := func(markers string) side { return side{markers: markers, typ: "string"} }
	whole := func(markers string) side { return side{markers: markers, typ: "int32"} }
	float := func(markers string) side { return side{markers: markers, typ: "float64"} }
	list := func(markers string) side { return side{markers: markers, typ: "[]string"} }
	dict := func(markers string) side { return side{markers: markers, typ: "map[string]string"} }
	of := func(typ, markers string) side { return side{markers: markers, typ: typ} }
	omits := func(typ, markers string) side { return side{markers, typ, ",omitempty"} }
	toHub := func(to, from string) string {
		return fmt.Sprintf("v2 refuses values that v1 accepts (%s in v2, %s in v1)", to, from)
	}
	fromHub := func(to, from string) string {
		return fmt.Sprintf("v1 refuses values that v2 accepts (%s in v1, %s in v2)", to, from)
	}
	const keyed, keys = "+listType=map, +listMapKey=name", "map with the keys name"
	cases := []struct {
		name, rule string
		spoke, hub side
		part, want string
	}{
		{name: "a set, equal", spoke: list("+listType=set"), hub: list("+listType=set")},
		{name: "a set, in the hub alone", spoke: list(""), hub: list("+listType=set"), want: toHub("listType=set", "no listType")},
		{name: "a set, in the spoke alone", spoke: list("+listType=set"), hub: list("+listType=atomic"), want: fromHub("listType=set", "no listType")},
		{name: "keys, equal", spoke: of("[]Free", keyed), hub: of("[]Free", keyed)},
		{name: "keys, in the hub alone", spoke: of("[]Free", ""), hub: of("[]Free", keyed), want: toHub("listType="+keys, "no listType")},
		{name: "keys, more in the spoke", spoke: of("[]Free", keyed+", +listMapKey=value"), hub: of("[]Free", keyed),
			want: toHub("listType="+keys, "listType="+keys+",value")},
		{name: "keys, by another name", spoke: of("[]Keyed", "+listType=map, +listMapKey=name"), hub: of("[]Keyed", "+listType=map, +listMapKey=id")},
		{name: "keys and a set", rule: `+webhook:conversion:to(as: "each;wrap:name")`, spoke: list("+listType=set"), hub: of("[]Named", keyed), part: "[]",
			want: toHub("MaxLength=3", "no MaxLength")},
		{name: "no markers", spoke: text(""), hub: text("")},

		{name: "minimum, equal", spoke: whole("Minimum=1"), hub: whole("Minimum=1")},
		{name: "minimum, equal as numbers", spoke: float("Minimum=1"), hub: float("Minimum=1.0")},
		{name: "minimum, narrower hub", spoke: whole("Minimum=1"), hub: whole("Minimum=5"), want: toHub("Minimum=5", "Minimum=1")},
		{name: "minimum, narrower spoke", spoke: whole("Minimum=5"), hub: whole("Minimum=1"), want: fromHub("Minimum=5", "Minimum=1")},
		{name: "minimum, in the hub alone", spoke: whole(""), hub: whole("Minimum=0"), want: toHub("Minimum=0", "no Minimum")},
		{name: "minimum, an unsigned number", spoke: of("uint32", ""), hub: whole("Minimum=0")},
		{name: "minimum of an unsigned number", spoke: of("uint32", ""), hub: whole("Minimum=1"), want: toHub("Minimum=1", "no Minimum")},
		{name: "minimum with a colon", spoke: whole("Minimum:=1"), hub: whole("Minimum:=2"), want: toHub("Minimum=2", "Minimum=1")},
		{name: "minimum, the other name", spoke: whole("+k8s:minimum=1"), hub: whole("Minimum=1")},
		{name: "minimum, by the other name", spoke: whole("Minimum=1"), hub: whole("+k8s:minimum=2"), want: toHub("Minimum=2", "Minimum=1")},
		{name: "minimum, JSON omits zero", spoke: omits("int32", "Minimum=0"), hub: omits("int32", "Minimum=1")},
		{name: "minimum, a pointer to zero", spoke: omits("*int32", "Minimum=0"), hub: omits("*int32", "Minimum=1"), want: toHub("Minimum=1", "Minimum=0")},
		{name: "minimum, zero is nil", spoke: omits("int32", "Minimum=0"), hub: omits("*int32", "Minimum=1")},
		{name: "minimum, zero omitted and more", spoke: omits("int32", "Minimum=0"), hub: omits("int32", "Minimum=2"), want: toHub("Minimum=2", "Minimum=0")},
		{name: "maximum, equal", spoke: whole("Maximum=9"), hub: whole("Maximum=9")},
		{name: "maximum, narrower hub", spoke: whole("Maximum=10"), hub: whole("Maximum=9"), want: toHub("Maximum=9", "Maximum=10")},
		{name: "maximum, narrower spoke", spoke: whole("Maximum=9"), hub: whole("Maximum=10"), want: fromHub("Maximum=9", "Maximum=10")},
		{name: "maximum, the other name", spoke: whole("Maximum=9"), hub: whole("+k8s:maximum=8"), want: toHub("Maximum=8", "Maximum=9")},
		{name: "both bounds", spoke: whole("Minimum=1, Maximum=9"), hub: whole("Minimum=2, Maximum=8"),
			want: "v2 refuses values that v1 accepts (Minimum=2 in v2, Minimum=1 in v1; Maximum=8 in v2, Maximum=9 in v1)"},
		{name: "one bound each", spoke: whole("Minimum=1, Maximum=8"), hub: whole("Minimum=2, Maximum=9"),
			want: toHub("Minimum=2", "Minimum=1") + ", and " + fromHub("Maximum=8", "Maximum=9")},
		{name: "exclusive minimum", spoke: float("Minimum=1"), hub: float("Minimum=1, ExclusiveMinimum=true"), want: toHub("Minimum=1 with ExclusiveMinimum", "Minimum=1")},
		{name: "exclusive minimum, equal", spoke: float("Minimum=1, ExclusiveMinimum=true"), hub: float("Minimum=1, ExclusiveMinimum=true")},
		{name: "exclusive minimum, false", spoke: float("Minimum=1"), hub: float("Minimum=1, ExclusiveMinimum=false")},
		{name: "exclusive minimum of a whole number", spoke: whole("Minimum=1, ExclusiveMinimum=true"), hub: whole("Minimum=2")},
		{name: "exclusive maximum", spoke: float("Maximum=1"), hub: float("Maximum=1, ExclusiveMaximum=true"), want: toHub("Maximum=1 with ExclusiveMaximum", "Maximum=1")},
		{name: "exclusive maximum of a whole number", spoke: whole("Maximum=9, ExclusiveMaximum=true"), hub: whole("Maximum=8")},
		{name: "exclusive maximum that excludes less", spoke: whole("Maximum=10, ExclusiveMaximum=true"), hub: whole("Maximum=8"), want: toHub("Maximum=8", "Maximum=10 with ExclusiveMaximum")},
		{name: "multiple, equal", spoke: whole("MultipleOf=4"), hub: whole("MultipleOf=4")},
		{name: "multiple of a divisor", spoke: whole("MultipleOf=4"), hub: whole("MultipleOf=2"), want: fromHub("MultipleOf=4", "MultipleOf=2")},
		{name: "multiple, in the hub alone", spoke: whole(""), hub: whole("MultipleOf=2"), want: toHub("MultipleOf=2", "no MultipleOf")},
		{name: "other widths", spoke: of("int64", "Maximum=9"), hub: whole("Maximum=8"), want: toHub("Maximum=8", "Maximum=9")},

		{name: "least length, equal", spoke: text("MinLength=1"), hub: text("MinLength=1")},
		{name: "least length, narrower hub", spoke: text("MinLength=1"), hub: text("MinLength=2"), want: toHub("MinLength=2", "MinLength=1")},
		{name: "least length, JSON omits zero", spoke: omits("string", ""), hub: omits("string", "MinLength=1")},
		{name: "least length, JSON writes zero", spoke: omits("string", ""), hub: text("MinLength=1"), want: toHub("MinLength=1", "no MinLength")},
		{name: "least length, the pattern refuses none", spoke: text(`Pattern="^a+$"`), hub: text(`MinLength=1, Pattern="^a+$"`)},
		{name: "absent text", spoke: omits("string", "MinLength=1"), hub: text("MinLength=1"), want: toHub("MinLength=1", `the "" of an absent field`)},
		{name: "absent text, with a pattern", spoke: text(`Pattern="^a$"`), hub: omits("string", `Pattern="^a$"`), want: fromHub("Pattern=^a$", `the "" of an absent field`)},
		{name: "absent number", spoke: omits("float64", "Minimum=1"), hub: float("Minimum=1"), want: toHub("Minimum=1", "the 0 of an absent field")},
		{name: "absent, and zero fits", spoke: omits("float64", "Maximum=1"), hub: float("Maximum=1")},
		{name: "absent pointer", spoke: omits("*int32", "Minimum=1"), hub: of("*int32", "Minimum=1")},
		{name: "absent on no side", spoke: omits("string", "MinLength=1"), hub: omits("string", "MinLength=1")},
		{name: "required, though JSON may omit it", spoke: omits("string", "MinLength=1, +required"), hub: text("MinLength=1")},
		{name: "absent, with a default", spoke: omits("string", "MinLength=1, +kubebuilder:default=a"), hub: text("MinLength=1")},
		{name: "absent, with a default of the conversion", rule: `+webhook:conversion:default="a"`, spoke: omits("string", "MinLength=1"), hub: text("MinLength=1")},
		{name: "length, narrower hub", spoke: text("MaxLength=9"), hub: text("MaxLength=8"), want: toHub("MaxLength=8", "MaxLength=9")},
		{name: "length, narrower spoke", spoke: text("MaxLength=8"), hub: text("MaxLength=9"), want: fromHub("MaxLength=8", "MaxLength=9")},
		{name: "length beside a pattern", spoke: text(`Pattern="^a{1,3}$"`), hub: text(`Pattern="^a{1,3}$", MaxLength=3`),
			want: "v2 may refuse values that v1 accepts (MaxLength=3 in v2, Pattern=^a{1,3}$ in v1)"},
		{name: "length of a number", spoke: whole(""), hub: whole("MaxLength=3")},
		{name: "pattern, equal", spoke: text(`Pattern="^a$"`), hub: text(`Pattern="^a$"`)},
		{name: "pattern, in the hub alone", spoke: text(""), hub: text(`Pattern="^a$"`), want: toHub("Pattern=^a$", "no Pattern")},
		{name: "pattern, another", spoke: text(`Pattern="^a$"`), hub: text(`Pattern="^a+$"`), want: "Pattern differs (^a+$ in v2, ^a$ in v1)"},
		{name: "format, equal", spoke: text("Format=uuid"), hub: text(`Format="uuid"`)},
		{name: "format, in the hub alone", spoke: text(""), hub: text("Format=uuid"), want: toHub("Format=uuid", "no Format")},
		{name: "format, another", spoke: text("Format=uuid"), hub: text("Format=email"), want: "Format differs (email in v2, uuid in v1)"},
		{name: "enum, in the hub alone", spoke: text(""), hub: text("Enum=a;b"), want: toHub("Enum=a;b", "no Enum")},
		{name: "enum, whose values fit", spoke: text("Enum=a;b"), hub: text(`MaxLength=1, Pattern="^[a-z]$"`), want: fromHub("Enum=a;b", "no Enum")},
		{name: "enum, whose values do not fit", spoke: text("Enum=a;bb"), hub: text("MaxLength=1"),
			want: toHub("MaxLength=1", "the values a;bb") + ", and " + fromHub("Enum=a;bb", "no Enum")},
		{name: "enum of numbers", spoke: whole("Enum=1;2"), hub: whole("Enum=1;3"), want: toHub("Enum=1;3", "Enum=1;2") + ", and " + fromHub("Enum=1;2", "Enum=1;3")},
		{name: "enum of numbers, equal", spoke: whole("Enum=1;2"), hub: whole("Enum={1,2}")},
		{name: "enum of a bool", spoke: of("bool", ""), hub: of("bool", "Enum=true"), want: toHub("Enum=true", "no Enum")},
		{name: "enum of a bool, both values", spoke: of("bool", ""), hub: of("bool", "Enum=true;false")},
		{name: "enum of a type", spoke: of("Closed", ""), hub: text("MaxLength=1"), want: toHub("MaxLength=1", "the values a;bbb") + ", and " + fromHub("Enum=a;bbb", "no Enum")},
		{name: "enum of a type and of the field", spoke: of("Closed", "Enum=a;b"), hub: text("MaxLength=1"),
			want: "v1 refuses values that v2 accepts (Enum=a;bbb in v1, no Enum in v2; Enum=a;b in v1, no Enum in v2)"},
		{name: "enum of a type, and a bound of the field", spoke: of("Closed", "MaxLength=4"), hub: text("MaxLength=1"),
			want: toHub("MaxLength=1", "the values a;bbb") + ", and " + "v1 refuses values that v2 accepts (Enum=a;bbb in v1, no Enum in v2)"},
		{name: "enum, JSON omits empty text", spoke: omits("string", `Enum="";a`), hub: omits("string", "MinLength=1"), want: fromHub("Enum=;a", "no Enum")},
		{name: "enum, JSON writes empty text", spoke: text(`Enum="";a`), hub: text("MinLength=1"), want: toHub("MinLength=1", "the values ;a") + ", and " + fromHub("Enum=;a", "no Enum")},
		{name: "enum, constants of the type", spoke: of("Word", ""), hub: text("Enum=one;two")},
		{name: "enum, renamed", rule: "+webhook:conversion:enum(from: \"a\", to: \"long\")", spoke: text("Enum=a"), hub: text("Enum=long, MaxLength=4")},

		{name: "items, equal", spoke: list("MinItems=1, MaxItems=5"), hub: list("MinItems=1, MaxItems=5")},
		{name: "least items, narrower hub", spoke: list("MinItems=1"), hub: list("MinItems=2"), want: toHub("MinItems=2", "MinItems=1")},
		{name: "least items, JSON omits none", spoke: omits("[]string", ""), hub: omits("[]string", "MinItems=1")},
		{name: "least items, JSON omits nil alone", spoke: side{"", "[]string", ",omitzero"}, hub: side{"MinItems=1", "[]string", ",omitzero"}, want: toHub("MinItems=1", "no MinItems")},
		{name: "least properties, JSON omits nil alone", spoke: side{"", "map[string]string", ",omitzero"}, hub: side{"MinProperties=1", "map[string]string", ",omitzero"}, want: toHub("MinProperties=1", "no MinProperties")},
		{name: "items, narrower spoke", spoke: list("MaxItems=4"), hub: list("MaxItems=5"), want: fromHub("MaxItems=4", "MaxItems=5")},
		{name: "items, the other name", spoke: list("MaxItems=4"), hub: list("+k8s:maxItems=3"), want: toHub("MaxItems=3", "MaxItems=4")},
		{name: "unique items", spoke: list(""), hub: list("UniqueItems=true"), want: toHub("UniqueItems=true", "no UniqueItems")},
		{name: "unique items, beside another bound", spoke: list("MaxItems=5"), hub: list("MaxItems=5, UniqueItems=true"), want: toHub("UniqueItems=true", "no UniqueItems")},
		{name: "unique items, equal", spoke: list("UniqueItems=true"), hub: list("UniqueItems=true")},
		{name: "elements, equal", spoke: list("items:MaxLength=4"), hub: list("items:MaxLength=4")},
		{name: "elements", spoke: list("items:MaxLength=4"), hub: list("items:MaxLength=3"), part: "[]", want: toHub("MaxLength=3", "MaxLength=4")},
		{name: "elements, an enum", spoke: list(""), hub: list("items:Enum=a;b"), part: "[]", want: toHub("Enum=a;b", "no Enum")},
		{name: "elements of a type", spoke: of("[]Short", ""), hub: of("[]Short", ""), part: "[]", want: toHub("MaxLength=3", "MaxLength=4")},
		{name: "elements that are pointers", spoke: of("[]*Short", ""), hub: of("[]*Short", ""), part: "[]", want: toHub("MaxLength=3", "MaxLength=4")},
		{name: "elements of a list's type", spoke: of("Shorts", ""), hub: of("Shorts", ""), part: "[]", want: toHub("MaxLength=3", "MaxLength=4")},
		{name: "elements that omit zero elsewhere", spoke: omits("[]string", ""), hub: omits("[]string", "items:MinLength=1"), part: "[]", want: toHub("MinLength=1", "no MinLength")},
		{name: "elements behind a pointer", spoke: omits("[]string", ""), hub: of("*[]string", "items:MinLength=1"), part: "[]", want: toHub("MinLength=1", "no MinLength")},
		{name: "elements of an array", spoke: of("[2]string", "items:MaxLength=4"), hub: of("[2]string", "items:MaxLength=3"), part: "[]", want: toHub("MaxLength=3", "MaxLength=4")},
		{name: "bytes, which are text", spoke: of("[]byte", ""), hub: of("[]byte", "MinItems=2")},
		{name: "bytes", spoke: of("[]byte", "MaxLength=9"), hub: of("[]byte", "MaxLength=8"), want: toHub("MaxLength=8", "MaxLength=9")},
		{name: "properties, equal", spoke: dict("MinProperties=1"), hub: dict("MinProperties=1")},
		{name: "least properties", spoke: dict("MinProperties=1"), hub: dict("MinProperties=2"), want: toHub("MinProperties=2", "MinProperties=1")},
		{name: "properties", spoke: dict("MaxProperties=3"), hub: dict("MaxProperties=2"), want: toHub("MaxProperties=2", "MaxProperties=3")},
		{name: "values of a map", spoke: of("map[string]Short", ""), hub: of("map[string]Short", ""), part: "[]", want: toHub("MaxLength=3", "MaxLength=4")},
		{name: "properties of a struct", spoke: of("*Union", ""), hub: of("*Union", ""), want: toHub("MaxProperties=1", "no MaxProperties")},

		{name: "a type", spoke: of("Short", ""), hub: of("Short", ""), want: toHub("MaxLength=3", "MaxLength=4")},
		{name: "a type, narrower field", spoke: of("Short", "MaxLength=2"), hub: of("Short", ""), want: fromHub("MaxLength=2", "MaxLength=3")},
		{name: "a type, wider field", spoke: of("Short", "MaxLength=9"), hub: of("Short", ""), want: toHub("MaxLength=3", "MaxLength=9")},
		{name: "pointers", spoke: of("*Short", ""), hub: of("*Short", ""), want: toHub("MaxLength=3", "MaxLength=4")},
		{name: "a type of Kubernetes", spoke: of("metav1.Duration", ""), hub: of("metav1.Duration", `Pattern="^1h$"`), want: toHub("Pattern=^1h$", "no Pattern")},
		{name: "a duration and seconds", rule: `+webhook:conversion:to(as: "seconds")`, spoke: of("metav1.Duration", ""), hub: whole("Maximum=3")},
		{name: "a bool and its inverse", rule: `+webhook:conversion:to(as: "not")`, spoke: of("bool", ""), hub: of("bool", "Enum=true")},
		{name: "a first element", rule: `+webhook:conversion:to(as: "first")`, spoke: omits("string", "MaxLength=4"), hub: omits("[]string", "items:MaxLength=3, MinItems=1"), want: toHub("MaxLength=3", "MaxLength=4")},
		{name: "a member", rule: `+webhook:conversion:to(as: "wrap:name")`, spoke: of("string", "MaxLength=4"), hub: of("Named", ""), want: toHub("MaxLength=3", "MaxLength=4")},
		{name: "a map and a list", rule: `+webhook:conversion:to(as: "keyed:name;wrap:value")`, spoke: of("map[string]string", "MaxProperties=4"), hub: of("[]Entry", "MaxItems=4"), part: "[key]", want: toHub("MaxLength=3", "no MaxLength")},
		{name: "a smaller list than map", rule: `+webhook:conversion:to(as: "keyed:name;wrap:value")`, spoke: of("map[string]string", "MaxProperties=4"), hub: of("[]Free", "MaxItems=3"), want: toHub("MaxItems=3", "MaxProperties=4")},

		{name: "the user's own code", rule: "+webhook:conversion:custom", spoke: whole("Maximum=9"), hub: whole("Maximum=8")},
		{name: "a dropped field", rule: `+webhook:conversion:drop="why"`, spoke: whole("Maximum=9"), hub: side{}},
		{name: "a kept field", rule: "+webhook:conversion:stash", spoke: whole("Maximum=9"), hub: side{}},
	}
	spoke, hub := &strings.Builder{}, &strings.Builder{}
	want := map[string]string{}
	for i, tc := range cases {
		name := fmt.Sprintf("f%d", i)
		tc.spoke.markers = strings.Trim(tc.rule+", "+tc.spoke.markers, ", ")
		if strings.Contains(tc.rule, ", ") {
			tc.spoke.markers = strings.TrimPrefix(strings.TrimPrefix(tc.spoke.markers, tc.rule), ", ")
			fmt.Fprintf(spoke, "// %s\n", tc.rule)
		}
		spoke.WriteString(tc.spoke.field(name))
		if tc.hub != (side{}) {
			hub.WriteString(tc.hub.field(name))
		}
		if tc.want != "" {
			want[tc.name] = fmt.Sprintf("spec.%s%s: %s", name, tc.part, tc.want)
		}
	}
	key := func(rule, name, json string) string {
		return fmt.Sprintf("type Keyed struct {\n\t// %s\n\t%s string `json:%q`\n}", rule, name, json)
	}
	types := func(most int, union, key string) string {
		return fmt.Sprintf(`
// +kubebuilder:validation:MaxLength=%d
type Short string
// +kubebuilder:validation:items:MaxLength=%[1]d
type Shorts []string
type Word string
// +kubebuilder:validation:Enum=a;bbb
type Closed string
const (
	One Word = "one"
	Two Word = "two"
)
// %[2]s
type Union struct { A string `+"`json:\"a,omitempty\"`"+` }
type Named struct {
	// +kubebuilder:validation:MaxLength=3
	Name string `+"`json:\"name\"`"+`
}
type Entry struct {
	// +kubebuilder:validation:MaxLength=3
	Name string `+"`json:\"name\"`"+`
	Value string `+"`json:\"value\"`"+`
}
type Free struct {
	Name string `+"`json:\"name\"`"+`
	Value string `+"`json:\"value\"`"+`
}
%[3]s
`, most, union, key)
	}
	_, diags := plan(t, "type Spec struct {\n"+spoke.String()+"}\n"+types(4, "", key("+webhook:conversion:to=\"id\"", "Name", "name")), "type Spec struct {\n"+hub.String()+"}\n"+types(3, "+kubebuilder:validation:MaxProperties=1", key("", "ID", "id")))
	got := map[string]string{}
	for _, d := range diags {
		if d.Rule == RuleBeside { // the spec is optional
			continue
		}
		if d.Rule != RuleBounds {
			t.Errorf("%s [%s]", d.Message, d.Rule)
			continue
		}
		var i int
		if _, err := fmt.Sscanf(d.Message, "spec.f%d", &i); err != nil {
			t.Fatal(d.Message)
		}
		if other, ok := got[cases[i].name]; ok {
			t.Errorf("%s: a second finding %s beside %s", cases[i].name, d.Message, other)
		}
		got[cases[i].name] = d.Message
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if names := slices.Sorted(maps.Keys(want)); len(names) < 40 {
		t.Errorf("only %d cases with a finding: %v", len(names), names)
	}
}
