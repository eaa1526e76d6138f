// SPDX-License-Identifier: Apache-2.0

package vet

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// effect has the effects of a function, of its own code and of its calls. It is a fact about the function.
type effect struct {
	// Write is the first request that changes something, and Wait the first request that waits for a client's own limit;
	// nil without such a request.
	Write, Wait *deed
	// Ask is the first call for controller-runtime's request in the context, and Provides reports that one is put there.
	Ask      *deed
	Provides bool
	// LooksAtDryRun reports that it reads the DryRun of a request, or may: it gives the request to code that is not
	// followed.
	LooksAtDryRun bool
}

// deed is a request to an API server, or a call for the request that is admitted.
type deed struct {
	// The client's method, the file and line of the call, and the functions between.
	What, Position string
	Through        []string
}

func (*effect) AFact() {}

func (e *effect) String() string {
	var parts []string
	if e.Write != nil {
		parts = append(parts, "writes: "+e.Write.String())
	}
	if e.Wait != nil {
		parts = append(parts, "waits: "+e.Wait.String())
	}
	if e.Ask != nil {
		parts = append(parts, "asks: "+e.Ask.String())
	}
	if e.Provides {
		parts = append(parts, "provides the request")
	}
	if e.LooksAtDryRun {
		parts = append(parts, "looks at DryRun")
	}
	return strings.Join(parts, "; ")
}

func (d *deed) String() string {
	text := fmt.Sprintf("%s at %s", d.What, d.Position)
	if len(d.Through) > 0 {
		text += ", through " + strings.Join(d.Through, ", ")
	}
	return text
}

// in is a deed as the caller of a function sees it; nil for none.
func (d *deed) in(function string) *deed {
	if d == nil {
		return nil
	}
	return &deed{d.What, d.Position, append([]string{function}, d.Through...)}
}

// effects finds the effect of a function, of this package or another one.
type effects func(*types.Func) effect

func effectAnalyzer() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:       "webhookeffects",
		Doc:        "find out which functions write to an API server, wait for a client's limit, ask for the request in the context, or look at DryRun",
		Run:        findEffects,
		FactTypes:  []analysis.Fact{new(effect)},
		ResultType: reflect.TypeFor[effects](),
	}
}

// function is one with a body in this package.
type function struct {
	effect
	calls []*types.Func // within the package
}

func findEffects(pass *analysis.Pass) (any, error) {
	functions := map[*types.Func]*function{}
	var order []*types.Func // as they stand in the source, so that the same one of several deeds is found every time
	imported := func(f *types.Func) (e effect) {
		pass.ImportObjectFact(f, &e)
		return e
	}
	result := effects(func(f *types.Func) effect {
		if own, ok := functions[f.Origin()]; ok {
			return own.effect
		}
		return imported(f.Origin())
	})
	if isUpstream(pass.Pkg.Path()) {
		return result, nil
	}
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			if decl, ok := d.(*ast.FuncDecl); ok && decl.Body != nil {
				if f, ok := pass.TypesInfo.Defs[decl.Name].(*types.Func); ok {
					functions[f] = readFunction(pass, decl, imported)
					order = append(order, f)
				}
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, f := range order {
			for _, called := range functions[f].calls {
				if of, ok := functions[called]; ok && functions[f].take(of.effect, called) {
					changed = true
				}
			}
		}
	}
	for _, f := range order {
		if of := functions[f]; of.effect != (effect{}) {
			pass.ExportObjectFact(f, &of.effect)
		}
	}
	return result, nil
}

// isUpstream reports a package of Kubernetes' own, whose clients are known by their methods and which has no handlers.
func isUpstream(path string) bool { return strings.HasPrefix(path, "k8s.io/") }

// take adds the effects of a called function, and reports whether they are news.
func (f *function) take(of effect, called *types.Func) (news bool) {
	before := f.effect
	f.Write = cmp.Or(f.Write, of.Write.in(called.Name()))
	f.Wait = cmp.Or(f.Wait, of.Wait.in(called.Name()))
	f.Ask = cmp.Or(f.Ask, of.Ask.in(called.Name()))
	f.Provides = f.Provides || of.Provides
	f.LooksAtDryRun = f.LooksAtDryRun || of.LooksAtDryRun
	return f.effect != before
}

