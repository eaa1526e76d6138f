// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// maxChanges is how many changes an annotation keeps of one version. It bounds the work of restoring an object, whoever
// wrote the annotation.
const maxChanges = 8192

// maxSteps is how many steps may lead to a kept value.
const maxSteps = 512

// node is a place in an object, with its own change, if there is one, and with the nodes below it.
type node struct {
	step  step
	leaf  *change
	below []*node // in the order of the changes
	index map[string]*node
}

// nodesOf makes a tree of changes. If several changes have the same place, the first one counts.
func nodesOf(changes []change) *node {
	root := new(node)
	for i := range changes {
		n := root
		for _, s := range changes[i].At {
			n = n.child(s)
		}
		if n.leaf == nil {
			n.leaf = &changes[i]
		}
	}
	return root
}

func (n *node) child(s step) *node {
	text := s.text()
	c := n.index[text]
	if c == nil {
		c = &node{step: s}
		if n.index == nil {
			n.index = make(map[string]*node, 1)
		}
		n.index[text] = c
		n.below = append(n.below, c)
	}
	return c
}

// text returns a text that identifies a step.
func (s step) text() string {
	if s.keys == nil {
		return s.name
	}
	names := namesOf(s.keys)
	return "[" + strings.Join(names, ",") + "]" + keyText(s.keys, names)
}

// namesOf returns the names of keys in order.
func namesOf(keys map[string]any) []string { return slices.Sorted(maps.Keys(keys)) }

// keyText returns the values of keys as one text.
func keyText(keys map[string]any, names []string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString(strconv.Quote(fmt.Sprint(keys[name])))
	}
	return b.String()
}

// table finds the elements of a list by keys, which are members or paths to them.
type table struct {
	names   []string
	first   map[string]int
	several map[string]bool
}

// tableOf reads all elements of a list once.
func tableOf(list []any, names []string) *table {
	t := &table{names: names, first: make(map[string]int, len(list)), several: map[string]bool{}}
	for i, e := range list {
		var b strings.Builder
		for _, name := range names {
			b.WriteString(strconv.Quote(fmt.Sprint(inside(e, name))))
		}
		if text := b.String(); t.has(text) {
			t.several[text] = true
		} else {
			t.first[text] = i
		}
	}
	return t
}

func (t *table) has(text string) bool {
	_, ok := t.first[text]
	return ok
}

// find returns the index of the first element with the keys, or -1, and whether there are several.
func (t *table) find(keys map[string]any) (int, bool) {
	text := keyText(keys, t.names)
	if i, ok := t.first[text]; ok {
		return i, t.several[text]
	}
	return -1, false
}

// in returns the element of a list with the keys, or absent.
func (t *table) in(list []any, keys map[string]any) any {
	if i, _ := t.find(keys); i >= 0 {
		return list[i]
	}
	return absent{}
}

// unique reports whether all elements are objects and the keys identify each of them.
func (t *table) unique(list []any) bool {
	return len(t.several) == 0 && !slices.ContainsFunc(list, func(e any) bool {
		_, ok := e.(map[string]any)
		return !ok
	})
}

// tableFor returns the table for the names of keys. A list has two tables at most: for its keys, and for the members
// that identify its one element.
func tableFor(tables *[]*table, list []any, keys map[string]any) *table {
	names := namesOf(keys)
	for _, t := range *tables {
		if slices.Equal(t.names, names) {
			return t
		}
	}
	if len(*tables) == 2 {
		return nil
	}
	t := tableOf(list, names)
	*tables = append(*tables, t)
	return t
}
