// SPDX-License-Identifier: Apache-2.0

package api

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the listings of the modules' APIs")

// modules are the folders of the modules that users import.
func modules() []string {
	return []string{"runtime", "runtime/controllerruntime", "runtime/program", "runtime/integrationtest", "controlplane"}
}

// TestModules fails when the API of a module changes and its committed listing does not.
func TestModules(t *testing.T) {
	for _, module := range modules() {
		t.Run(module, func(t *testing.T) {
			folder := filepath.Join("../../..", module)
			listed := filepath.Join(folder, "api.txt")
			is, err := Listing(folder)
			if err != nil {
				t.Fatal(err)
			}
			if *update {
				if err := os.WriteFile(listed, []byte(is), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			was, err := os.ReadFile(listed)
			if err != nil {
				t.Fatal(err)
			}
			before, after := strings.Split(string(was), "\n"), strings.Split(is, "\n")
			for _, line := range before {
				if !slices.Contains(after, line) {
					t.Errorf("- %s", line)
				}
			}
			for _, line := range after {
				if !slices.Contains(before, line) {
					t.Errorf("+ %s", line)
				}
			}
			if string(was) != is {
				t.Errorf("the API is not that in %s/api.txt: if it is meant to change, run\n  go -C hack/release test ./api -update", module)
			}
		})
	}
}

const source = `package shop

import "io"

const Limit, limit = 3, 4

var Out io.Writer

type base struct{ Promoted int }

func (base) FromBase() {}

type Public struct{}

func (*Public) Implied() {}

type Order struct {
	Name string ` + "`json:\"name\"`" + `
	base
	Public
	hidden int
}

func (o *Order) Cancel(reason string) error { return nil }
func (o Order) Total() int                  { return 0 }
func (o Order) secret()                     {}

type List[T any] struct{ Items []T }

func (l List[T]) First() T { return l.Items[0] }

type Store interface {
	io.Closer
	Get(name string) (*Order, error)
	sealed()
}

type Kind string
type Alias = Order

func Sum[T ~int](values ...T) T { return 0 }
func sum()                      {}
`

func TestListing(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "go.mod", "module example.com/m\n\ngo 1.24.0\n")
	write(t, dir, "shop/shop.go", source)
	write(t, dir, "shop/internal/hidden/hidden.go", "package hidden\n\nfunc Hidden() {}\n")
	write(t, dir, "use/use.go", "package use\n\nimport \"example.com/m/shop\"\n\nfunc Use(o *shop.Order) {}\n")
	write(t, dir, "cmd/main.go", "package main\n\nfunc Exported() {}\n\nfunc main() {}\n")
	got, err := Listing(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := `shop: const Limit untyped int = 3
shop: func Sum[T ~int](values ...T) T
shop: method (*Order) Cancel(reason string) error
shop: method (*Public) Implied()
shop: method (List[T]) First() T
shop: method (Order) FromBase()
shop: method (Order) Total() int
shop: type Alias = Order
shop: type Kind string
shop: type List struct, Items []T
shop: type List[T any] struct
shop: type Order struct with unexported fields
shop: type Order struct, Name string ` + "`json:\"name\"`" + `
shop: type Order struct, Promoted int
shop: type Order struct, embedded Public
shop: type Public struct
shop: type Store interface with unexported methods
shop: type Store interface, Get(name string) (*Order, error)
shop: type Store interface, embedded io.Closer
shop: var Out io.Writer
use: func Use(o *shop.Order)
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSinceTag(t *testing.T) {
	repository := t.TempDir()
	write(t, repository, "lib/go.mod", "module example.com/lib\n\ngo 1.24.0\n")
	write(t, repository, "lib/lib.go", "package lib\n\nfunc Kept() {}\n\nfunc Gone() {}\n")
	run := func(args ...string) {
		t.Helper()
		c := exec.Command("git", args...)
		c.Dir = repository
		c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	run("init", "-q")
	run("add", ".")
	run("commit", "-q", "-m", "first")
	if tag, err := LastTag(repository, "lib"); err != nil || tag != "" {
		t.Fatalf("a repository without tags: got %q, %v", tag, err)
	}
	for _, tag := range []string{"v0.30.0", "lib/v0.9.0", "lib/v0.10.0", "lib/very-old"} {
		run("tag", tag)
	}
	tag, err := LastTag(repository, "lib")
	if err != nil || tag != "lib/v0.10.0" {
		t.Fatalf("got the tag %q, %v", tag, err)
	}
	write(t, repository, "lib/lib.go", "package lib\n\nfunc Kept(int) {}\n\nfunc New() {}\n")
	got, err := SinceTag(repository, "lib", tag)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"Gone: removed", "Kept: changed from func() to func(int)"}; !slices.Equal(got.Incompatible, want) {
		t.Errorf("incompatible: got %q, want %q", got.Incompatible, want)
	}
	if want := []string{"New: added"}; !slices.Equal(got.Compatible, want) {
		t.Errorf("compatible: got %q, want %q", got.Compatible, want)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestDocumented requires a comment at every exported name of the modules.
func TestDocumented(t *testing.T) {
	for _, module := range modules() {
		without, err := Undocumented(filepath.Join("../../..", module))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range without {
			t.Errorf("%s: %s has no comment that begins with its name", module, name)
		}
	}
}

func TestUndocumented(t *testing.T) {
	dir := t.TempDir()
	const text = `package shop

// Total is documented.
func Total() {}

func Price() {}

// returns the tax.
func Tax() {}

// Order is an order.
type Order struct {
	// Name and Count share a comment.
	Name  string
	Count int

	Bare int
	Said int // as this says
}

// Pay is documented.
func (o *Order) Pay() {}

func (o *Order) Cancel() {}

// These are documented.
const (
	One = 1
	Two = 2
)

var Three = 3

type hidden struct{ Field int }

func (hidden) Method() {}
`
	if err := os.WriteFile(filepath.Join(dir, "shop.go"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Undocumented(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range got {
		_, got[i], _ = strings.Cut(name, ": ")
	}
	if want := []string{"Price", "Tax", "Order.Bare", "Order.Cancel", "Three"}; !slices.Equal(got, want) {
		t.Errorf("undocumented are %q, want %q", got, want)
	}
}
