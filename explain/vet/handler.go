// SPDX-License-Identifier: Apache-2.0

package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// handler is a method that serves a webhook, with its effects.
type handler struct {
	hook
	effect
	// method is the code, and on the type that it is called on.
	method *types.Func
	on     *types.TypeName
}

func (h handler) String() string { return h.on.Name() + "." + h.method.Name() }

// pos is the position of the method or, if the method is in another package, of its type.
func (h handler) pos(pkg *types.Package) token.Pos {
	if h.method.Pkg() == pkg {
		return h.method.Pos()
	}
	return h.on.Pos()
}

// declared is the fact about a type that markers declare webhooks for it.
type declared struct{ Hooks []hook }

func (*declared) AFact() {}

func (d *declared) String() string { return "webhooks" }

func handlerAnalyzer(of *analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:       "webhookhandlers",
		Doc:        "find the methods that serve webhooks",
		Run:        func(pass *analysis.Pass) (any, error) { return findHandlers(pass, pass.ResultOf[of].(effects)), nil },
		Requires:   []*analysis.Analyzer{of},
		FactTypes:  []analysis.Fact{new(declared)},
		ResultType: reflect.TypeFor[[]handler](),
	}
}

func findHandlers(pass *analysis.Pass, of effects) []handler {
	f := finder{Pass: pass, effects: of}
	f.declare()
	for _, file := range pass.Files {
		if ast.IsGenerated(file) {
			f.generated(file)
		}
	}
	return f.found
}

// finder looks for handlers.
type finder struct {
	*analysis.Pass
	effects effects
	found   []handler
}

// declare reads the markers above types, above their methods, or above an assertion such as var _ webhook.Validator =
// &Order{}.
func (f *finder) declare() {
	defaults := defaultSideEffects(f.Files)
	for _, file := range f.Files {
		after := file.Name.End()
		for _, d := range file.Decls {
			subjects := []ast.Node{d}
			if decl, ok := d.(*ast.GenDecl); ok {
				subjects = subjects[:0]
				for _, s := range decl.Specs {
					subjects = append(subjects, s)
				}
			}
			for _, s := range subjects {
				name := f.subject(s)
				if own := hooks(above(file, after, s.Pos()), defaults); name != nil && len(own) > 0 {
					f.declareOn(name, own)
				}
				after = s.End()
			}
			after = d.End()
		}
	}
}

// subject returns the type that a declaration is about; nil if it is not about a type.
func (f *finder) subject(s ast.Node) *types.TypeName {
	switch s := s.(type) {
	case *ast.FuncDecl:
		if method, ok := f.TypesInfo.Defs[s.Name].(*types.Func); ok && method.Signature().Recv() != nil {
			if named := namedOf(method.Signature().Recv().Type()); named != nil {
				return named.Obj()
			}
		}
	case *ast.TypeSpec:
		name, _ := f.TypesInfo.Defs[s.Name].(*types.TypeName)
		return name
	case *ast.ValueSpec:
		if len(s.Names) == 1 && s.Names[0].Name == "_" && len(s.Values) == 1 {
			if named := namedOf(f.TypesInfo.TypeOf(s.Values[0])); named != nil && named.Obj().Pkg() == f.Pkg {
				return named.Obj()
			}
		}
	}
	return nil
}

func (f *finder) declareOn(name *types.TypeName, own []hook) {
	var before declared
	f.ImportObjectFact(name, &before)
	f.ExportObjectFact(name, &declared{append(before.Hooks, own...)})
	for _, h := range own {
		if !h.Handwritten {
			continue
		}
		for method := range types.NewMethodSet(types.NewPointer(name.Type())).Methods() {
			m, ok := method.Obj().(*types.Func)
			if ok && (m.Name() == "Handle" || h.Mutating && m.Name() == "Default" || !h.Mutating && slices.Contains([]string{"ValidateCreate", "ValidateUpdate", "ValidateDelete"}, m.Name())) {
				f.add(h, m, name)
			}
		}
	}
}

func (f *finder) add(h hook, method *types.Func, on *types.TypeName) {
	f.found = append(f.found, handler{h, f.effects(method), method, on})
}

