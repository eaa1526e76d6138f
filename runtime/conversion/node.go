// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// maxChanges is how many changes an annotation keeps of one version.
const maxChanges = 8192

// node is a place in an object, with its own change, if there is one, and with the nodes below it.
type node struct {
	step  step
	plan  *plan
	shape *wire.Shape // nil if there is no Go type
	leaf  *change
	below []*node          // in the order of the changes
	one   [1]*node         // the memory of below, which often has one node
	index map[string]*node // of below, if there are many
}

// nodesOf makes a tree of changes. If several changes have the same place, the first one counts.
func nodesOf(changes []change, l layout) *node {
	root := &node{plan: l.plan, shape: l.whole}
	made := make([]node, 0, 2*len(changes))
	for i := range changes {
		n := root
		for _, s := range changes[i].At {
			n = n.child(s, &made)
		}
		if n.leaf == nil {
			n.leaf = &changes[i]
		}
	}
	return root
}

// fewNodes is how many nodes are searched one after the other.
const fewNodes = 32

// child returns the node below for a step. It takes a new node from made, as far as this has room.
func (n *node) child(s step, made *[]node) *node {
	if n.index == nil {
		if i := slices.IndexFunc(n.below, func(c *node) bool { return c.step.is(s) }); i >= 0 {
			return n.below[i]
		}
		if len(n.below) == fewNodes {
			n.index = make(map[string]*node, 2*fewNodes)
			for _, c := range n.below {
				n.index[c.step.text()] = c
			}
		}
	} else if c := n.index[s.text()]; c != nil {
		return c
	}
	if len(*made) == cap(*made) {
		*made = make([]node, 0, fewNodes)
	}
	shape, _ := shapeBelow(n.shape, s)
	*made = append(*made, node{step: s, plan: n.plan.below(s), shape: shape})
	c := &(*made)[len(*made)-1]
	if n.index != nil {
		n.index[s.text()] = c
	}
	if n.below == nil {
		n.below = n.one[:0]
	}
	n.below = append(n.below, c)
	return c
}

// spread returns the node with the change that adds a struct as changes that add its members. It has no change if the
// value is something else.
func (n *node) spread() *node {
	s := &node{step: n.step, plan: n.plan, shape: n.shape}
	var members map[string]json.RawMessage
	if n.shape != nil && n.shape.Target().Kind == wire.Structure && json.Unmarshal(n.leaf.Is, &members) == nil {
		made := make([]node, 0, len(members))
		for _, name := range slices.Sorted(maps.Keys(members)) {
			s.child(step{name: name}, &made).leaf = &change{Is: members[name]}
		}
	}
	return s
}

// keyText returns the values of keys as one text.
func keyText(values []any) string {
	var b []byte
	for _, value := range values {
		if text, ok := value.(string); ok {
			b = strconv.AppendQuote(b, text)
		} else {
			b = strconv.AppendQuote(b, fmt.Sprint(value))
		}
	}
	return string(b)
}

// table finds the elements of a list by keys.
type table struct {
	key     step
	first   map[string]int
	several map[string]bool
}

// tableOf reads all elements of a list once.
func tableOf(list []any, key step) *table {
	t := &table{key: key, first: make(map[string]int, len(list))}
	for i, e := range list {
		t.add(keyText(key.to(e).values), i)
	}
	return t
}

// add adds the element with the keys of a text.
func (t *table) add(text string, i int) {
	if _, ok := t.first[text]; ok {
		put(&t.several, text, true)
	} else {
		t.first[text] = i
	}
}

// find returns the index of the first element to which a step leads, or -1, and whether there are several.
func (t *table) find(s step) (int, bool) { return t.at(keyText(s.values)) }

func (t *table) at(text string) (int, bool) {
	if i, ok := t.first[text]; ok {
		return i, t.several[text]
	}
	return -1, false
}

// unique reports whether all elements are objects and the keys identify each of them.
func (t *table) unique(list []any) bool {
	return len(t.several) == 0 && !slices.ContainsFunc(list, func(e any) bool {
		_, ok := e.(map[string]any)
		return !ok
	})
}

// tables are the tables of one list: for its keys, and for the keys of its one element.
type tables []*table

// find returns the index of the first element of the list to which a step leads, or -1, and whether there are several.
func (t *tables) find(list []any, s step, w *work) (int, bool) {
	i := slices.IndexFunc(*t, func(t *table) bool { return slices.Equal(t.key.keys, s.keys) })
	if i < 0 {
		if !w.take(len(list) * (len(s.keys) + 1) * tableCost) {
			return -1, false
		}
		i = len(*t)
		*t = append(*t, tableOf(list, s))
	}
	return (*t)[i].find(s)
}

// tableCost is about how many bytes a table takes for a key of an element.
const tableCost = 16
