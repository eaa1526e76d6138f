// SPDX-License-Identifier: Apache-2.0

package celcheck

import (
	"slices"
	"strings"
)

// condition is a boolean expression of CEL.
type condition interface {
	// text is the expression, and level how tightly it binds: 1 for ||, 2 for &&, 3 for comparisons, 4 for the rest.
	text() (expression string, level int)
	// not is the opposite.
	not() condition
}

// atom is an expression with a known opposite, which may be empty.
type atom struct {
	yes, no  string
	level    int
	opposite int
}

func (a atom) text() (string, int) { return a.yes, a.level }
func (a atom) not() condition      { return atom{a.no, a.yes, a.opposite, a.level} }

// truth is a value of type bool.
func truth(cel string) condition {
	return atom{yes: cel, no: "!" + cel, level: 4, opposite: 4}
}

// comparison compares two values.
func comparison(a, operator, b string) condition {
	opposite := map[string]string{"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}[operator]
	return atom{a + " " + operator + " " + b, a + " " + opposite + " " + b, 3, 3}
}

// among is a test of a value in a list, or of a key in a map.
func among(value, list string) condition {
	return atom{value + " in " + list, "!(" + value + " in " + list + ")", 3, 4}
}

// joined are conditions. All must hold, or any.
type joined struct {
	all   bool
	parts []condition
}

func (j joined) text() (string, int) {
	word, own := " || ", 1
	if j.all {
		word, own = " && ", 2
	}
	var texts []string
	for _, p := range j.parts {
		text, level := p.text()
		if level <= 2 && level != own {
			text = "(" + text + ")"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, word), own
}

func (j joined) not() condition {
	n := joined{all: !j.all}
	for _, p := range j.parts {
		n.parts = append(n.parts, p.not())
	}
	return n
}

// join joins conditions; nil stands for one that always holds.
func join(all bool, parts ...condition) condition {
	j := joined{all: all}
	for _, p := range parts {
		switch inner, ok := p.(joined); {
		case p == nil:
		case ok && inner.all == all:
			j.parts = append(j.parts, inner.parts...)
		default:
			j.parts = append(j.parts, p)
		}
	}
	switch len(j.parts) {
	case 0:
		return nil
	case 1:
		return j.parts[0]
	}
	return j
}

// some holds if a condition on an element of a list holds for one of them, or with each for all of them.
type some struct {
	list, element string
	each          bool
	body          condition
}

func (s some) text() (string, int) {
	word := "exists"
	if s.each {
		word = "all"
	}
	body, _ := s.body.text()
	return s.list + "." + word + "(" + s.element + ", " + body + ")", 4
}

func (s some) not() condition { return some{s.list, s.element, !s.each, s.body.not()} }

// path is a value inside of an object.
type path struct {
	// root is object, oldObject, or the element of a list.
	root  string
	steps []step
}

// step is a field, or a key of a map in quotes.
type step struct {
	name     string
	optional bool
	key      bool
	// nullable is a pointer that is null in JSON where it is nil.
	nullable bool
}

// with returns the path with another step.
func (p path) with(s step) path {
	return path{p.root, append(slices.Clone(p.steps), s)}
}

// write writes the path. From the first step that may be missing, all steps are optional; that the last step of a
// present path counts as one that is there. maybe is true if the result is an optional value.
func (p path) write(present bool) (text string, maybe bool) {
	text = p.root
	for i, s := range p.steps {
		optional := s.optional && (i < len(p.steps)-1 || !present)
		switch maybe = maybe || optional; {
		case s.key && maybe:
			text += "[?" + s.name + "]"
		case s.key:
			text += "[" + s.name + "]"
		case maybe:
			text += ".?" + s.name
		default:
			text += "." + s.name
		}
	}
	return text, maybe
}

// isThere is the condition that the value is there.
func (p path) isThere() condition {
	text, maybe := p.write(true)
	outer, last := path{p.root, p.steps[:len(p.steps)-1]}, p.steps[len(p.steps)-1]
	if last.nullable {
		plain := p.root
		for _, s := range p.steps {
			plain, _ = path{plain, []step{{name: s.name, key: s.key}}}.write(true)
		}
		return join(true, outer.with(step{name: last.name, optional: last.optional}).isThere(), comparison(plain, "!=", "null"))
	}
	switch {
	case maybe:
		return truth(text + ".hasValue()")
	case last.key:
		text, _ := outer.write(true)
		return among(last.name, text)
	}
	return truth("has(" + text + ")")
}

// read is the value, and zero where it is missing. present says that the last step is there.
func (p path) read(zero string, present bool) string {
	text, maybe := p.write(present)
	if maybe {
		return text + ".orValue(" + zero + ")"
	}
	return text
}
