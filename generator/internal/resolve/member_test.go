// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"encoding/json"
	"go/ast"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve/testdata/members"
)

// here is a Resolver for this module.
func here(t *testing.T) *Resolver {
	t.Helper()
	dir, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	result, problems := load.Load(t.Context(), load.Config{Dir: dir})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	return New(t.Context(), result.Module)
}

// TestField compares the field of a member with encoding/json's choice.
func TestField(t *testing.T) {
	r := here(t)
	for _, value := range []any{
		&members.Plain{}, &members.Deep{}, &members.Middle{}, &members.Conflict{}, &members.Hidden{}, &members.Twice{},
		&members.Embeds{}, &members.Loop{}, &members.Generic[string]{},
	} {
		v := reflect.ValueOf(value).Elem()
		name, _, generic := strings.Cut(v.Type().Name(), "[")
		t.Run(name, func(t *testing.T) {
			var args []*Type
			if generic {
				args = []*Type{r.predeclared("string")}
			}
			typ, err := r.Named(reflect.TypeFor[members.Plain]().PkgPath(), name, args...)
			if err != nil {
				t.Fatal(err)
			}
			sign(v)
			text, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			var want map[string]any
			if err := json.Unmarshal(text, &want); err != nil {
				t.Fatal(err)
			}
			got := make(map[string]any)
			for _, name := range []string{
				"", "Untagged", "named", "Named", "Options", "Left", "-", "Dash", "a\"b", "Invalid", "a.b/c d", "größe", "unexported",
				"several", "other", "A", "B", "top", "name", "depth", "Middle", "Bottom", "same", "Same", "tagged", "Untaged", "doubled",
				"bottom", "Text", "text", "lower", "fromLower", "hidden", "Generic", "item", "Loop", "Last",
			} {
				if f := typ.Field(name); f != nil {
					got[name] = owner(f) + "." + f.Name
				}
			}
			if bottom, ok := want["bottom"]; ok && bottom != nil {
				want["bottom"] = "Embeds.Bottom"
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("members (-encoding/json +Field):\n%s", diff)
			}
		})
	}
}

// sign writes into every string field that can be set the struct and the field that it is.
func sign(v reflect.Value) {
	for field, f := range v.Fields() {
		switch {
		case f.Type() == v.Addr().Type():
			// A struct within itself stays empty.
		case f.Kind() == reflect.Pointer && f.CanSet():
			f.Set(reflect.New(f.Type().Elem()))
			sign(f.Elem())
		case f.Kind() == reflect.Struct:
			sign(f)
		case f.Kind() == reflect.String && f.CanSet():
			name, _, _ := strings.Cut(v.Type().Name(), "[")
			f.SetString(name + "." + field.Name)
		}
	}
}

// owner returns the name of the declared struct that holds the field.
func owner(f *Field) string {
	for _, d := range f.File.AST.Decls {
		if decl, ok := d.(*ast.GenDecl); ok && decl.Pos() <= f.AST.Pos() && f.AST.End() <= decl.End() {
			return decl.Specs[0].(*ast.TypeSpec).Name.Name
		}
	}
	return "?"
}
