// SPDX-License-Identifier: Apache-2.0

// Native moves validators and defaulters of controller-runtime to the handlers that `webhook-gen import --handlers
// stubs` created, as a maintainer does by hand:
//
//   - the fields of both types and all their methods move to the handler's type;
//   - ValidateCreate, ValidateUpdate and ValidateDelete take a typed request, and add warnings to it;
//   - methods for operations that no marker lists are removed;
//   - DefaultCreate and DefaultUpdate call the existing Default;
//   - one function of the package registers the handlers in place of controller-runtime's builder, or each function
//     those of its builder, if their fields need its parameters or receiver;
//   - callers of the methods, the project's tests included, pass a request.
//
// It runs in the folder of the project: native PACKAGES. It stops at the first code that it cannot move.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

const requests = "github.com/webhook-gen/webhook-gen/runtime/admission"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "native:", err)
		os.Exit(1)
	}
}

func run(patterns []string) error {
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes |
			packages.NeedTypesInfo | packages.NeedImports,
		Tests: true,
	}, patterns...)
	if err != nil {
		return err
	}
	files := edits{}
	for _, p := range loaded {
		hasTests := slices.ContainsFunc(loaded, func(o *packages.Package) bool {
			return o.PkgPath == p.PkgPath && strings.Contains(o.ID, "[")
		})
		if hasTests && !strings.Contains(p.ID, "[") || strings.HasSuffix(p.ID, ".test") {
			continue
		}
		for _, e := range p.Errors {
			err = errors.Join(err, e)
		}
		if err != nil {
			return err
		}
		if err := files.read(p); err != nil {
			return err
		}
		m := &move{pkg: p, files: files, handlers: map[types.Object]*handler{}}
		if err := m.all(); err != nil {
			return err
		}
	}
	return files.write()
}

// A handler is a type that import created, with the existing types whose code it takes over.
type handler struct {
	name    string                   // the created type
	fields  *ast.FieldList           // of the created type
	stubs   map[string]*ast.FuncDecl // its methods by name
	sources []*types.TypeName        // the validator and the defaulter
	object  string                   // the Go expression of the object's type
	values  []string                 // the fields that the set-up sets
	own     string                   // the receiver of the set-up, if that is the validator
	setup   *ast.FuncDecl
	moved   map[*types.Func]*types.Named // the methods that take a request, with the type of it
}

// A move edits one package.
type move struct {
	pkg      *packages.Package
	files    edits
	handlers map[types.Object]*handler // by the object's type
	setups   []*ast.FuncDecl           // in the order of the source
	count    int                       // of the new variables
}

func (m *move) all() error {
	m.findHandlers()
	if len(m.handlers) == 0 {
		return nil
	}
	for _, step := range []func() error{m.findBuilders, m.moveTypes, m.moveMethods, m.editCalls, m.register} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// findHandlers finds the types with methods on requests.
func (m *move) findHandlers() {
	byName := map[string]*handler{}
	m.declarations(func(file *ast.File, d ast.Decl) {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv == nil || f.Type.Params.NumFields() != 2 || isTest(m.path(file)) {
			return
		}
		object := requested(m.pkg.TypesInfo.TypeOf(f.Type.Params.List[len(f.Type.Params.List)-1].Type))
		name := receiver(f)
		if object == nil || name == "" {
			return
		}
		h := byName[name]
		if h == nil {
			h = &handler{name: name, stubs: map[string]*ast.FuncDecl{}, moved: map[*types.Func]*types.Named{}}
			byName[name] = h
		}
		h.stubs[f.Name.Name] = f
		m.handlers[object.Obj()] = h
	})
	m.declarations(func(_ *ast.File, d ast.Decl) {
		for _, s := range typeSpecs(d) {
			if h := byName[s.Name.Name]; h != nil {
				if t, ok := s.Type.(*ast.StructType); ok {
					h.fields = t.Fields
				}
			}
		}
	})
}

// findBuilders reads the chains of NewWebhookManagedBy.
func (m *move) findBuilders() error {
	var err error
	m.declarations(func(_ *ast.File, d ast.Decl) {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			return
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || called(call) != "Complete" {
				return true
			}
			if e := m.builder(f, call); e != nil && err == nil {
				err = e
			}
			return false
		})
	})
	return err
}

