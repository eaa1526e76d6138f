// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve/testdata/methods"
)

// newResolver returns a Resolver for this module.
func newResolver(t *testing.T) *Resolver {
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

// TestPromotedMethods checks that types have the promoted methods that Go defines.
func TestPromotedMethods(t *testing.T) {
	r := newResolver(t)
	for _, value := range []any{
		&methods.Own{}, &methods.Other{}, &methods.Middle{}, &methods.Deep{}, &methods.Ambiguous{}, &methods.Nearer{},
		&methods.Above{}, &methods.Overrides{}, &methods.Named{}, &methods.Loop{},
	} {
		typ := reflect.TypeOf(value)
		t.Run(typ.Elem().Name(), func(t *testing.T) {
			got, err := r.Named(typ.Elem().PkgPath(), typ.Elem().Name())
			if err != nil {
				t.Fatal(err)
			}
			if _, want := typ.MethodByName("MarshalText"); got.HasPromoted("MarshalText") != want {
				t.Errorf("HasPromoted is %t, want %t", !want, want)
			}
		})
	}
}