// described is the comment of a generated interface, in one line.
var described = regexp.MustCompile(`^(\w+) is the (?:defaulter|validator) of a \+webhook:(mutating|validating) marker on (\w+)\.`)

// generated finds the implementations of the interfaces in a generated file.
func (f *finder) generated(file *ast.File) {
	for _, d := range file.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.TYPE || decl.Doc == nil {
			continue
		}
		m := described.FindStringSubmatch(strings.Join(strings.Fields(decl.Doc.Text()), " "))
		if m == nil {
			continue
		}
		name, ok := f.Pkg.Scope().Lookup(m[1]).(*types.TypeName)
		if !ok {
			continue
		}
		asked, ok := name.Type().Underlying().(*types.Interface)
		if !ok {
			continue
		}
		mutating, marked := m[2] == "mutating", m[3]
		h, ok := f.hookOf(asked, mutating, marked, suffix(m[1], marked))
		if !ok {
			continue
		}
		for _, on := range f.implementations(asked, marked) {
			for i := range asked.NumMethods() {
				object, _, _ := types.LookupFieldOrMethod(types.NewPointer(on.Type()), true, f.Pkg, asked.Method(i).Name())
				if method, ok := object.(*types.Func); ok {
					f.add(h, method.Origin(), on)
				}
			}
		}
	}
}

// suffix returns the part of an interface's name that distinguishes the webhooks of a type.
func suffix(asked, marked string) string {
	return strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(asked, marked), "Validator"), "Defaulter")
}

// hookOf finds the marker of a generated interface. The marked type is in this package, or it is the type that the
// requests carry.
func (f *finder) hookOf(asked *types.Interface, mutating bool, marked, suffix string) (hook, bool) {
	var of declared
	if name, ok := f.Pkg.Scope().Lookup(marked).(*types.TypeName); !ok || !f.ImportObjectFact(name, &of) {
		if name := carried(asked); name == nil || name.Name() != marked || !f.ImportObjectFact(name, &of) {
			return hook{}, false
		}
	}
	of.Hooks = slices.DeleteFunc(slices.Clone(of.Hooks), func(h hook) bool { return h.Handwritten || h.Mutating != mutating })
	for i, h := range of.Hooks {
		word, _, _ := strings.Cut(h.Name, ".")
		if suffix == "" && i == 0 || word != "" && len(suffix) >= len(word) && strings.EqualFold(suffix[:len(word)], word) {
			return h, true
		}
	}
	if len(of.Hooks) == 1 { // a suffix that is a subresource
		return of.Hooks[0], true
	}
	return hook{}, false
}

// carried is the type of the objects that the requests of an interface's methods carry; nil where they are raw.
func carried(asked *types.Interface) *types.TypeName {
	for i := range asked.NumMethods() {
		params := asked.Method(i).Signature().Params()
		if params.Len() == 0 {
			continue
		}
		request := namedOf(params.At(params.Len() - 1).Type())
		if request == nil || request.TypeArgs().Len() == 0 {
			continue
		}
		if object, ok := types.Unalias(request.TypeArgs().At(0)).(*types.Named); ok {
			return object.Obj()
		}
	}
	return nil
}

// implementations returns the types that implement an interface: the type with webhook-gen's name for it, or else every
// type with the methods. For raw requests it returns the named type only, since every validator or defaulter of raw
// requests has the methods.
func (f *finder) implementations(asked *types.Interface, marked string) []*types.TypeName {
	has := func(object types.Object) (*types.TypeName, bool) {
		name, ok := object.(*types.TypeName)
		if !ok || name.IsAlias() || types.IsInterface(name.Type()) {
			return nil, false
		}
		return name, types.Implements(types.NewPointer(name.Type()), asked)
	}
	for _, own := range []string{marked + "Webhook", marked} {
		if name, ok := has(f.Pkg.Scope().Lookup(own)); ok {
			return []*types.TypeName{name}
		}
	}
	if carried(asked) == nil {
		return nil
	}
	var all []*types.TypeName
	for _, n := range f.Pkg.Scope().Names() {
		if name, ok := has(f.Pkg.Scope().Lookup(n)); ok {
			all = append(all, name)
		}
	}
	return all
}