// builder reads one chain: the object's type, the validator and the defaulter.
func (m *move) builder(f *ast.FuncDecl, call *ast.CallExpr) error {
	var object ast.Expr
	var sources []ast.Expr
	for link := call; link != nil; {
		switch called(link) {
		case "NewWebhookManagedBy":
			if len(link.Args) == 2 {
				object = link.Args[1]
			}
		case "For":
			object = link.Args[0]
		case "WithValidator", "WithDefaulter":
			sources = append(sources, link.Args[0])
		}
		selector, ok := link.Fun.(*ast.SelectorExpr)
		if !ok {
			break
		}
		link, _ = selector.X.(*ast.CallExpr)
	}
	if object == nil || len(sources) == 0 {
		return nil
	}
	h := m.handlers[named(m.pkg.TypesInfo.TypeOf(object)).Obj()]
	if h == nil {
		return m.errorf(call, "no handler was created")
	}
	h.object = strings.TrimSuffix(strings.TrimPrefix(m.text(object), "&"), "{}")
	h.setup = f
	if !slices.Contains(m.setups, f) {
		m.setups = append(m.setups, f)
	}
	for _, s := range sources {
		if name, ok := s.(*ast.Ident); ok && f.Recv != nil && m.pkg.TypesInfo.Uses[name] == m.pkg.TypesInfo.Defs[f.Recv.List[0].Names[0]] {
			h.sources, h.own = append(h.sources, named(m.pkg.TypesInfo.TypeOf(name)).Obj()), name.Name
			continue
		}
		literal, ok := ast.Unparen(s).(*ast.UnaryExpr)
		if !ok {
			return m.errorf(s, "no literal")
		}
		composite, ok := literal.X.(*ast.CompositeLit)
		if !ok {
			return m.errorf(s, "no literal")
		}
		h.sources = append(h.sources, named(m.pkg.TypesInfo.TypeOf(composite)).Obj())
		for _, e := range composite.Elts {
			if text := m.text(e); !slices.Contains(h.values, text) {
				h.values = append(h.values, text)
			}
		}
	}
	return nil
}

// moveTypes moves fields to the handlers, and renames every use of the old types.
func (m *move) moveTypes() error {
	owner := map[types.Object]*handler{}
	fields := map[*handler][]string{}
	for _, h := range m.handlers {
		for _, s := range h.sources {
			owner[s] = h
		}
	}
	var err error
	m.declarations(func(_ *ast.File, d ast.Decl) {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			return
		}
		for _, s := range typeSpecs(d) {
			h := owner[m.pkg.TypesInfo.Defs[s.Name]]
			if h == nil {
				continue
			}
			t, ok := s.Type.(*ast.StructType)
			if !ok || len(g.Specs) != 1 {
				err = cmp.Or(err, m.errorf(s, "no struct type of its own"))
				continue
			}
			for _, field := range t.Fields.List {
				if text := m.text(field); !slices.Contains(fields[h], text) {
					fields[h] = append(fields[h], text)
				}
				if h.fields != nil {
					m.importsOf(h.fields, field)
				}
			}
			m.remove(g, g.Doc)
		}
		for _, s := range g.Specs {
			value, ok := s.(*ast.ValueSpec)
			if ok && len(value.Names) == 1 && value.Names[0].Name == "_" && len(value.Values) == 1 &&
				owner[m.typeName(value.Values[0])] != nil {
				m.remove(g, g.Doc)
			}
		}
	})
	for h, list := range fields {
		if h.fields == nil {
			return fmt.Errorf("%s: no struct type", h.name)
		}
		m.replace(h.fields.Opening, h.fields.Closing+1, "{\n\t"+strings.Join(list, "\n\t")+"\n}")
	}
	for ident, object := range m.pkg.TypesInfo.Uses {
		if h := owner[object]; h != nil {
			m.replace(ident.Pos(), ident.End(), h.name)
		}
	}
	return err
}

