// SPDX-License-Identifier: Apache-2.0

package worlds

import (
	"fmt"
	"go/format"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// world is an invented API: a kind Order in several versions. The last one is the hub.
type world struct {
	name     string // also the first label of the group
	seed     uint64
	versions []*version
	features map[string]int    // what the invention used
	changes  map[int]string    // by the id of a field: how its versions differ
	theme    string            // the special feature
	second   bool              // whether each package has a second kind, Item, with the same spec
	hooks    map[string]string // the user's functions, by their name
	next     int               // the last id
}

// version is a version of the kind.
type version struct {
	name  string
	hub   bool
	root  *structure // the kind without type and metadata
	rules []string   // on the kind
}

// structure is a struct type.
type structure struct {
	name   string
	fields []*field
	marks  []string
}

// field is a field of a struct. Fields of several versions that represent the same value share an id.
type field struct {
	id       int
	also     []int // ids of further fields whose values this one holds
	goName   string
	json     string
	t        *typ
	tag      string // "", "omitempty" or "omitzero"
	embedded bool
	shadows  bool     // an embedded struct has a field of the same JSON name
	plain    bool     // the counterpart holds the same JSON
	marks    []string // comment lines about validation and defaults
	rules    []string // conversion rules, without their prefix
	fallback any      // the default; nil for none
	limits   limits
}

// limits are the bounds of a value, from the markers of its field.
type limits struct {
	enum     []string
	min, max *int64 // of a number, a length or the number of items
	required bool
	preserve bool // of members that Go does not have
}

type kind int

const (
	text kind = iota
	integer
	long
	boolean
	duration
	moment
	quantity
	intOrText
	structKind
	pointer
	list
	dictionary
	named // a type of its own in Go, such as a recursive one
)

// typ is a Go type.
type typ struct {
	kind      kind
	elem      *typ       // of a pointer, list or dictionary
	structure *structure // of structKind
	keys      []string   // the JSON names of a keyed list's keys
	set       bool       // the list is a set
	name      string     // of a named type
	source    string     // the declaration of a named type
}

var goNames = map[kind]string{text: "string", integer: "int32", long: "int64", boolean: "bool", duration: "metav1.Duration", moment: "metav1.Time",
	quantity: "resource.Quantity", intOrText: "intstr.IntOrString"}

func (t *typ) expression() string {
	switch t.kind {
	case structKind:
		return t.structure.name
	case pointer:
		return "*" + t.elem.expression()
	case list:
		return "[]" + t.elem.expression()
	case dictionary:
		return "map[string]" + t.elem.expression()
	case named:
		return t.name
	}
	return goNames[t.kind]
}

// scalar reports whether JSON has no further values inside.
func (t *typ) scalar() bool { return t.kind <= intOrText }

// plainValue returns the type behind pointers.
func (t *typ) value() *typ {
	for t.kind == pointer {
		t = t.elem
	}
	return t
}

// inner returns the struct in a type, or in its elements.
func (t *typ) inner() *structure {
	for t.elem != nil {
		t = t.elem
	}
	return t.structure
}

// holds reports whether a value of the type may have a field inside.
func (t *typ) holds(id int) bool {
	s := t.inner()
	return s != nil && slices.ContainsFunc(s.members(), func(f *field) bool { return slices.Contains(f.ids(), id) || f.t.holds(id) })
}

// member returns the field of a JSON name; an embedded struct's fields are the struct's own, unless it has one itself.
func (s *structure) member(name string) *field {
	for _, f := range s.fields {
		if !f.embedded && f.json == name {
			return f
		}
	}
	for _, f := range s.fields {
		if f.embedded {
			if found := f.t.inner().member(name); found != nil {
				return found
			}
		}
	}
	return nil
}

// members returns the fields in JSON, with the fields of embedded structs.
func (s *structure) members() []*field {
	var all []*field
	for _, f := range s.fields {
		if !f.embedded {
			all = append(all, f)
		}
	}
	for _, f := range s.fields {
		if f.embedded {
			for _, inner := range f.t.inner().members() {
				if !slices.ContainsFunc(all, func(other *field) bool { return other.json == inner.json }) {
					all = append(all, inner)
				}
			}
		}
	}
	return all
}

// ids returns the ids of a field.
func (f *field) ids() []int { return append([]int{f.id}, f.also...) }

// copier copies types. A struct that occurs twice is copied once.
type copier map[*structure]*structure

func (c copier) structure(s *structure) *structure {
	if s == nil {
		return nil
	}
	if done := c[s]; done != nil {
		return done
	}
	twin := &structure{name: s.name, marks: slices.Clone(s.marks)}
	c[s] = twin
	for _, f := range s.fields {
		g := *f
		g.t, g.marks, g.rules, g.also = c.typ(f.t), slices.Clone(f.marks), slices.Clone(f.rules), slices.Clone(f.also)
		twin.fields = append(twin.fields, &g)
	}
	return twin
}

func (c copier) typ(t *typ) *typ {
	if t == nil {
		return nil
	}
	twin := *t
	twin.elem, twin.structure = c.typ(t.elem), c.structure(t.structure)
	return &twin
}

// without returns a copy of the world that lacks the fields with some ids, and the rules with some texts.
func (w *world) without(cut map[int]bool) *world {
	twin := *w
	twin.versions, twin.changes = nil, maps.Clone(w.changes)
	for _, v := range w.versions {
		c := copier{}
		other := &version{v.name, v.hub, c.structure(v.root), slices.Clone(v.rules)}
		for _, s := range c {
			s.fields = slices.DeleteFunc(s.fields, func(f *field) bool { return cut[f.id] })
		}
		twin.versions = append(twin.versions, other)
	}
	return &twin
}

// structures returns the structs of a version in the order of their first use.
func (v *version) structures() []*structure {
	var all []*structure
	var add func(s *structure)
	add = func(s *structure) {
		if s == nil || slices.Contains(all, s) {
			return
		}
		all = append(all, s)
		for _, f := range s.fields {
			add(f.t.inner())
		}
	}
	add(v.root)
	return all
}

// hubVersion returns the hub.
func (w *world) hub() *version { return w.versions[len(w.versions)-1] }

// version returns the version of a name.
func (w *world) version(name string) *version {
	return w.versions[slices.IndexFunc(w.versions, func(v *version) bool { return v.name == name })]
}

// source returns the file of a version's types, and the ids of the field on each line.
func (w *world) source(v *version) (string, map[int]int) {
	var b strings.Builder
	lines := map[int]int{}
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	kinds := []string{"Order"}
	if w.second {
		kinds = append(kinds, "Item")
	}
	for _, kind := range kinds {
		line("")
		line("// +kubebuilder:object:root=true")
		if v.hub {
			line("// +kubebuilder:storageversion")
			line("// +webhook:conversion:hub")
		} else {
			line("// +webhook:conversion:spoke")
		}
		for _, rule := range v.rules {
			line("// +webhook:conversion:%s", rule)
		}
		for _, mark := range v.root.marks {
			line("// %s", mark)
		}
		line("type %s struct {", kind)
		line("\tmetav1.TypeMeta   `json:\",inline\"`")
		line("\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`")
		w.fields(&b, lines, v.root)
		line("}")
	}
	for _, s := range v.structures()[1:] {
		line("")
		for _, mark := range s.marks {
			line("// %s", mark)
		}
		line("type %s struct {", s.name)
		w.fields(&b, lines, s)
		line("}")
	}
	declared := map[string]bool{}
	for _, s := range v.structures() {
		for _, f := range s.fields {
			if f.t.value().kind == named && !declared[f.t.value().name] {
				declared[f.t.value().name] = true
				line("\n%s", f.t.value().source)
			}
		}
	}
	imports := ""
	for _, known := range [][2]string{{"metav1", "k8s.io/apimachinery/pkg/apis/meta/v1"}, {"resource", "k8s.io/apimachinery/pkg/api/resource"},
		{"intstr", "k8s.io/apimachinery/pkg/util/intstr"}} {
		if regexp.MustCompile(`\b` + known[0] + `\.[A-Z]`).MatchString(b.String()) {
			imports += fmt.Sprintf("\t%s %q\n", known[0], known[1])
		}
	}
	head := fmt.Sprintf("// Package %s is invented.\n//\n// +groupName=%s.example.com\npackage %[1]s\n\nimport (\n%[3]s)\n", v.name, w.name, imports)
	moved := map[int]int{}
	for at, id := range lines {
		moved[at+strings.Count(head, "\n")] = id
	}
	return head + b.String(), moved
}

// hand is the file of the user's functions.
func (w *world) hand() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(w.hooks)) {
		fmt.Fprintf(&b, "\nfunc (Hand) %s(_ context.Context, %s\n", name, w.hooks[name])
	}
	imports := ""
	if strings.Contains(b.String(), "strings.") {
		imports = "\t\"strings\"\n"
	}
	return fmt.Sprintf("package %s\n\nimport (\n\t\"context\"\n%s\n\tapi %q\n\thub %q\n)\n\ntype Hand struct{}\n%s", w.versions[0].name, imports,
		module+"/"+w.name+"/api/"+w.versions[0].name, module+"/"+w.name+"/api/"+w.hub().name, &b)
}

// formatted is Go code as gofmt writes it.
func formatted(text string) []byte {
	pretty, err := format.Source([]byte(text))
	if err != nil {
		return []byte(text)
	}
	return pretty
}

func (w *world) fields(b *strings.Builder, lines map[int]int, s *structure) {
	for _, f := range s.fields {
		mark := func(text string) {
			lines[strings.Count(b.String(), "\n")+1] = f.id
			fmt.Fprintf(b, "\t%s\n", text)
		}
		for _, rule := range f.rules {
			mark("// +webhook:conversion:" + rule)
		}
		for _, text := range f.marks {
			mark("// " + text)
		}
		if f.embedded {
			mark(f.t.expression() + " `json:\",inline\"`")
			continue
		}
		tag := f.json
		if f.tag != "" {
			tag += "," + f.tag
		}
		mark(f.goName + " " + f.t.expression() + " `json:\"" + tag + "\"`")
	}
}
