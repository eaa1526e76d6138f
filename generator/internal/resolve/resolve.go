// SPDX-License-Identifier: Apache-2.0

// Package resolve finds Go types in source code on demand. It does not type-check or run the go command, and it
// parses only the files with the requested declarations.
//
// A Type is a type in the sense of Go's specification: aliases and type arguments are resolved. Its parts are
// resolved on first use, so a caller that reads one field of a Pod does not parse the others, and recursive types are
// no problem. The source need not compile if the used declarations exist.
package resolve

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// Resolver finds types. Each run has its own. Neither a Resolver nor its types are safe for concurrent use.
type Resolver struct {
	ctx      context.Context
	module   *load.Module
	scopes   map[string]*scope // by import path
	named    map[string]*Type  // by identity
	imports  map[*load.File]*imports
	standard func() *load.Module // openStandardLibrary, called once
}

// New returns a Resolver that locates packages like imports in the module.
func New(ctx context.Context, m *load.Module) *Resolver {
	return &Resolver{
		ctx: ctx, module: m, scopes: map[string]*scope{}, named: map[string]*Type{}, imports: map[*load.File]*imports{},
		standard: sync.OnceValue(func() *load.Module { return openStandardLibrary(ctx) }),
	}
}

// scopeOf returns the scope of a package, and keeps the first package of each import path.
func (r *Resolver) scopeOf(importPath string, p *load.Package) *scope {
	if r.scopes[importPath] == nil {
		r.scopes[importPath] = &scope{
			resolver: r, path: importPath, pkg: p,
			indexed: map[*load.File]bool{}, searched: map[string]bool{}, missing: map[string]bool{},
			types: map[string]*declaration{}, constants: map[string]*declaredConstant{}, methods: map[string][]string{},
			marked: map[string]bool{},
		}
	}
	return r.scopes[importPath]
}

// Named resolves a declared type of a package, or a predeclared type if importPath is empty. It follows aliases and
// applies args to a generic type. The error is an *Error.
func (r *Resolver) Named(importPath, name string, args ...*Type) (*Type, error) {
	t := r.lookup(mention{importPath: importPath, name: name, args: args})
	if t.err != nil {
		return nil, t.err
	}
	return t, nil
}

// lookup returns the type of a mention.
func (r *Resolver) lookup(m mention) *Type {
	switch m.importPath {
	case "":
		if isPredeclared(m.name) {
			return r.predeclared(m.name)
		}
		return m.missing("Go has no predeclared type of that name", nil)
	case "unsafe", "C":
		return &Type{Package: m.importPath, Name: m.name, under: &underlying{kind: Opaque}}
	}
	s, err := r.open(m.importPath)
	if err != nil {
		return m.missing("", err)
	}
	return r.lookupIn(s, m)
}

// lookupIn returns the type of a mention in its package.
func (r *Resolver) lookupIn(s *scope, m mention) *Type {
	d := s.declaration(m.name)
	if d == nil {
		if name, ok := strings.CutPrefix(m.name, "_Ctype_"); ok { // cgo's name for C.name; some generators write it
			return r.lookup(mention{importPath: "C", name: name})
		}
		// The suggestion is a type of a parsed file.
		if hint, ok := diag.Nearest(m.name, slices.Sorted(maps.Keys(s.types))); ok {
			return m.missing(fmt.Sprintf("the package declares no such type; it has %s", hint), nil)
		}
		return m.missing("the package declares no such type", nil)
	}
	return r.instantiate(s, d, m)
}

// instantiate applies type arguments to a declaration, and follows it if it is an alias.
func (r *Resolver) instantiate(s *scope, d *declaration, m mention) *Type {
	params := d.parameters()
	if len(params) != len(m.args) {
		return m.missing(fmt.Sprintf("it has %d type parameters and is given %d arguments", len(params), len(m.args)), nil)
	}
	if d.endless = d.endless || depth(m.args) > deepest; d.endless && len(params) > 0 {
		return m.opaque(endless(m.Range, m.importPath, m.name))
	}
	at := environment{scope: s, file: d.file}
	if len(params) > 0 {
		at.types = make(map[string]*Type, len(params))
		for i, p := range params {
			at.types[p] = m.args[i]
		}
	}
	if d.spec.Assign.IsValid() {
		if d.following {
			return m.missing("the alias leads back to itself", nil)
		}
		d.following = true
		defer func() { d.following = false }()
		return r.expression(at, d.spec.Type)
	}
	return r.unique(&Type{
		Package: s.path, Name: m.name, Args: m.args,
		Range: d.file.Range(d.spec.Name.Pos(), d.spec.Name.End()),
		File:  d.file, AST: d.spec, place: d.place,
		of: d, at: at,
	})
}

// deepest is the maximal nesting of type arguments. A type with deeper arguments is assumed to contain itself, like
// Box[T] with a field of type *Box[[]T].
const deepest = 16

// depth returns the nesting of type arguments.
func depth(args []*Type) int {
	most := 0
	for _, t := range args {
		inner := t.Args
		if t.Name == "" && t.under.elem != nil {
			inner = []*Type{t.under.elem}
		}
		most = max(most, 1+depth(inner))
	}
	return most
}

// unique returns the same Type for all identical named types.
func (r *Resolver) unique(t *Type) *Type {
	id := t.identity()
	if first := r.named[id]; first != nil {
		return first
	}
	r.named[id] = t
	return t
}

// open returns the scope of a package. The error explains why it is missing.
func (r *Resolver) open(importPath string) (*scope, error) {
	if s := r.scopes[importPath]; s != nil {
		return s, nil
	}
	p, err := r.locate(importPath) // load caches errors
	if err != nil {
		return nil, err
	}
	return r.scopeOf(importPath, p), nil
}
