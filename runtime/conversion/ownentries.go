// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"encoding/json"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// ownEntries are the annotations or the labels of an object. Rules of the conversion use the keys for fields and other
// entries of the other version.
type ownEntries struct {
	name  string // of the member of metadata
	keys  []string
	of    func(metav1.Object) map[string]string
	set   func(metav1.Object, map[string]string)
	valid func(value string) bool
}

// ownEntries returns the entries that the schema of a kind names.
func (s Schema) ownEntries() []ownEntries {
	var all []ownEntries
	if len(s.Annotations) > 0 {
		all = append(all, ownEntries{"annotations", s.Annotations, metav1.Object.GetAnnotations, metav1.Object.SetAnnotations, func(string) bool { return true }})
	}
	if len(s.Labels) > 0 {
		all = append(all, ownEntries{"labels", s.Labels, metav1.Object.GetLabels, metav1.Object.SetLabels, func(value string) bool { return len(validation.IsValidLabelValue(value)) == 0 }})
	}
	return all
}

// ownEntries records the entries of an object that did not come back under the keys of the schema.
func (c *comparison) ownEntries(schema Schema, said, returned metav1.Object) error {
	for _, e := range schema.ownEntries() {
		for _, key := range e.keys {
			want, base := valueOfEntry(e.of(said), key), valueOfEntry(e.of(returned), key)
			if err := c.replace([]step{{name: "metadata"}, {name: e.name}, {name: key}}, base, want); err != nil {
				return err
			}
		}
	}
	return nil
}

// valueOfEntry returns an entry as JSON has it, or absent.
func valueOfEntry(entries map[string]string, key string) any {
	if value, ok := entries[key]; ok {
		return value
	}
	return absent{}
}

// ownEntries applies the changes of entries under the keys of the schema.
func (r *restoring) ownEntries(object metav1.Object, root *node) {
	for _, e := range root.plan.ownEntries() {
		was, before := e.of(object), r.applied
		entries := maps.Clone(was)
		for _, child := range root.within("metadata", e.name) {
			c, key := child.leaf, child.step.name
			if c == nil || !slices.Contains(e.keys, key) || !c.holds(valueOfEntry(entries, key)) {
				continue
			}
			var value string
			switch {
			case c.Is == nil:
				delete(entries, key)
			case json.Unmarshal(c.Is, &value) != nil || c.Is[0] != '"' || !e.valid(value):
				continue
			default:
				put(&entries, key, value)
			}
			r.applied++
		}
		if r.applied > before {
			if len(entries) == 0 {
				entries = nil
			}
			e.set(object, entries)
			r.undo = append(r.undo, func() { e.set(object, was) })
		}
	}
}

// within returns the nodes below a path of names.
func (n *node) within(path ...string) []*node {
	for _, name := range path {
		if n = n.index[name]; n == nil {
			return nil
		}
	}
	return n.below
}
