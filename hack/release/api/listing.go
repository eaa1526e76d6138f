// SPDX-License-Identifier: Apache-2.0

// Package api lists the exported API of a module, and compares the APIs of two versions.
package api

import (
	"cmp"
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"
)

// Listing returns the exported API of the module in a folder: one line for each constant, variable, function, type,
// field and method, with its type, in order. Names of parameters are part of it, as callers read them too.
func Listing(dir string) (string, error) {
	loaded, err := load(dir)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, p := range loaded.packages {
		l := listing{module: loaded.module, pkg: p}
		for _, name := range p.Scope().Names() {
			if object := p.Scope().Lookup(name); object.Exported() {
				l.object(object)
			}
		}
		slices.Sort(l.lines)
		lines = append(lines, l.lines...)
	}
	return strings.Join(lines, "\n") + "\n", nil
}

// version is a module with the packages that others may import.
type version struct {
	module   string
	packages []*types.Package
}

// load type-checks the packages of the module in a folder, except internal packages and programs. The oldest Go of the
// module compiles what they import, as it does for the module's tests.
func load(dir string) (version, error) {
	const mode = packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedModule
	goMod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return version{}, err
	}
	parsed, err := modfile.ParseLax("go.mod", goMod, nil)
	if err != nil {
		return version{}, err
	}
	env := append(os.Environ(), "GOTOOLCHAIN=go"+parsed.Go.Version)
	found, err := packages.Load(&packages.Config{Mode: mode, Dir: dir, Env: env}, "./...")
	if err != nil {
		return version{}, err
	}
	var v version
	for _, p := range found {
		if len(p.Errors) > 0 {
			return version{}, p.Errors[0]
		}
		if p.Name == "main" || slices.Contains(strings.Split(p.PkgPath, "/"), "internal") {
			continue
		}
		v.module = p.Module.Path
		v.packages = append(v.packages, p.Types)
	}
	if len(v.packages) == 0 {
		return version{}, fmt.Errorf("%s has no package to import", dir)
	}
	slices.SortFunc(v.packages, func(a, b *types.Package) int { return cmp.Compare(a.Path(), b.Path()) })
	return v, nil
}

// listing collects the lines of one package.
type listing struct {
	module string
	pkg    *types.Package
	lines  []string
}

func (l *listing) add(format string, args ...any) {
	path := strings.TrimPrefix(strings.TrimPrefix(l.pkg.Path(), l.module), "/")
	l.lines = append(l.lines, path+": "+fmt.Sprintf(format, args...))
}

// text writes a type with the paths of other packages; paths within the module are relative to it.
func (l *listing) text(t types.Type) string {
	return types.TypeString(t, l.qualifier)
}

func (l *listing) qualifier(p *types.Package) string {
	if p == l.pkg {
		return ""
	}
	return strings.TrimPrefix(p.Path(), l.module+"/")
}

func (l *listing) object(object types.Object) {
	switch object := object.(type) {
	case *types.Const:
		l.add("const %s %s = %s", object.Name(), l.text(object.Type()), object.Val().ExactString())
	case *types.TypeName:
		l.typeName(object)
	default:
		l.add("%s", types.ObjectString(object, l.qualifier))
	}
}

// typeName lists a type, and its fields and methods.
func (l *listing) typeName(name *types.TypeName) {
	t := name.Type()
	declared := name.Name()
	if alias, ok := t.(*types.Alias); ok {
		l.add("type %s = %s", declared, l.text(alias.Rhs()))
		return
	}
	if named, ok := t.(*types.Named); ok && named.TypeParams().Len() > 0 {
		declared = l.text(named) // with its type parameters
	}
	switch underlying := t.Underlying().(type) {
	case *types.Struct:
		l.add("type %s struct%s", declared, unlisted(underlying))
		l.fields(name.Name(), underlying, map[types.Type]bool{})
	case *types.Interface:
		l.interfaceType(declared, underlying)
		return
	default:
		l.add("type %s %s", declared, l.text(underlying))
	}
	l.methods(name)
}

// unlisted returns whether a struct has fields that no other package can name, so that only some literals compile
// there.
func unlisted(s *types.Struct) string {
	for f := range s.Fields() {
		if !f.Exported() {
			return " with unexported fields"
		}
	}
	return ""
}

// fields lists the exported fields of a struct, with the fields that are promoted from an embedded unexported struct.
func (l *listing) fields(of string, s *types.Struct, seen map[types.Type]bool) {
	for i := range s.NumFields() {
		f, tag := s.Field(i), ""
		if t := s.Tag(i); t != "" {
			tag = " `" + t + "`"
		}
		switch embedded, isStruct := deref(f.Type()).Underlying().(*types.Struct); {
		case f.Exported() && f.Embedded():
			l.add("type %s struct, embedded %s%s", of, l.text(f.Type()), tag)
		case f.Exported():
			l.add("type %s struct, %s %s%s", of, f.Name(), l.text(f.Type()), tag)
		case f.Embedded() && isStruct && !seen[embedded]:
			seen[embedded] = true
			l.fields(of, embedded, seen)
		}
	}
}

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

func (l *listing) interfaceType(declared string, i *types.Interface) {
	closed := ""
	for m := range i.Methods() {
		if !m.Exported() {
			closed = " with unexported methods"
		}
	}
	l.add("type %s interface%s", declared, closed)
	for embedded := range i.EmbeddedTypes() {
		l.add("type %s interface, embedded %s", declared, l.text(embedded))
	}
	for m := range i.ExplicitMethods() {
		if m.Exported() {
			l.add("type %s interface, %s%s", declared, m.Name(), strings.TrimPrefix(l.text(m.Type()), "func"))
		}
	}
}

// methods lists the exported methods of a type. It leaves out the methods of an embedded exported type: the embedded
// field implies them.
func (l *listing) methods(name *types.TypeName) {
	value := types.NewMethodSet(name.Type())
	for method := range types.NewMethodSet(types.NewPointer(name.Type())).Methods() {
		if !method.Obj().Exported() || throughExported(name.Type(), method.Index()) {
			continue
		}
		receiver := name.Name()
		if named, ok := name.Type().(*types.Named); ok && named.TypeParams().Len() > 0 {
			receiver += parameterNames(named.TypeParams())
		}
		if value.Lookup(method.Obj().Pkg(), method.Obj().Name()) == nil {
			receiver = "*" + receiver
		}
		l.add("method (%s) %s%s", receiver, method.Obj().Name(), strings.TrimPrefix(l.text(method.Type()), "func"))
	}
}

// parameterNames writes type parameters as a receiver does: without constraints.
func parameterNames(parameters *types.TypeParamList) string {
	var names []string
	for p := range parameters.TypeParams() {
		names = append(names, p.Obj().Name())
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// throughExported reports whether the path of indices to a method goes through an embedded field that is exported.
func throughExported(t types.Type, path []int) bool {
	for _, i := range path[:len(path)-1] {
		s, ok := deref(t).Underlying().(*types.Struct)
		if !ok {
			return false
		}
		if s.Field(i).Exported() {
			return true
		}
		t = s.Field(i).Type()
	}
	return false
}
