// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// version is the Go type of a kind in one of its versions, as JSON has it.
type version struct {
	kind, name string
	fields     []member
}

// member is a field by its path: "spec.ports[].name".
type member struct {
	diag.Range
	path, shape string
}

// newVersion reads a type. Types of other modules are taken as a whole: they change with their own releases.
func newVersion(v model.VersionedType, t *resolve.Type, module string) *version {
	n := &version{kind: v.Name + "." + v.Group, name: v.Version}
	n.add(t, "", module, map[*resolve.Type]bool{})
	return n
}

func (n *version) add(t *resolve.Type, before, module string, inside map[*resolve.Type]bool) {
	for t.Kind() == resolve.Pointer {
		t = t.Elem()
	}
	switch {
	case t.Kind() == resolve.Slice, t.Kind() == resolve.Array, t.Kind() == resolve.Map:
		n.add(t.Elem(), before+"[]", module, inside)
		return
	case t.Kind() != resolve.Struct, inside[t], t.Package != "" && t.Package != module && !strings.HasPrefix(t.Package, module+"/"):
		return
	}
	inside[t] = true
	defer delete(inside, t)
	for _, f := range t.Fields() {
		switch path := strings.TrimPrefix(before+"."+f.JSON, "."); {
		case f.Inline:
			n.add(f.Type, before, module, inside)
		case f.Exported && f.JSON != "" && path != "metadata":
			n.fields = append(n.fields, member{f.Range, path, shape(f.Type)})
			n.add(f.Type, path, module, inside)
		}
	}
}

// shape is what JSON has of a type: any whole number is one, and a pointer is what it points to.
func shape(t *resolve.Type) string {
	switch t.Kind() {
	case resolve.Pointer:
		return shape(t.Elem())
	case resolve.Slice, resolve.Array:
		return "list of " + shape(t.Elem())
	case resolve.Map:
		return "map of " + shape(t.Elem())
	case resolve.Basic:
		return strings.TrimPrefix(strings.TrimRight(t.Basic(), "0123456789"), "u")
	case resolve.Struct:
		switch t.Package {
		case "k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/api/resource", "k8s.io/apimachinery/pkg/util/intstr":
			return t.Name // types that write themselves
		}
		return "object"
	}
	return "anything"
}

// field finds a field by its path. A type that is not known has none.
func (n *version) field(path string) (member, bool) {
	if n == nil {
		return member{}, false
	}
	return find(n.fields, func(f member) bool { return f.path == path })
}
