// SPDX-License-Identifier: Apache-2.0

// Package celcheck reads the checks of Go validators, and writes each check that CEL can say as a validation of an
// admission policy. It follows conditions on the object to the errors that they lead to, through the functions of the
// same package. A check that it does not understand is reported, with the reason.
package celcheck

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Check is one way in which a validator denies a request.
type Check struct {
	// Position is where the code denies.
	Position token.Position `json:"-"`
	// At is the position as text, with a path below the folder of Read.
	At string `json:"at"`
	// Validator is the method: OrderWebhook.ValidateCreate.
	Validator string `json:"validator"`
	// Type is the Go type of the objects, with its import path.
	Type string `json:"type"`
	// Operations are the operations whose methods lead to the denial: CREATE, UPDATE, DELETE.
	Operations []string `json:"operations"`
	// Expression is true where the check does not deny; empty if it is not understood.
	Expression string `json:"expression,omitempty"`
	// Message is the message of the denial, as far as it is constant.
	Message string `json:"message,omitempty"`
	// Reason explains why CEL cannot say the check, or why it is not understood. Empty with an expression.
	Reason string `json:"reason,omitempty"`
}

// Result is what the validators of a kind check.
type Result struct {
	// Validators are the methods that were read.
	Validators []Validator `json:"validators"`
	Checks     []Check     `json:"checks"`
}

// Validator is a method for objects of a type.
type Validator struct {
	Method string `json:"method"`
	Type   string `json:"type"`
}

// Read reads the validators of a kind in the packages of the patterns, relative to a folder.
func Read(dir, kind string, patterns ...string) (Result, error) {
	fset := token.NewFileSet()
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports,
		Dir:  dir, Fset: fset,
	}, patterns...)
	if err != nil {
		return Result{}, err
	}
	var result Result
	files := sources{files: map[string]sourceFile{}, optional: map[string]bool{}}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return Result{}, p.Errors[0]
		}
		r := reader{Result: &result, pkg: p, kind: kind, bodies: map[*types.Func]*ast.FuncDecl{}, sources: files}
		var handwritten []*ast.FuncDecl
		for _, f := range p.Syntax {
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
					if object, ok := p.TypesInfo.Defs[fn.Name].(*types.Func); ok {
						r.bodies[object] = fn
					}
					if !ast.IsGenerated(f) {
						handwritten = append(handwritten, fn)
					}
				}
			}
		}
		for _, fn := range handwritten {
			r.validator(fn)
		}
	}
	slices.SortFunc(result.Validators, func(a, b Validator) int {
		return cmp.Or(strings.Compare(a.Type, b.Type), strings.Compare(a.Method, b.Method))
	})
	result.Checks = merged(result.Checks)
	return result, nil
}

// merged joins the checks at one position of several operations.
func merged(checks []Check) []Check {
	var all []Check
	for _, c := range checks {
		i := slices.IndexFunc(all, func(o Check) bool {
			return o.Type == c.Type && o.Position == c.Position && o.Expression == c.Expression && o.Reason == c.Reason
		})
		if i < 0 {
			all = append(all, c)
			continue
		}
		for _, o := range c.Operations {
			if !slices.Contains(all[i].Operations, o) {
				all[i].Operations = append(all[i].Operations, o)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Check) int {
		return cmp.Or(strings.Compare(a.Position.Filename, b.Position.Filename), cmp.Compare(a.Position.Offset, b.Position.Offset))
	})
	return all
}

// reader reads one package.
type reader struct {
	*Result
	pkg     *packages.Package
	kind    string
	bodies  map[*types.Func]*ast.FuncDecl
	sources sources
}

// operationOf returns the operation of a validator's method by its name; empty for other functions.
func operationOf(name string) string {
	for _, o := range []string{"Create", "Update", "Delete"} {
		if strings.HasPrefix(name, "Validate") && strings.HasSuffix(name, o) {
			return strings.ToUpper(o)
		}
	}
	return ""
}

// validator reads a method if it is one of a validator for the kind. Three forms are known: webhook-gen's methods take
// a request, controller-runtime's CustomValidator and Validator take the objects, and its older Validator is the type
// itself.
func (r *reader) validator(fn *ast.FuncDecl) {
	operation := operationOf(fn.Name.Name)
	if operation == "" || fn.Recv == nil {
		return
	}
	w := walk{reader: r, values: map[types.Object]value{}, operation: operation}
	var kind *types.Named
	receiver := namedOf(r.pkg.TypesInfo.TypeOf(fn.Recv.List[0].Type))
	if r.isKind(receiver) {
		kind = receiver
		for _, name := range fn.Recv.List[0].Names {
			w.bind(name, w.current())
		}
	}
	var objects []*ast.Ident
	for _, field := range fn.Type.Params.List {
		t := r.pkg.TypesInfo.TypeOf(field.Type)
		for _, name := range field.Names {
			switch named := namedOf(t); {
			case named == nil:
			case named.TypeArgs().Len() == 1 && strings.HasSuffix(named.Obj().Name(), "Request"):
				if object := namedOf(named.TypeArgs().At(0)); r.isKind(object) {
					kind = object
					w.bind(name, value{request: true})
				}
			case r.isKind(named):
				kind = named
				objects = append(objects, name)
			case isObject(named):
				objects = append(objects, name)
			}
		}
	}
	if kind == nil && len(objects) > 0 {
		kind = r.asserted(fn)
	}
	if kind == nil {
		return
	}
	for i, name := range objects {
		v := w.current()
		if operation == "UPDATE" && i == 0 {
			v.cel.root = "oldObject"
		}
		w.bind(name, v)
	}
	w.name, w.object = receiver.Obj().Name()+"."+fn.Name.Name, kind.Obj().Pkg().Path()+"."+kind.Obj().Name()
	r.Validators = append(r.Validators, Validator{w.name, w.object})
	w.block(fn.Body.List, nil)
}

// asserted is the type of the kind to which a function, or one that it calls with an object, asserts the object; nil if
// none does.
func (r *reader) asserted(fn *ast.FuncDecl, seen ...*ast.FuncDecl) (kind *types.Named) {
	if slices.Contains(seen, fn) {
		return nil
	}
	is := func(e ast.Expr) {
		if named := namedOf(r.pkg.TypesInfo.TypeOf(e)); r.isKind(named) {
			kind = named
		}
	}
	for n := range ast.Preorder(fn.Body) {
		switch n := n.(type) {
		case *ast.TypeAssertExpr:
			is(n.Type)
		case *ast.TypeSwitchStmt:
			for _, c := range n.Body.List {
				for _, e := range c.(*ast.CaseClause).List {
					is(e)
				}
			}
		case *ast.CallExpr:
			object := slices.ContainsFunc(n.Args, func(a ast.Expr) bool { return isObject(namedOf(r.pkg.TypesInfo.TypeOf(a))) })
			if body := r.bodies[r.callee(n)]; object && body != nil && kind == nil {
				kind = r.asserted(body, append(seen, fn)...)
			}
		}
	}
	return kind
}

// isKind reports whether a type, which may be nil, is of the kind.
func (r *reader) isKind(named *types.Named) bool { return named != nil && named.Obj().Name() == r.kind }

// isObject reports whether a type, which may be nil, is client.Object or runtime.Object.
func isObject(named *types.Named) bool {
	return named != nil && named.Obj().Name() == "Object" && types.IsInterface(named)
}

// namedOf is the named type of a value or of what a pointer points to; nil for others.
func namedOf(t types.Type) *types.Named {
	named, _ := types.Unalias(deref(t)).(*types.Named)
	return named
}
