// SPDX-License-Identifier: Apache-2.0

package conversiontest

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func object(o any) metav1.Object { return o.(metav1.Object) }

// text returns a value in JSON, with members in order.
func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// writes reports whether a value can be written. A type that encodes itself may refuse the content of its fields, for
// example if a partial object lacks one.
func writes(v any) bool {
	_, err := json.Marshal(v)
	return err == nil
}

// wire returns a copy of an object as it arrives when it is sent: values that JSON does not tell apart are the same.
func wire[T any](o *T) *T {
	arrived := new(T)
	if err := json.Unmarshal([]byte(text(o)), arrived); err != nil {
		return o // the comparisons then show this
	}
	return arrived
}

// tree returns an object as JSON has it. It sends the object once more where that can make a difference: a struct with
// omitzero that contains only an empty list is written as an empty object, and arrives as nothing.
func tree(o any) map[string]any {
	written := text(o)
	if strings.Contains(written, "{}") {
		if arrived := reflect.New(reflect.TypeOf(o).Elem()).Interface(); json.Unmarshal([]byte(written), arrived) == nil {
			written = text(arrived)
		}
	}
	var members map[string]any
	decoder := json.NewDecoder(strings.NewReader(written))
	decoder.UseNumber()
	if err := decoder.Decode(&members); err != nil {
		return map[string]any{"error": err.Error()}
	}
	return members
}

// decoded returns the object of a tree.
func decoded[T any](tree map[string]any) *T {
	o := new(T)
	if json.Unmarshal([]byte(text(tree)), o) != nil {
		return new(T)
	}
	return o
}

// common are the members that all versions have in common.
var common = []string{"apiVersion", "kind", "metadata"}

// bodyOf returns an object as JSON has it, without type, metadata and dropped fields.
func bodyOf(o any, dropped []string) map[string]any {
	body := tree(o)
	for _, path := range slices.Concat(common, dropped) {
		remove(body, strings.Split(path, "."))
	}
	return body
}

// addition is a member that is added to an object, in the format of the annotation.
type addition struct {
	At []string `json:"at"`
	Is any      `json:"is"`
}

// additions returns the members that want has and base lacks, in the order of their names.
func additions(at []string, base, want map[string]any) (added []addition) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		here := append(slices.Clone(at), name)
		value, there := base[name]
		if !there {
			added = append(added, addition{here, want[name]})
			continue
		}
		inner, isObject := value.(map[string]any)
		more, areMembers := want[name].(map[string]any)
		if isObject && areMembers {
			added = append(added, additions(here, inner, more)...)
		}
	}
	return added
}

// remove deletes the value at a path, and the parts around it that contain nothing else.
func remove(v any, path []string) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			remove(e, path)
		}
	case map[string]any:
		if len(path) > 1 {
			remove(v[path[0]], path[1:])
			if inner, ok := v[path[0]].(map[string]any); !ok || len(inner) > 0 {
				return
			}
		}
		delete(v, path[0])
	}
}

// replace sets the value at a path through objects, or deletes it if the new value is nil.
func replace(members map[string]any, path []string, value any) {
	for _, name := range path[:len(path)-1] {
		inner, ok := members[name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			members[name] = inner
		}
		members = inner
	}
	if members[path[len(path)-1]] = value; value == nil {
		delete(members, path[len(path)-1])
	}
}

// metadata returns an object's metadata in JSON, without annotations, and without labels that the conversion itself
// reads and writes.
func metadata(o any, own []string) string {
	m, _ := tree(o)["metadata"].(map[string]any)
	delete(m, "annotations")
	labels, _ := m["labels"].(map[string]any)
	for _, key := range own {
		delete(labels, key)
	}
	return text(m)
}

// typeOf returns an object's group, version and kind.
func typeOf(o any) schema.GroupVersionKind {
	t := tree(o)
	apiVersion, _ := t["apiVersion"].(string)
	kind, _ := t["kind"].(string)
	return schema.FromAPIVersionAndKind(apiVersion, kind)
}

// nodes returns the members and elements below a value, by path and in order.
func nodes(v any) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) { walkNodes("", v, yield) }
}

func walkNodes(at string, v any, yield func(string, any) bool) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			path := join(at, name)
			if !yield(path, v[name]) || !walkNodes(path, v[name], yield) {
				return false
			}
		}
	case []any:
		for i, e := range v {
			path := fmt.Sprintf("%s[%d]", at, i)
			if !yield(path, e) || !walkNodes(path, e, yield) {
				return false
			}
		}
	}
	return true
}

func join(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }

