package convert

import (
	"fmt"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// Schema is what the stash has to know of a type that JSON does not tell: which members tell the
// elements of a list apart, and what may be lost.
type Schema struct {
	Keys []string
	// One tells the one element of a list that the other side has, as conversion.Schema.
	One      map[string]string
	Dropped  bool
	Members  map[string]*Schema
	Elements *Schema
}

// IsZero reports whether there is nothing to know.
func (s *Schema) IsZero() bool {
	return s == nil || len(s.Keys) == 0 && s.One == nil && !s.Dropped && len(s.Members) == 0 && s.Elements.IsZero()
}

// schemas are those of both sides of a pair. A struct inside itself ends them: a list in it is
// compared as a whole, and what is dropped of it is kept after all.
func schemas(root *Pair) (spoke, hub *Schema) {
	spoke, hub = &Schema{}, &Schema{}
	spoke.addPair(root, ToHub, map[*Pair]bool{})
	hub.addPair(root, FromHub, map[*Pair]bool{})
	for _, s := range []*Schema{spoke, hub} {
		delete(s.Members, "metadata") // it is nothing of a version's own
	}
	return spoke, hub
}

// addPair adds what a pair says of the side that a direction comes from.
func (s *Schema) addPair(p *Pair, from Direction, inside map[*Pair]bool) {
	if inside[p] || p.Opaque {
		return
	}
	inside[p] = true
	defer delete(inside, p)
	for _, c := range p.Claims {
		path := c.Spoke
		if from == FromHub {
			path = c.Hub
		}
		if path == nil || c.Value == nil && c.Verb != model.Drop {
			continue
		}
		below := &Schema{Dropped: c.Verb == model.Drop, Keys: listKeys(path.Last())}
		if c.Value != nil {
			below.addValue(c.Value, from, inside)
		}
		if !below.IsZero() {
			s.put(path.and(nil), below)
		}
	}
}

func (s *Schema) addValue(v *Value, from Direction, inside map[*Pair]bool) {
	outside := v.Outer != from // the side is the one with the list or struct
	switch {
	case v.Pair != nil:
		s.addPair(v.Pair, from, inside)
	case v.Op == Each || v.Op == Entries || v.Op == Keyed || (v.Op == First || v.Op == Element) && outside:
		if v.Op == Keyed && outside && s.Keys == nil {
			s.Keys = v.Member.and(nil)
		}
		if v.Op == First || v.Op == Element {
			s.One = v.one()
		}
		elements := &Schema{}
		if elements.addValue(v.Elem, from, inside); !elements.IsZero() {
			s.Elements = elements
		}
	case v.Op == Wrap && outside:
		below := &Schema{}
		if below.addValue(v.Elem, from, inside); !below.IsZero() {
			s.put(v.Member.and(nil), below)
		}
	case v.Elem != nil:
		s.addValue(v.Elem, from, inside)
	}
}

// one tells the element of a list that First and Element convert.
func (v *Value) one() map[string]string {
	told := map[string]string{}
	for _, c := range v.Constants {
		told[strings.Join(c.Member.and(nil), ".")] = fmt.Sprint(c.Value)
	}
	return told
}

// put adds what is known of a field below.
func (s *Schema) put(path []string, below *Schema) {
	if len(path) == 0 {
		return
	}
	if s.Members == nil {
		s.Members = map[string]*Schema{}
	}
	next := s.Members[path[0]]
	if next == nil {
		next = &Schema{}
		s.Members[path[0]] = next
	}
	if len(path) > 1 {
		next.put(path[1:], below)
		return
	}
	next.Keys, next.One, next.Dropped = below.Keys, below.One, below.Dropped
	if below.Elements != nil {
		next.Elements = below.Elements
	}
	for name, m := range below.Members {
		next.put([]string{name}, m)
	}
}

// listKeys are the keys that +listMapKey declares, or for Kubernetes' own types the struct tag patchMergeKey.
func listKeys(f *resolve.Field) []string {
	var keys []string
	for _, g := range f.Doc {
		for _, c := range g.List {
			if key, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(c.Text, "//")), "+listMapKey="); ok {
				keys = append(keys, strings.Trim(key, "\"`"))
			}
		}
	}
	if key, ok := f.Tag.Lookup("patchMergeKey"); ok && keys == nil && f.Type.Kind() == resolve.Slice && f.Type.Elem().Kind() == resolve.Struct {
		keys = []string{key}
	}
	return keys
}
