// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/constant"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

var update = flag.Bool("update", false, "rewrite the wanted descriptions in testdata")

// Each archive contains a module. Its file "ask" has a line "import/path Name" for each type, with - for predeclared
// types. Its file "want" is the expected description of the types.
func TestResolve(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no archives", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			dir := writeArchive(t, string(text))
			withoutGo(t)
			result, problems := load.Load(t.Context(), load.Config{Dir: dir})
			if problems.HasErrors() {
				t.Fatal(problems)
			}
			r := New(t.Context(), result.Module)
			var got strings.Builder
			archive := txtar.Parse(text)
			var want *txtar.File
			for i, f := range archive.Files {
				switch f.Name {
				case "ask":
					for line := range strings.Lines(string(f.Data)) {
						importPath, name, _ := strings.Cut(strings.TrimSpace(line), " ")
						fmt.Fprintf(&got, "%s.%s: ", importPath, name)
						typ, err := r.Named(strings.TrimPrefix(importPath, "-"), name)
						describe(&got, r, typ, err)
					}
				case "want":
					want = &archive.Files[i]
				}
			}
			described := strings.ReplaceAll(got.String(), dir+string(filepath.Separator), "")
			if diff := cmp.Diff(string(want.Data), described); diff != "" && !*update {
				t.Errorf("(-want +got):\n%s", diff)
			} else if diff != "" {
				want.Data = []byte(described)
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// A named type has one Type, however it is reached.
func TestOneType(t *testing.T) {
	dir := writeArchive(t, `
-- go.mod --
module example.com/m

go 1.25
-- marked/a.go --
package marked // +marker

import "example.com/m/other"

type T struct {
	Other *other.T
	Pair  other.Pair[int, T]
}
-- other/a.go --
package other

type T struct{ Pair Pair[int, string] }

type Pair[K, V any] struct{ Next *Pair[K, V] }
`)
	withoutGo(t)
	result, problems := load.Load(t.Context(), load.Config{Dir: dir, Markers: []string{"+marker"}})
	if problems.HasErrors() || len(result.Packages) != 1 {
		t.Fatal(problems)
	}
	p := result.Packages[0]
	r := New(t.Context(), result.Module)
	named, err := r.Named("example.com/m/marked", "T")
	if err != nil {
		t.Fatal(err)
	}
	other, err := r.Named("example.com/m/other", "T")
	if err != nil || named.Fields()[0].Type.Elem() != other {
		t.Error("a field leads to another type than Named:", err)
	}
	pair, err := r.Named("example.com/m/other", "Pair", r.predeclared("int"), named)
	if err != nil || pair != named.Fields()[1].Type || pair.Fields()[0].Type.Elem() != pair {
		t.Error("a generic type has several Types for the same arguments:", err)
	}
	if Identical(pair, other.Fields()[0].Type) {
		t.Error("a generic type is identical for different arguments")
	}
	_, err = r.Named(p.Path, "Tea")
	if e, ok := errors.AsType[*Error](err); !ok || e.Package != p.Path || e.Name != "Tea" || e.IsValid() {
		t.Errorf("error %#v", err)
	}
}

// describe writes a type with one line for each field and constant.
func describe(w *strings.Builder, r *Resolver, t *Type, err error) {
	if err != nil {
		fmt.Fprintf(w, "%s\n", reason(err))
		return
	}
	fmt.Fprintf(w, "%s is %s%s\n", t, detail(t), position(t.Range))
	for _, g := range t.Doc() {
		fmt.Fprintf(w, "\t# %s\n", strings.TrimSpace(g.Text()))
	}
	for _, f := range t.Fields() {
		fmt.Fprintf(w, "\t%s %s is %s%s", f.Name, f.Type, detail(f.Type), position(f.Range))
		for _, is := range []struct {
			set  bool
			name string
		}{{f.Embedded, "embedded"}, {f.Inline, "inline"}, {f.OmitEmpty, "omitempty"}, {f.OmitZero, "omitzero"}, {f.String, "string"}} {
			if is.set {
				fmt.Fprintf(w, " %s", is.name)
			}
		}
		fmt.Fprintf(w, " %q\n", f.JSON)
		for _, g := range f.Doc {
			fmt.Fprintf(w, "\t\t# %s\n", strings.TrimSpace(g.Text()))
		}
	}
	for _, c := range r.sortedConstants(t) {
		if v := r.constantValue(t.at.scope, c); v.Kind() == constant.String {
			fmt.Fprintf(w, "\t%s = %q%s\n", c.name.Name, constant.StringVal(v), position(c.file.Range(c.name.Pos(), c.name.End())))
		}
	}
	if methods := methodsOf(t); len(methods) > 0 {
		fmt.Fprintf(w, "\tmethods %s\n", strings.Join(methods, " "))
	}
}

// methodsOf returns the names of the methods that are declared with a type or a pointer to it as receiver, sorted.
func methodsOf(t *Type) []string {
	if t.AST == nil {
		return nil
	}
	t.at.scope.search(t.Name+")", t.Name+"[")
	names := slices.Clone(t.at.scope.methods[t.Name])
	slices.Sort(names)
	return slices.Compact(names)
}

// detail describes a type's parts, or the reason why it was not found.
func detail(t *Type) string {
	if err := t.Err(); err != nil {
		return reason(err)
	}
	text := t.Kind().String()
	switch t.Kind() {
	case Basic:
		text += " " + t.Basic()
	case Array:
		text += " of " + t.Len() + " " + t.Elem().String()
	case Map:
		text += " of " + t.Key().String() + " to " + t.Elem().String()
	case Pointer, Slice:
		text += " of " + t.Elem().String()
	}
	return text
}

func reason(err error) string {
	var e *Error
	if !errors.As(err, &e) {
		return "an error without a environment: " + err.Error()
	}
	return fmt.Sprintf("%v%s", e, position(e.Range))
}

func position(at diag.Range) string {
	if !at.IsValid() {
		return ""
	}
	return fmt.Sprintf(" (%s:%d:%d-%d)", filepath.ToSlash(at.Pos.File), at.Pos.Line, at.Pos.Column, at.End.Column)
}

// writeArchive writes a txtar archive to a new folder. The test then ignores the machine's settings of the go
// command.
func writeArchive(t testing.TB, archive string) string {
	t.Helper()
	t.Setenv("GOENV", "off")
	work := "off"
	if strings.Contains(archive, "-- go.work --") {
		work = ""
	}
	t.Setenv("GOWORK", work)
	t.Setenv("GOFLAGS", "")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// withoutGo removes the go command from PATH.
func withoutGo(t *testing.T) {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOROOT", string(bytes.TrimSpace(out)))
	t.Setenv("PATH", t.TempDir())
}
