// SPDX-License-Identifier: Apache-2.0

// Package fields finds the fields of structs as JSON has them, and the checks that they are set.
package fields

import (
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// Of returns the fields of a struct as JSON has them. The fields of an embedded struct belong to the outer struct,
// unless a field at a lesser depth has the same name (https://pkg.go.dev/encoding/json#Marshal). A field named in keep
// is one field even if it is embedded. If the type has its own JSON methods, two more things are fields: an embedded
// struct that encodes itself, and a field without JSON, under its Go name.
func Of(t *resolve.Type, keep map[string]bool) []Path {
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
		inner := f.Type.Target()
		switch {
		case f.Inline && (keep[f.Name] || inner.EncodesItself()):
			all = append(all, Path{f})
		case f.Inline && (inner == t || slices.Contains(inside, inner)): // the outer struct hides all of it
		case f.Inline:
			for _, below := range everyMember(inner, nil, append(slices.Clip(inside), t)) {
				all = append(all, append(Path{f}, below...))
			}
		case f.Exported && f.JSON != "":
			all = append(all, Path{f})
		case f.Exported && t.EncodesItself():
			byName := *f
			byName.JSON = f.Name
			all = append(all, Path{&byName})
		}
	}
	return all
}

// Lookup finds the field at a path in JSON names. A name may contain dots.
func Lookup(t *resolve.Type, path string) (Path, bool) {
	first, _, _ := strings.Cut(path, ".")
	for _, m := range Of(t, map[string]bool{first: true}) {
		rest, isPrefix := strings.CutPrefix(path, m.String())
		if isPrefix && rest == "" {
			return m, true
		}
		if rest, deeper := strings.CutPrefix(rest, "."); isPrefix && deeper {
			if below, ok := Lookup(m.Last().Type.Target(), rest); ok {
				return slices.Concat(m, below), true
			}
		}
	}
	return nil, false
}

// Entry finds an entry of a kind's annotations or labels, written metadata.annotations[key]. It is like a field whose
// name contains the key.
func Entry(t *resolve.Type, path string) (found Path, key string) {
	in, rest, ok := strings.Cut(path, "[")
	key, closed := strings.CutSuffix(rest, "]")
	if !ok || !closed || key == "" || !IsObject(t) || in != "metadata.annotations" && in != "metadata.labels" {
		return nil, ""
	}
	if found, ok = Lookup(t, in); !ok {
		return nil, ""
	}
	f := *found.Last()
	f.JSON, f.Type = f.JSON+"["+rest, f.Type.Elem()
	return append(slices.Clip(found[:len(found)-1]), &f), key
}

// Nearest returns the path in a struct that is most similar to a path that does not exist.
func Nearest(t *resolve.Type, path string) (string, bool) {
	var names []string
	for _, m := range Of(t, nil) {
		names = append(names, m.String())
		for _, below := range Of(m.Last().Type.Target(), nil) {
			names = append(names, m.String()+"."+below.String())
		}
	}
	return diag.Nearest(path, names)
}

// MetaPackage has the types of metadata.
const MetaPackage = "k8s.io/apimachinery/pkg/apis/meta/v1"

// Below returns the paths below a name, without the name.
func Below(paths map[string]bool, name string) map[string]bool {
	under := map[string]bool{}
	for p := range paths {
		if rest, ok := strings.CutPrefix(p, name+"."); ok && !strings.HasSuffix(rest, "]") { // an entry is no field
			under[rest] = true
		}
	}
	return under
}

// Path leads from a struct to one of its fields, or to a field of a struct in it.
type Path []*resolve.Field

// String returns the path in JSON names.
func (p Path) String() string {
	names := p.Names()
	if len(names) == 0 && len(p) > 0 {
		return p.Last().Name
	}
	return strings.Join(names, ".")
}

// Names returns the JSON names on the path. Embedded structs have none.
func (p Path) Names() []string {
	var names []string
	for _, f := range p {
		if !f.Inline {
			names = append(names, f.JSON)
		}
	}
	return names
}

// Last returns the field itself.
func (p Path) Last() *resolve.Field { return p[len(p)-1] }

// HasPointers reports whether any field before the last one is a pointer.
func (p Path) HasPointers() bool {
	return slices.ContainsFunc(p[:len(p)-1], func(f *resolve.Field) bool { return f.Type.Kind() == resolve.Pointer })
}

// IsIn reports whether the path leads into the value at another path.
func (p Path) IsIn(whole Path) bool {
	return whole != nil && strings.HasPrefix(p.String(), whole.String()+".")
}

// EntryKey returns the map and the key of a path that [Entry] has returned: annotations or labels.
func EntryKey(path Path) (in, key string, ok bool) {
	if len(path) == 0 {
		return "", "", false
	}
	in, rest, ok := strings.Cut(path.Last().JSON, "[")
	return in, strings.TrimSuffix(rest, "]"), ok
}

// ListKeys returns the keys that +listMapKey declares on the field or on its type or, for Kubernetes' own types, the
// struct tag patchMergeKey.
func ListKeys(f *resolve.Field) []string {
	keys := load.ListMapKeys(slices.Concat(f.Type.Target().Doc(), f.Doc)...)
	if key, ok := f.Tag.Lookup("patchMergeKey"); ok && keys == nil && f.Type.Kind() == resolve.Slice && f.Type.Elem().Kind() == resolve.Struct {
		keys = []string{key}
	}
	return keys
}

// Visit calls a function for the fields of a struct and of the structs in it.
func Visit(t *resolve.Type, before []string, inside []*resolve.Type, use func(path []string, f *resolve.Field)) {
	if t.Err() != nil || strings.HasPrefix(t.Package, "k8s.io/") || slices.Contains(inside, t) || t.EncodesItself() {
		return
	}
	for _, m := range Of(t, nil) {
		path := slices.Concat(before, m.Names())
		f := m.Last()
		use(path, f)
		Visit(f.Type.Innermost(), path, append(slices.Clip(inside), t), use)
	}
}

// IsObject reports whether a type embeds TypeMeta and ObjectMeta, as all API objects do.
func IsObject(t *resolve.Type) bool {
	embeds := func(name string) bool {
		return slices.ContainsFunc(t.Fields(), func(f *resolve.Field) bool { return f.Embedded && f.Type.Is(MetaPackage, name) })
	}
	return embeds("TypeMeta") && embeds("ObjectMeta")
}

// Has reports whether a struct has a field or entry.
func Has(t *resolve.Type, path string) bool {
	if found, _ := Entry(t, path); found != nil {
		return true
	}
	_, ok := Lookup(t, path)
	return ok
}
