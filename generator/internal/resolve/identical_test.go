// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"slices"
	"strings"
	"testing"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// TestIdentical checks that each field of the struct is identical to the fields of its set and to no others.
func TestIdentical(t *testing.T) {
	dir := writeArchive(t, `
-- go.mod --
module example.com/m

go 1.25
-- a.go --
package m

import "example.com/m/other"

const four = 4

type T struct {
	Same1 [4]struct{ A, B int }
	Same2 [four]struct {
		A int
		B int
	}
	Same3 [2 * 2]struct{ A, B Int }

	OtherNames  [4]struct{ B, A int }
	OtherTags   [4]struct{ A, B int `+"`json:\"x\"`"+` }
	OtherLength [5]struct{ A, B int }
	OtherForm   []struct{ A, B int }
	OtherType   [4]struct{ A, B Defined }

	Unexported1 struct{ a int }
	Unexported2 struct{ a Int }
	Foreign     other.Unexported

	Embedded1 struct{ Defined }
	Embedded2 struct{ Defined }
	Named     struct{ Defined Defined }

	Func1 func(a, b int) (error, bool)
	Func2 func(int, ...int) (error, bool)
	Same4 func(int, string) <-chan int
	Same5 func(n Int, s string) (c <-chan int)
	Sends func(int, string) chan<- int

	Interface1 interface{ A(); B(n int) }
	Interface2 interface{ B(int); A() }
	Interface3 interface{ B(int) string; A() }
	Any1       any
	Any2       interface{}
	Map1       map[string][]*other.T
	Map2       map[string][]*other.Alias
	Missing1   *other.Missing
	Missing2   *other.Missing
	Missing3   *other.Gone
}

type Int = int

type Defined int
-- other/a.go --
package other

type Unexported = struct{ a int }

type T int

type Alias = T
`)
	result, problems := load.Load(t.Context(), load.Config{Dir: dir})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	typ, err := New(t.Context(), result.Module).Named("example.com/m", "T")
	if err != nil {
		t.Fatal(err)
	}
	sets := []string{
		"Same1 Same2 Same3", "Unexported1 Unexported2", "Embedded1 Embedded2", "Same4 Same5", "Interface1 Interface2",
		"Any1 Any2", "Map1 Map2", "Missing1 Missing2",
	}
	for _, a := range typ.Fields() {
		for _, b := range typ.Fields() {
			want := a == b
			for _, set := range sets {
				names := strings.Fields(set)
				want = want || slices.Contains(names, a.Name) && slices.Contains(names, b.Name)
			}
			if got := Identical(a.Type, b.Type); got != want {
				t.Errorf("%s %s and %s %s are identical: %v, want %v", a.Name, a.Type, b.Name, b.Type, got, want)
			}
		}
	}
}
