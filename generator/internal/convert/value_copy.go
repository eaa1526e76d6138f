// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"bytes"
	"path/filepath"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// copied plans a type used on both sides, so that the two objects share no memory.
func (p *valuePlanner) copied(v *Value) (*Value, *mismatch) {
	t := v.spoke
	if isText(t) {
		if bad := p.total(v); bad != nil { // the fields may have an Enum of their own
			return nil, bad
		}
	}
	if flat(t) {
		return v.as(Assign{}, nil, nil)
	}
	if t.Name != "" {
		switch {
		case t.Package == quantityPackage && t.Name == "Quantity":
			return v.as(DeepCopy{}, nil, nil)
		case p.deepCopies(t):
			return v.as(DeepCopyInto{Nilable: t.Kind() == resolve.Map || t.Kind() == resolve.Slice}, nil, nil)
		}
	}
	if hidden(t) {
		return nil, &mismatch{rule: RuleMismatch, message: t.String() + " has fields that only its own package can copy, and no method DeepCopyInto",
			hint: "give it the method, for example with controller-gen object, or use " + p.spot().marker(model.Custom)}
	}
	return p.structural(v)
}

// deepCopies reports whether a type has the method DeepCopyInto. The method is written by hand, or by deepcopy-gen or
// controller-gen. Both write it to a file of the same name, which the resolver does not read.
func (p *planner) deepCopies(t *resolve.Type) bool {
	if t.File == nil {
		return false
	}
	file := filepath.Join(filepath.Dir(t.File.Path), "zz_generated.deepcopy.go")
	text, read := p.deepCopyFiles[file]
	if !read {
		text = load.Sibling(filepath.Split(file))
		p.deepCopyFiles[file] = text
	}
	return bytes.Contains(text, []byte("func (in *"+t.Name+") DeepCopyInto(")) ||
		bytes.Contains(text, []byte("func (in "+t.Name+") DeepCopyInto(")) || t.HasMethod("DeepCopyInto")
}

const quantityPackage = "k8s.io/apimachinery/pkg/api/resource"

// flat reports whether assigning a value copies all of it.
func flat(t *resolve.Type) bool {
	switch t.Kind() {
	case resolve.Basic:
		return true
	case resolve.Array:
		return flat(t.Elem())
	case resolve.Struct:
		if t.Package == "time" && t.Name == "Time" {
			return true // its location never changes
		}
		return !slices.ContainsFunc(t.Fields(), func(f *resolve.Field) bool { return !flat(f.Type) })
	}
	return false
}