// moveMethods gives the validator's methods requests, and lets the created methods of a defaulter call the old one.
func (m *move) moveMethods() error {
	for _, h := range m.handlers {
		slices.SortFunc(h.sources, func(a, b *types.TypeName) int { return cmp.Compare(a.Pos(), b.Pos()) })
		for _, s := range slices.Compact(h.sources) {
			for method := range named(s.Type()).Methods() {
				f := m.function(method)
				if f == nil {
					continue
				}
				stub := h.stubs[method.Name()]
				switch method.Name() {
				case "ValidateCreate", "ValidateUpdate", "ValidateDelete":
					if stub == nil {
						if !m.used(method) { // by a test
							m.remove(f, f.Doc)
						}
						continue
					}
					if err := m.validator(h, method, f, stub); err != nil {
						return err
					}
				case "Default":
					for _, name := range []string{"DefaultCreate", "DefaultUpdate"} {
						if stub := h.stubs[name]; stub != nil {
							m.replace(stub.Type.Params.Opening, stub.Body.Rbrace+1, fmt.Sprintf(
								"(ctx context.Context, r *%s) error {\n\treturn w.Default(ctx, r.Object)\n}",
								m.text(lastParameter(stub).(*ast.StarExpr).X)))
						}
					}
				}
			}
		}
	}
	return nil
}

// validator moves one method: the request replaces the parameters, and takes the warnings.
func (m *move) validator(h *handler, method *types.Func, f, stub *ast.FuncDecl) error {
	m.remove(stub, stub.Doc)
	h.moved[method] = named(m.pkg.TypesInfo.TypeOf(lastParameter(stub)))
	kind := strings.TrimPrefix(method.Name(), "Validate")
	object := h.object
	signature := method.Signature()
	if pointer, ok := lastParameter(f).(*ast.StarExpr); ok {
		object = m.text(pointer.X)
	}
	request := "r"
	ast.Inspect(f, func(n ast.Node) bool {
		if i, ok := n.(*ast.Ident); ok && i.Name == "r" {
			request = "request"
		}
		return true
	})
	context := cmp.Or(signature.Params().At(0).Name(), "_")
	var body strings.Builder
	fmt.Fprintf(&body, "(%s context.Context, %s *requests.%sRequest[%s]) error {", context, request, kind, object)
	old := func(name string) {
		fmt.Fprintf(&body, "\n\t%s, oldErr := %s.OldObject()\n\tif oldErr != nil {\n\t\treturn oldErr\n\t}", name, request)
	}
	for i := 1; i < signature.Params().Len(); i++ {
		p := signature.Params().At(i)
		if !m.used(p) {
			continue
		}
		value := map[bool]string{true: request + ".OldObject", false: request + ".Object"}[kind == "Delete"]
		_, untyped := p.Type().Underlying().(*types.Interface)
		switch first := kind == "Update" && i == 1; {
		case first && untyped:
			old("typedOld")
			fmt.Fprintf(&body, "\n\tvar %s runtime.Object = typedOld", p.Name())
		case first:
			old(p.Name())
		case untyped:
			fmt.Fprintf(&body, "\n\tvar %s runtime.Object = %s", p.Name(), value)
		default:
			fmt.Fprintf(&body, "\n\t%s := %s", p.Name(), value)
		}
	}
	for result := range signature.Results().Variables() {
		if m.used(result) {
			name := types.TypeString(result.Type(), (*types.Package).Name)
			fmt.Fprintf(&body, "\n\tvar %s %s", result.Name(), name)
		}
	}
	m.replace(f.Type.Params.Opening, f.Body.Lbrace+1, body.String())
	m.imports(f, requests, "requests")
	return m.returns(f.Body, signature, request)
}