// readFunction finds the effects of a function's own code, and the functions that it calls. A function or method that
// is only named counts as called: it is called back, sooner or later.
func readFunction(pass *analysis.Pass, decl *ast.FuncDecl, imported effects) *function {
	f := &function{}
	arguments := map[*ast.Ident][]ast.Expr{} // of the calls of a name
	for n := range ast.Preorder(decl.Body) {
		switch n := n.(type) {
		case *ast.CallExpr: // before the name in it
			name := calledName(n.Fun)
			arguments[name] = n.Args
			if !isFollowed(pass.TypesInfo, name) && passesRequest(pass.TypesInfo, n.Args) {
				f.LooksAtDryRun = true
			}
		case *ast.Ident:
			switch used := pass.TypesInfo.Uses[n].(type) {
			case *types.Var:
				if used.IsField() && isDryRun(used) {
					f.LooksAtDryRun = true
				}
			case *types.Func:
				f.use(pass, n, used.Origin(), arguments[n], imported)
			}
		}
	}
	return f
}

func (f *function) use(pass *analysis.Pass, id *ast.Ident, used *types.Func, arguments []ast.Expr, imported effects) {
	if used.Pkg() != nil && used.Pkg().Path() == "sigs.k8s.io/controller-runtime/pkg/webhook/admission" {
		switch {
		case used.Name() == "RequestFromContext" && f.Ask == nil:
			f.Ask = &deed{What: used.Name(), Position: position(pass.Fset, id.Pos())}
		case used.Name() == "NewContextWithRequest":
			f.Provides = true
		}
	}
	request, ok := requestOf(used)
	if !ok {
		f.calls = append(f.calls, used)
		f.take(imported(used), used)
		return
	}
	d := &deed{What: request.name, Position: position(pass.Fset, id.Pos())}
	if request.writes && f.Write == nil && !changesNothing(pass.TypesInfo, arguments) {
		f.Write = d
	}
	if request.waits && f.Wait == nil {
		f.Wait = d
	}
}

// position is a file and line, short enough for a sentence.
func position(files *token.FileSet, pos token.Pos) string {
	at := files.Position(pos)
	return fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
}

// calledName returns the last name of the called function; nil for a function value.
func calledName(fun ast.Expr) *ast.Ident {
	switch e := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.IndexExpr:
		return calledName(e.X)
	case *ast.IndexListExpr:
		return calledName(e.X)
	}
	return nil
}

// isFollowed reports whether a call leads to code that is read: not through an interface or a function value.
func isFollowed(info *types.Info, name *ast.Ident) bool {
	if name == nil {
		return false
	}
	switch used := info.Uses[name].(type) {
	case *types.Func:
		recv := used.Signature().Recv()
		return recv == nil || !types.IsInterface(recv.Type())
	case *types.Var:
		return false
	}
	return true // a builtin or a conversion
}

// passesRequest reports whether an argument is an admission request.
func passesRequest(info *types.Info, arguments []ast.Expr) bool {
	return slices.ContainsFunc(arguments, func(a ast.Expr) bool {
		named := namedOf(info.TypeOf(a))
		return named != nil && named.Obj().Pkg() != nil && isAdmission(named.Obj().Pkg().Path()) && strings.HasSuffix(named.Obj().Name(), "Request")
	})
}

// isDryRun reports whether a field is the dryRun of an admission request.
func isDryRun(field *types.Var) bool {
	basic, ok := deref(field.Type()).Underlying().(*types.Basic)
	return field.Name() == "DryRun" && ok && basic.Kind() == types.Bool && field.Pkg() != nil && isAdmission(field.Pkg().Path())
}

// isAdmission reports whether a package has the types of admission requests: the emitted one, controller-runtime's, or
// Kubernetes' own.
func isAdmission(path string) bool {
	return strings.HasSuffix(path, "/admission") || strings.HasPrefix(path, "k8s.io/api/admission/")
}
