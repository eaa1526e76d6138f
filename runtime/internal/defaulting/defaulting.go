// SPDX-License-Identifier: Apache-2.0

// Package defaulting sets the defaults of Kubernetes' own kinds in objects that were read from JSON, as an API server
// does when it decodes them. Its table is derived from k8s.io/kubernetes, and is compared there with the defaults of
// random objects. The rounding of quantities to thousandths is not in it.
//
// The runtime has the same files: a change belongs into both. The test that writes the table compares them.
package defaulting

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed table.json
var text []byte

// Rule sets a member of an object to a value, or to a copy of another member.
type Rule struct {
	// Path is the member: "ports[].protocol". A step that ends in [] stands for every element of a list. A step that ends
	// in ? is a pointer in Go: the rule has no effect without it. Other steps are created.
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
	// From is a member beside the one that Path names, or, after a slash, one of the object that has the rule. If Zero is
	// not set, a map gets the keys of it that it lacks.
	From string `json:"from,omitempty"`
	// Image is a member beside it with the name of an image, which decides the pull policy.
	Image string `json:"image,omitempty"`
	// Zero sets the member also if it is false, 0 or empty. Always sets it whatever it is, and removes it without a value.
	Zero   bool `json:"zero,omitempty"`
	Always bool `json:"always,omitempty"`
	// When lists members with the values that they may have: null stands for none.
	When map[string][]any `json:"when,omitempty"`
	// Has and Lacks list members that must have a value, and that must have none.
	Has   []string `json:"has,omitempty"`
	Lacks []string `json:"lacks,omitempty"`
	// Beside sets the member if the object has no others than these.
	Beside []string `json:"beside,omitempty"`
	// Negative sets the member only if it is a number below 0.
	Negative bool `json:"negative,omitempty"`
}

// Node has the rules of a Go type, in the order in which they are applied.
type Node struct {
	Rules []Rule `json:"rules,omitempty"`
	// Inner names the nodes of members, by path.
	Inner map[string]string `json:"inner,omitempty"`
}

// Table has the rules of kinds.
type Table struct {
	// Kinds names the node of each kind, by apiVersion and kind: "apps/v1 Deployment". The name is empty if it has no
	// defaults.
	Kinds map[string]string `json:"kinds"`
	Nodes map[string]Node   `json:"nodes"`
}

// Kubernetes returns the table of Kubernetes' own kinds. Callers must not change it.
//
//nolint:gochecknoglobals // read once
var Kubernetes = sync.OnceValue(func() *Table {
	t := &Table{}
	_ = t.UnmarshalJSON(text) // a test writes the text, and reads it
	return t
})

// UnmarshalJSON reads a table. Whole numbers in its values become int64, as in objects.
func (t *Table) UnmarshalJSON(text []byte) error {
	type plain Table
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode((*plain)(t)); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("text after the table")
	}
	for _, n := range t.Nodes {
		for i := range n.Rules {
			n.Rules[i].Value = integers(n.Rules[i].Value)
			for _, values := range n.Rules[i].When {
				for j := range values {
					values[j] = integers(values[j])
				}
			}
		}
	}
	return nil
}

// integers copies a value, with numbers as int64. No default is a fraction.
func integers(v any) any {
	switch v := v.(type) {
	case json.Number:
		n, _ := v.Int64() // a test writes the numbers
		return n
	case map[string]any:
		copied := make(map[string]any, len(v))
		for key, value := range v {
			copied[key] = integers(value)
		}
		return copied
	case []any:
		copied := make([]any, len(v))
		for i := range v {
			copied[i] = integers(v[i])
		}
		return copied
	}
	return v
}

// Has reports whether the table has the defaults of a kind.
func (t *Table) Has(apiVersion, kind string) bool {
	_, known := t.Kinds[apiVersion+" "+kind]
	return known
}

// Set sets the defaults in an object, which has its apiVersion and kind. It reports whether the table has the kind.
func (t *Table) Set(object map[string]any) bool {
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	if !t.Has(apiVersion, kind) {
		return false
	}
	t.set(object, t.Kinds[apiVersion+" "+kind])
	return true
}

// set applies the rules of a node, and then those of inner nodes.
func (t *Table) set(object map[string]any, name string) {
	n := t.Nodes[name]
	for i := range n.Rules {
		if r := &n.Rules[i]; r.applies(object) {
			visit(object, strings.Split(r.Path, "."), true, func(o map[string]any, member string) { r.set(object, o, member) })
		}
	}
	for _, path := range slices.Sorted(maps.Keys(n.Inner)) {
		visit(object, strings.Split(path+".*", "."), true, func(o map[string]any, _ string) { t.set(o, n.Inner[path]) })
	}
}