// returns adds the warnings of each return statement to the request.
func (m *move) returns(body *ast.BlockStmt, signature *types.Signature, request string) error {
	var err error
	ast.Inspect(body, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		r, ok := n.(*ast.ReturnStmt)
		if !ok {
			return true
		}
		switch len(r.Results) {
		case 0:
			warnings, e := signature.Results().At(0).Name(), signature.Results().At(1).Name()
			m.replace(r.Pos(), r.End(), fmt.Sprintf("%s.Warn(%s...)\nreturn %s", request, warnings, e))
		case 1:
			m.count++
			m.replace(r.Pos(), r.Results[0].Pos(), fmt.Sprintf("warnings%d, err%d := ", m.count, m.count))
			m.insert(r.End(), fmt.Sprintf("\n%s.Warn(warnings%d...)\nreturn err%d", request, m.count, m.count))
		case 2:
			if text := m.text(r.Results[0]); text == "nil" || strings.HasSuffix(text, "{}") {
				m.replace(r.Results[0].Pos(), r.Results[1].Pos(), "")
			} else {
				m.replace(r.Pos(), r.Results[0].Pos(), request+".Warn(")
				m.replace(r.Results[0].End(), r.Results[1].Pos(), "...)\nreturn ")
			}
		default:
			err = cmp.Or(err, m.errorf(r, "a return statement"))
		}
		return true
	})
	return err
}

// editCalls passes requests where the project calls a moved method.
func (m *move) editCalls() error {
	moved := map[types.Object]*types.Named{}
	for _, h := range m.handlers {
		for method, request := range h.moved {
			moved[method] = request
		}
	}
	seen := map[*ast.CallExpr]bool{}
	var err error
	for _, file := range m.pkg.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if len(n.Rhs) != 1 || len(n.Lhs) != 2 {
					return true
				}
				call, ok := n.Rhs[0].(*ast.CallExpr)
				if !ok || moved[m.callee(call)] == nil {
					return true
				}
				seen[call] = true
				m.call(file, n, call)
			case *ast.CallExpr:
				if moved[m.callee(n)] != nil && !seen[n] {
					err = cmp.Or(err, m.errorf(n, "a call whose results are not assigned"))
				}
			}
			return true
		})
	}
	return err
}

// call edits an assignment of warnings and an error.
func (m *move) call(file *ast.File, n *ast.AssignStmt, call *ast.CallExpr) {
	m.imports(file, requests, "requests")
	signature := m.callee(call).(*types.Func).Signature()
	object := call.Args[len(call.Args)-1]
	request := fmt.Sprintf("requests.NewUpdateRequest(%s, %s)", m.text(call.Args[1]), m.text(object))
	if signature.Params().Len() == 2 {
		field, kind := "Object", strings.TrimPrefix(called(call), "Validate")
		if kind == "Delete" {
			field = "OldObject"
		}
		t := types.TypeString(named(m.pkg.TypesInfo.TypeOf(object)), func(p *types.Package) string {
			for _, i := range file.Imports {
				if strings.Trim(i.Path.Value, `"`) == p.Path() && i.Name != nil {
					return i.Name.Name
				}
			}
			return p.Name()
		})
		request = fmt.Sprintf("&requests.%sRequest[%s]{%s: %s}", kind, t, field, m.text(object))
	}
	warnings := m.text(n.Lhs[0])
	if warnings != "_" {
		m.count++
		name := fmt.Sprintf("request%d", m.count)
		m.insert(n.Pos(), fmt.Sprintf("%s := %s\n", name, request))
		list := name + ".Warnings()"
		if theirs := m.importedAs(n, "sigs.k8s.io/controller-runtime/pkg/webhook/admission"); theirs != "" {
			list = theirs + ".Warnings(" + list + ")" // the test may compare types
		}
		m.insert(n.End(), fmt.Sprintf("\n%s %s %s", warnings, m.assign(n.Lhs[0]), list))
		request = name
	}
	m.replace(n.Lhs[0].Pos(), n.Lhs[1].Pos(), "")
	m.replace(n.TokPos, n.Rhs[0].Pos(), m.assign(n.Lhs[1])+" ")
	m.replace(call.Args[1].Pos(), object.End(), request)
}

// assign returns the operator that assigns to the variable.
func (m *move) assign(lhs ast.Expr) string {
	if i, ok := lhs.(*ast.Ident); ok && m.pkg.TypesInfo.Defs[i] != nil {
		return ":="
	}
	return "="
}

