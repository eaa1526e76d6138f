// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// members returns the fields of a struct as JSON has them. The fields of an embedded struct belong to the outer struct,
// unless a field at a lesser depth has the same name (https://pkg.go.dev/encoding/json#Marshal). A field named in keep
// is one field even if it is embedded. If the type has its own JSON methods, two more things are fields: an embedded
// struct that encodes itself, and a field without JSON, under its Go name.
func members(t *resolve.Type, keep map[string]bool) []Path {
	all := everyMember(t, keep, nil)
	byName := map[string][]Path{}
	for _, m := range all {
		name := m.String()
		byName[name] = append(byName[name], m)
	}
	if len(byName) == len(all) {
		return all
	}
	return slices.DeleteFunc(all, func(m Path) bool { return m.isHidden(byName[m.String()]) })
}

// isHidden reports whether JSON omits a field because of others of the same name: at a lesser depth, or at the same
// depth if the field alone has no name in a tag, or if both have one or neither has.
func (p Path) isHidden(sameName []Path) bool {
	return slices.ContainsFunc(sameName, func(o Path) bool {
		if len(o) != len(p) || o.Last() == p.Last() && slices.Equal(o, p) {
			return len(o) < len(p)
		}
		return o.Last().Tagged || !p.Last().Tagged
	})
}

// everyMember returns the fields of a struct and of the structs that it embeds, also the hidden ones.
func everyMember(t *resolve.Type, keep map[string]bool, inside []*resolve.Type) []Path {
	var all []Path
	for _, f := range t.Fields() {
		inner := pointee(f.Type)
		switch {
		case f.Inline && (keep[f.Name] || encodesItself(inner)):
			all = append(all, Path{f})
		case f.Inline && (inner == t || slices.Contains(inside, inner)): // the outer struct hides all of it
		case f.Inline:
			for _, below := range everyMember(inner, nil, append(slices.Clip(inside), t)) {
				all = append(all, append(Path{f}, below...))
			}
		case f.Exported && f.JSON != "":
			all = append(all, Path{f})
		case f.Exported && encodesItself(t):
			byName := *f
			byName.JSON = f.Name
			all = append(all, Path{&byName})
		}
	}
	return all
}

// lookup finds the field at a path in JSON names. A name may contain dots.
func lookup(t *resolve.Type, path string) (Path, bool) {
	first, _, _ := strings.Cut(path, ".")
	for _, m := range members(t, map[string]bool{first: true}) {
		rest, isPrefix := strings.CutPrefix(path, m.String())
		if isPrefix && rest == "" {
			return m, true
		}
		if rest, deeper := strings.CutPrefix(rest, "."); isPrefix && deeper {
			if below, ok := lookup(pointee(m.Last().Type), rest); ok {
				return slices.Concat(m, below), true
			}
		}
	}
	return nil, false
}

// entry finds an entry of a kind's annotations or labels, written metadata.annotations[key]. It is like a field whose
// name contains the key.
func entry(t *resolve.Type, path string) (found Path, key string) {
	in, rest, ok := strings.Cut(path, "[")
	key, closed := strings.CutSuffix(rest, "]")
	if !ok || !closed || key == "" || !isObject(t) || in != "metadata.annotations" && in != "metadata.labels" {
		return nil, ""
	}
	if found, ok = lookup(t, in); !ok {
		return nil, ""
	}
	f := *found.Last()
	f.JSON, f.Type = f.JSON+"["+rest, f.Type.Elem()
	return append(slices.Clip(found[:len(found)-1]), &f), key
}

// nearestPath returns the path in a struct that is most similar to a path that does not exist.
func nearestPath(t *resolve.Type, path string) (string, bool) {
	var names []string
	for _, m := range members(t, nil) {
		names = append(names, m.String())
		for _, below := range members(pointee(m.Last().Type), nil) {
			names = append(names, m.String()+"."+below.String())
		}
	}
	return diag.Nearest(path, names)
}

func pointee(t *resolve.Type) *resolve.Type {
	if t.Kind() == resolve.Pointer {
		return t.Elem()
	}
	return t
}

const metaPackage = "k8s.io/apimachinery/pkg/apis/meta/v1"

// below returns the paths below a name, without the name.
func below(paths map[string]bool, name string) map[string]bool {
	under := map[string]bool{}
	for p := range paths {
		if rest, ok := strings.CutPrefix(p, name+"."); ok && !strings.HasSuffix(rest, "]") { // an entry is no field
			under[rest] = true
		}
	}
	return under
}