// visit calls a function with every object that has the last step of a path, and with that step. With create, it adds
// steps that an object of the Go type always has, if the function adds a member to them.
func visit(object map[string]any, path []string, create bool, f func(object map[string]any, member string)) {
	step := path[0]
	if len(path) == 1 {
		f(object, step)
		return
	}
	if list, ok := strings.CutSuffix(step, "[]"); ok {
		elements, _ := object[list].([]any)
		for _, e := range elements {
			if o, ok := e.(map[string]any); ok {
				visit(o, path[1:], create, f)
			}
		}
		return
	}
	name, isPointer := strings.CutSuffix(step, "?")
	inner, ok := object[name].(map[string]any)
	switch {
	case ok:
		visit(inner, path[1:], create, f)
	case create && !isPointer && object[name] == nil:
		inner = map[string]any{}
		if visit(inner, path[1:], create, f); len(inner) > 0 {
			object[name] = inner
		}
	}
}

// applies reports whether the conditions of a rule hold for the object that has it.
func (r *Rule) applies(object map[string]any) bool {
	for path, values := range r.When {
		v := find(object, path)
		if !slices.ContainsFunc(values, func(w any) bool { return reflect.DeepEqual(v, w) || w == nil && isZero(v) }) {
			return false
		}
	}
	return !slices.ContainsFunc(r.Has, func(path string) bool { return isZero(find(object, path)) }) &&
		!slices.ContainsFunc(r.Lacks, func(path string) bool { return find(object, path) != nil })
}

// find returns a member, or nil.
func find(object map[string]any, path string) any {
	var v any = object
	for step := range strings.SplitSeq(path, ".") {
		o, _ := v.(map[string]any)
		v = o[step]
	}
	return v
}

func isZero(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return reflect.ValueOf(v).IsZero()
}

// set sets the member of an object. whole is the object that has the rule.
func (r *Rule) set(whole, object map[string]any, member string) {
	was := object[member]
	if r.Beside != nil {
		for key, value := range object {
			if value != nil && !slices.Contains(r.Beside, key) {
				return
			}
		}
	}
	var value any
	switch {
	case r.From != "":
		value = integers(find(object, r.From))
		if path, ok := strings.CutPrefix(r.From, "/"); ok {
			value = integers(find(whole, path))
		}
		if added, ok := value.(map[string]any); ok && was != nil && !r.Zero {
			into, _ := was.(map[string]any)
			for key := range added {
				if into[key] == nil {
					into[key] = added[key]
				}
			}
			return
		}
	case r.Image != "":
		image, _ := object[r.Image].(string)
		value = "IfNotPresent"
		if isLatest(image) {
			value = "Always"
		}
	default:
		value = integers(r.Value)
	}
	isNothing := value == nil || r.From != "" && isZero(value)
	isOpen := was == nil || r.Zero && isZero(was)
	if r.Negative {
		number, _ := was.(int64)
		isOpen = number < 0
	}
	switch {
	case r.Always && isNothing:
		delete(object, member)
	case !isNothing && (r.Always || isOpen):
		object[member] = value
	}
}

const (
	hostPart  = `[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?`
	imageHost = `(?:` + hostPart + `(?:\.` + hostPart + `)*|\[[a-fA-F0-9:]+\])`
	imagePart = `[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*`
)

// The grammar of names of images (github.com/distribution/reference).
//
//nolint:gochecknoglobals // compiled once
var (
	imageName = regexp.MustCompile(`^(?:(` + imageHost + `(?::[0-9]+)?)/)?(` + imagePart + `(?:/` + imagePart + `)*)` +
		`(?::(\w[\w.-]{0,127}))?(@(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128}))?$`)
	imageID = regexp.MustCompile(`^[a-f0-9]{64}$`)
)

// isLatest reports whether an image is valid and has the tag latest, or neither a tag nor a digest.
func isLatest(image string) bool {
	parts := imageName.FindStringSubmatch(image)
	if parts == nil || imageID.MatchString(image) || len(parts[1])+len(parts[2]) > 254 {
		return false
	}
	return parts[3] == "latest" || parts[3] == "" && parts[4] == ""
}