// register lets the first set-up register all handlers, and the others nothing. If a set-up has parameters beside the
// manager or is a method of a validator, each one registers its own.
func (m *move) register() error {
	alone := slices.ContainsFunc(m.setups, func(f *ast.FuncDecl) bool { return f.Type.Params.NumFields() > 1 })
	for _, h := range m.handlers {
		if h.object == "" {
			return fmt.Errorf("%s: no set-up function", h.name)
		}
		alone = alone || h.own != ""
	}
	for i, f := range m.setups {
		if len(f.Body.List) != 1 {
			return m.errorf(f, "a set-up with other statements")
		}
		var here, without []string
		for _, h := range m.handlers {
			value := h.own
			if value == "" {
				value = fmt.Sprintf("&%s{%s}", h.name, strings.Join(h.values, ", "))
			}
			if !alone || h.setup == f {
				here = append(here, fmt.Sprintf("%s: %s,\n", h.name, value))
			} else {
				without = append(without, fmt.Sprintf("w.Without.%s = true\n", h.name))
			}
		}
		slices.Sort(here)
		slices.Sort(without)
		here, without = slices.Compact(here), slices.Compact(without)
		manager := f.Type.Params.List[0].Names[0].Name
		body := "return nil"
		switch {
		case len(without) > 0:
			body = fmt.Sprintf("w := Webhooks{\n%s}\n%sreturn w.Register(%s.GetWebhookServer().Register)",
				strings.Join(here, ""), strings.Join(without, ""), manager)
		case i == 0:
			body = fmt.Sprintf("return Webhooks{\n%s}.Register(%s.GetWebhookServer().Register)", strings.Join(here, ""), manager)
		}
		m.replace(f.Body.Lbrace, f.Body.Rbrace+1, "{\n"+body+"\n}")
	}
	return nil
}

// requested returns the T of a pointer to a request, or nil.
func requested(t types.Type) *types.Named {
	n := named(t)
	if n == nil || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != requests || n.TypeArgs().Len() != 1 {
		return nil
	}
	return named(n.TypeArgs().At(0))
}

// named returns the named type of a value or a pointer.
func named(t types.Type) *types.Named {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, _ := types.Unalias(t).(*types.Named)
	return n
}

func receiver(f *ast.FuncDecl) string {
	t := f.Recv.List[0].Type
	if s, ok := t.(*ast.StarExpr); ok {
		t = s.X
	}
	if i, ok := t.(*ast.Ident); ok {
		return i.Name
	}
	return ""
}

func lastParameter(f *ast.FuncDecl) ast.Expr {
	return f.Type.Params.List[len(f.Type.Params.List)-1].Type
}

func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

func isTest(path string) bool { return strings.HasSuffix(path, "_test.go") }

func typeSpecs(d ast.Decl) (specs []*ast.TypeSpec) {
	if g, ok := d.(*ast.GenDecl); ok {
		for _, s := range g.Specs {
			if t, ok := s.(*ast.TypeSpec); ok {
				specs = append(specs, t)
			}
		}
	}
	return specs
}

func (m *move) callee(call *ast.CallExpr) types.Object {
	if s, ok := call.Fun.(*ast.SelectorExpr); ok {
		if f, ok := m.pkg.TypesInfo.Uses[s.Sel].(*types.Func); ok {
			return f
		}
	}
	return nil
}

func (m *move) typeName(e ast.Expr) types.Object {
	if n := named(m.pkg.TypesInfo.TypeOf(e)); n != nil {
		return n.Obj()
	}
	return nil
}

func (m *move) used(v types.Object) bool {
	for _, object := range m.pkg.TypesInfo.Uses {
		if object == v {
			return true
		}
	}
	return false
}

func (m *move) function(method *types.Func) (found *ast.FuncDecl) {
	m.declarations(func(_ *ast.File, d ast.Decl) {
		if f, ok := d.(*ast.FuncDecl); ok && m.pkg.TypesInfo.Defs[f.Name] == method {
			found = f
		}
	})
	return found
}

func (m *move) declarations(visit func(*ast.File, ast.Decl)) {
	for _, file := range m.pkg.Syntax {
		for _, d := range file.Decls {
			visit(file, d)
		}
	}
}

func (m *move) path(n ast.Node) string { return m.pkg.Fset.File(n.Pos()).Name() }