// below reports whether a path is the same as another one or leads on from it.
func below(path, other string) bool {
	rest, ok := strings.CutPrefix(path, other)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// withoutIndexes returns a path without the indexes of lists.
func withoutIndexes(path string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(path, "[") {
		if _, after, ok := strings.Cut(part, "]"); ok && b.Len() > 0 {
			part = after
		}
		b.WriteString(part)
	}
	return b.String()
}

func isContainer(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// isZero reports whether a value is the JSON of a Go zero value, including the zero values of metav1.Duration and
// resource.Quantity. Objects and lists count as zero, because only their content has values.
func isZero(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case bool:
		return !v
	case string:
		return v == "" || v == "0" || v == "0s"
	case json.Number:
		return v == "0"
	}
	return isContainer(v)
}

// equal reports whether JSON has the same text for two values of trees.
func equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, equal)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	}
	return text(a) == text(b)
}

// differing returns the paths at which two trees differ; a list is compared as a whole.
func differing(a, b any) []string {
	var paths []string
	var compare func(at string, a, b any)
	compare = func(at string, a, b any) {
		x, isObject := a.(map[string]any)
		y, isObject2 := b.(map[string]any)
		if !isObject || !isObject2 {
			if !equal(a, b) {
				paths = append(paths, at)
			}
			return
		}
		for _, name := range namesOf(x, y) {
			_, in := x[name]
			if _, in2 := y[name]; in != in2 {
				paths = append(paths, join(at, name))
				continue
			}
			compare(join(at, name), x[name], y[name])
		}
	}
	compare("", a, b)
	return paths
}

// namesOf returns the names of the members that either of two objects has, in order.
func namesOf(x, y map[string]any) []string {
	names := map[string]bool{}
	for name := range x {
		names[name] = true
	}
	for name := range y {
		names[name] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// listAt returns the list at a path through objects, or nil if there is no list.
func listAt(v any, path string) []any {
	for name := range strings.SplitSeq(path, ".") {
		members, _ := v.(map[string]any)
		v = members[name]
	}
	list, _ := v.([]any)
	return list
}

// place is a member of an object in a tree, with the value that another tree has there.
type place struct {
	path  string
	in    map[string]any
	name  string
	other any // nil if the other tree has no value
}

// places returns the members of a tree for which choose returns true. It visits objects but not lists.
func places(tree, other map[string]any, choose func(mine, other any) bool) []place {
	var all []place
	var visit func(at string, mine, other map[string]any)
	visit = func(at string, mine, other map[string]any) {
		for _, name := range namesOf(mine, other) {
			if at == "" && slices.Contains(common, name) {
				continue
			}
			path := join(at, name)
			if choose(mine[name], other[name]) {
				all = append(all, place{path, mine, name, other[name]})
			}
			if inner, ok := mine[name].(map[string]any); ok {
				theirs, _ := other[name].(map[string]any)
				visit(path, inner, theirs)
			}
		}
	}
	visit("", tree, other)
	return all
}

// exchange gives one member of a tree the value that it has in another tree, and returns its path. The path is empty if
// the trees are the same.
func exchange(tree, other map[string]any, random *rand.Rand) string {
	all := places(tree, other, func(mine, other any) bool { return !equal(mine, other) })
	if len(all) == 0 {
		return ""
	}
	p := all[random.IntN(len(all))]
	if p.in[p.name] = p.other; p.other == nil {
		delete(p.in, p.name)
	}
	return p.path
}

// changeList changes one list of a tree and returns its path. The path is empty if no list has elements.
func changeList(tree, other map[string]any, random *rand.Rand, change func(list, other []any, random *rand.Rand) []any) string {
	all := places(tree, other, func(mine, _ any) bool {
		list, ok := mine.([]any)
		return ok && len(list) > 0
	})
	if len(all) == 0 {
		return ""
	}
	p := all[random.IntN(len(all))]
	theirs, _ := p.other.([]any)
	p.in[p.name] = change(p.in[p.name].([]any), theirs, random)
	return p.path
}

func reordered(list, _ []any, _ *rand.Rand) []any {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// inserted inserts an element of another object's list.
func inserted(list, other []any, random *rand.Rand) []any {
	if len(other) == 0 {
		return list
	}
	return slices.Insert(slices.Clone(list), random.IntN(len(list)+1), other[0])
}

func removed(list, _ []any, random *rand.Rand) []any {
	i := random.IntN(len(list))
	return slices.Delete(slices.Clone(list), i, i+1)
}

// cut removes members of an object at random. In an element of a list, it leaves members that may be the key.
func cut(object map[string]any, random *rand.Rand) map[string]any {
	var visit func(v any, element bool)
	visit = func(v any, element bool) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				if random.IntN(3) == 0 && (!element || isContainer(v[name])) {
					delete(v, name)
				} else {
					visit(v[name], false)
				}
			}
		case []any:
			for _, e := range v {
				visit(e, true)
			}
		}
	}
	visit(object, false)
	return object
}