func (m *move) errorf(n ast.Node, format string, args ...any) error {
	return fmt.Errorf("%s: %s", m.pkg.Fset.Position(n.Pos()), fmt.Sprintf(format, args...))
}

func (m *move) text(n ast.Node) string {
	file := m.pkg.Fset.File(n.Pos())
	return m.files[file.Name()].text[file.Offset(n.Pos()):file.Offset(n.End())]
}

func (m *move) replace(from, to token.Pos, text string) {
	file := m.pkg.Fset.File(from)
	m.files[file.Name()].replace(file.Offset(from), file.Offset(to), text)
}

func (m *move) insert(at token.Pos, text string) { m.replace(at, at, text) }

// remove deletes a declaration with its comment. Markers in the comment are already gone.
func (m *move) remove(d ast.Decl, doc *ast.CommentGroup) {
	from := d.Pos()
	if doc != nil {
		from = doc.Pos()
	}
	m.replace(from, d.End(), "")
}

// importsOf adds the imports that a field needs to the file of a node.
func (m *move) importsOf(n ast.Node, field *ast.Field) {
	ast.Inspect(field, func(used ast.Node) bool {
		i, ok := used.(*ast.Ident)
		if !ok {
			return true
		}
		if p, ok := m.pkg.TypesInfo.Uses[i].(*types.PkgName); ok && m.importedAs(n, p.Imported().Path()) != p.Name() {
			m.imports(n, p.Imported().Path(), p.Name())
		}
		return true
	})
}

// importedAs returns the name of a package in the file of a node; empty if the file does not import it.
func (m *move) importedAs(n ast.Node, path string) string {
	for _, file := range m.pkg.Syntax {
		if m.path(file) != m.path(n) {
			continue
		}
		for _, spec := range file.Imports {
			if p := m.pkg.TypesInfo.PkgNameOf(spec); p != nil && p.Imported().Path() == path {
				return p.Name()
			}
		}
	}
	return ""
}

// imports adds an import to the file of a node, once.
func (m *move) imports(n ast.Node, path, name string) {
	tokens := m.pkg.Fset.File(n.Pos())
	for _, file := range m.pkg.Syntax {
		if m.pkg.Fset.File(file.Pos()) == tokens {
			m.files[tokens.Name()].insertOnce(tokens.Offset(file.Name.End()), fmt.Sprintf("\n\nimport %s %q", name, path))
		}
	}
}

// edits has the edits of files, by path.
type edits map[string]*edit

type edit struct {
	text  string
	parts []part
}

type part struct {
	from, to int
	text     string
}

// read adds the files of a package.
func (e edits) read(p *packages.Package) error {
	for _, file := range p.Syntax {
		path := p.Fset.File(file.Pos()).Name()
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if e[path] == nil {
			e[path] = &edit{text: string(text)}
		}
	}
	return nil
}

func (e *edit) replace(from, to int, text string) { e.parts = append(e.parts, part{from, to, text}) }

func (e *edit) insertOnce(at int, text string) {
	if p := (part{at, at, text}); !slices.Contains(e.parts, p) {
		e.parts = append(e.parts, p)
	}
}

// insertionsFirst orders edits at the same position.
func insertionsFirst(a, b part) int {
	switch {
	case a.from == a.to && b.from != b.to:
		return -1
	case a.from != a.to && b.from == b.to:
		return 1
	}
	return 0
}

// write applies the edits. One that is inside of another, larger one has no effect.
func (e edits) write() error {
	for _, path := range slices.Sorted(maps.Keys(e)) {
		f := e[path]
		if len(f.parts) == 0 {
			continue
		}
		slices.SortStableFunc(f.parts, func(a, b part) int {
			// An insertion is before the replacement at its position, and a larger edit before those inside of it.
			return cmp.Or(a.from-b.from, insertionsFirst(a, b), b.to-a.to)
		})
		var out strings.Builder
		at := 0
		for _, p := range f.parts {
			if p.from < at {
				continue
			}
			out.WriteString(f.text[at:p.from])
			out.WriteString(p.text)
			at = p.to
		}
		out.WriteString(f.text[at:])
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			return err
		}
	}
	return nil
}
