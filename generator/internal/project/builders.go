// SPDX-License-Identifier: Apache-2.0

package project

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/format"
	"go/token"
	"iter"
	"slices"
	"strconv"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// builder is a call of controller-runtime's builder for webhooks:
// ctrl.NewWebhookManagedBy(mgr, &T{}).WithValidator(&V{}).
type builder struct {
	// object is the type of the objects.
	object model.GoType
	// sides are the validator and the defaulter.
	sides []side
	// path is the URL path of both sides.
	path string
	// at is the position of the builder in the function.
	at       diag.Range
	function string
	// lost are the source texts of calls without an equivalent in generated handlers.
	lost []string
}

// argument is an expression in a builder.
type argument struct {
	// text is the source on one line, with a literal in place of the receiver.
	text string
	// code is the expression for other files. It is nil if the expression needs variables whose values are unknown.
	code model.Code
}

// side is a validator or a defaulter in a builder.
type side struct {
	mutating bool
	// path is the URL path in the builder, or "" if it is derived from the type.
	path string
	// function is the controller-runtime function that returns a handler. typed is true if its type parameter is the
	// object's type; otherwise, it takes an object.
	function string
	typed    bool
	// argument is the validator or defaulter. Its code may use the test's variables: the fake client and the scheme.
	argument
	// hasFields is true if the validator or defaulter is not the zero value of a type.
	hasFields bool
	// options are the source texts of the other arguments.
	options []string
}

func builders(p *load.Package) []builder {
	var all []builder
	for r := range functions(p, "WebhookManagedBy") {
		for _, chain := range r.chains() {
			if b := r.builder(chain); !b.object.IsZero() {
				all = append(all, b)
			}
		}
	}
	return all
}

// functions yields a reader for each function and method that contains one of the words.
func functions(p *load.Package, words ...string) iter.Seq[builderReader] {
	return func(yield func(builderReader) bool) {
		for f, function := range p.Functions(words...) {
			if !yield(builderReader{p, f, function}) {
				return
			}
		}
	}
}

// chains returns the calls of the methods of each builder in the function, the call that makes the builder first. A
// builder may be in a variable: b := ctrl.NewWebhookManagedBy(mgr, &T{}), and then b.WithValidator(&V{}).
func (r builderReader) chains() [][]*ast.CallExpr {
	var all [][]*ast.CallExpr
	variables, read := map[string]int{}, map[*ast.CallExpr]bool{}
	follow := func(e ast.Expr) (builder int) { // -1 for another expression
		chain, root := chainOf(e)
		builder, ok := variables[root]
		switch {
		case len(chain) == 0 && root == "", root != "" && !ok:
			return -1
		case root == "" && read[chain[0]]:
			return slices.IndexFunc(all, func(c []*ast.CallExpr) bool { return c[0] == chain[0] })
		case root == "":
			builder = len(all)
			all = append(all, nil)
		}
		for _, call := range chain {
			if !read[call] {
				read[call] = true
				all[builder] = append(all[builder], call)
			}
		}
		return builder
	}
	assign := func(name ast.Expr, value ast.Expr) {
		if id, ok := name.(*ast.Ident); ok {
			if builder := follow(value); builder >= 0 {
				variables[id.Name] = builder
			}
		}
	}
	for n := range ast.Preorder(r.function) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, value := range n.Rhs {
				if len(n.Lhs) == len(n.Rhs) {
					assign(n.Lhs[i], value)
				}
			}
		case *ast.ValueSpec:
			for i, value := range n.Values {
				if len(n.Names) == len(n.Values) {
					assign(n.Names[i], value)
				}
			}
		case *ast.CallExpr:
			follow(n)
		}
	}
	return all
}

// chainOf returns the calls of a chain of methods, the first call first. The chain begins with the call that makes a
// builder, or with the variable root. Without either, root is empty and there are no calls.
func chainOf(e ast.Expr) (chain []*ast.CallExpr, root string) {
	for {
		switch v := e.(type) {
		case *ast.Ident:
			slices.Reverse(chain)
			return chain, v.Name
		case *ast.CallExpr:
			chain = append(chain, v)
			fun := v.Fun
			if index, ok := fun.(*ast.IndexExpr); ok { // with a type argument
				fun = index.X
			}
			selector, ok := fun.(*ast.SelectorExpr)
			if !ok {
				return nil, ""
			}
			if name := selector.Sel.Name; name == "NewWebhookManagedBy" || name == "WebhookManagedBy" {
				slices.Reverse(chain)
				return chain, ""
			}
			e = selector.X
		default:
			return nil, ""
		}
	}
}

// builderReader reads a function that may contain builders or be a method of a validator or defaulter.
type builderReader struct {
	pkg      *load.Package
	file     *load.File
	function *ast.FuncDecl
}

func (r builderReader) builder(chain []*ast.CallExpr) builder {
	b := builder{at: r.file.Range(chain[0].Pos(), chain[0].End()), function: r.function.Name.Name}
	generic := len(chain[0].Args) == 2 // since controller-runtime v0.23
	if generic {
		b.object = r.objectType(chain[0].Args[1])
	}
	if index, ok := chain[0].Fun.(*ast.IndexExpr); ok && b.object.IsZero() {
		if pointer, ok := index.Index.(*ast.StarExpr); ok {
			b.object = r.named(pointer.X)
		}
	}
	paths := map[string]string{}
	for _, call := range chain[1:] {
		name := call.Fun.(*ast.SelectorExpr).Sel.Name
		if len(call.Args) == 0 {
			continue
		}
		switch name {
		case "For":
			b.object = r.objectType(call.Args[0])
		case "WithValidatorCustomPath", "WithDefaulterCustomPath", "WithCustomPath":
			if value, ok := r.constant(call.Args[0]); ok {
				paths[name] = value
			}
		case "WithValidator", "WithDefaulter", "WithCustomValidator", "WithCustomDefaulter":
			s := side{mutating: strings.HasSuffix(name, "Defaulter"), function: name, typed: true, argument: argument{text: r.argument(call.Args[0])}}
			if !generic || strings.HasPrefix(name, "WithCustom") {
				s.function, s.typed = "WithCustom"+strings.TrimPrefix(strings.TrimPrefix(name, "With"), "Custom"), false
			}
			if len(call.Args) == 1 {
				s.code = r.value(call.Args[0], b.object)
			}
			s.hasFields = !isZeroLiteral(s.text)
			for _, option := range call.Args[1:] {
				s.options = append(s.options, r.argument(option))
			}
			b.sides = append(b.sides, s)
		case "RecoverPanic", "WithContextFunc", "WithConverter", "WithLogConstructor":
			if text := r.argument(call.Args[0]); name != "RecoverPanic" || text != "true" {
				b.lost = append(b.lost, name+"("+text+")")
			}
		}
	}
	b.path = paths["WithCustomPath"]
	for i, s := range b.sides {
		own := paths["WithValidatorCustomPath"]
		if s.mutating {
			own = paths["WithDefaulterCustomPath"]
		}
		b.sides[i].path = cmp.Or(own, b.path)
	}
	return b
}

// isZeroLiteral reports whether an expression is a zero value: &T{}, T{} or new(T).
func isZeroLiteral(source string) bool {
	return strings.HasSuffix(source, "{}") || strings.HasPrefix(source, "new(")
}

// constant returns the text of a literal, or of a constant of the package or the function that is one.
func (r builderReader) constant(e ast.Expr) (string, bool) {
	if name, ok := e.(*ast.Ident); ok {
		if value := r.assigned(name); value != nil {
			return r.constant(value)
		}
		return r.constantOf(name.Name)
	}
	if literal, ok := e.(*ast.BasicLit); ok && literal.Kind == token.STRING {
		value, err := strconv.Unquote(literal.Value)
		return value, err == nil
	}
	return "", false
}

// constantOf returns the text of a constant or variable of the package that is a literal.
func (r builderReader) constantOf(name string) (string, bool) {
	if literal, ok := r.packageValue(name).(*ast.BasicLit); ok {
		return r.constant(literal)
	}
	return "", false
}

// packageValue returns the value of a constant or variable of the package; nil for others.
func (r builderReader) packageValue(name string) ast.Expr {
	for _, f := range r.pkg.FilesWith(name) {
		for _, d := range f.AST.Decls {
			declaration, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range declaration.Specs {
				if values, ok := spec.(*ast.ValueSpec); ok && len(values.Names) == len(values.Values) {
					if i := slices.IndexFunc(values.Names, func(n *ast.Ident) bool { return n.Name == name }); i >= 0 {
						return values.Values[i]
					}
				}
			}
		}
	}
	return nil
}

// resolved returns the value of a variable that the function assigns once, and other expressions as they are.
func (r builderReader) resolved(e ast.Expr) ast.Expr {
	if name, ok := e.(*ast.Ident); ok {
		return cmp.Or(r.assigned(name), e)
	}
	return e
}

// objectType is typeOf, also of a variable that the function assigns once.
func (r builderReader) objectType(e ast.Expr) model.GoType { return r.typeOf(r.resolved(e)) }

// typeOf returns the type of an object: &T{}, &p.T{}, new(T), &variable, a parameter, or the receiver of the function.
func (r builderReader) typeOf(e ast.Expr) model.GoType {
	switch e := e.(type) {
	case *ast.UnaryExpr:
		switch x := e.X.(type) {
		case *ast.CompositeLit:
			if e.Op == token.AND {
				return r.named(x.Type)
			}
		case *ast.Ident:
			if literal, ok := r.assigned(x).(*ast.CompositeLit); ok {
				return r.named(literal.Type)
			}
			return r.named(r.declaredType(x.Name))
		}
	case *ast.CallExpr:
		if name, ok := e.Fun.(*ast.Ident); ok && name.Name == "new" && len(e.Args) == 1 {
			return r.named(e.Args[0])
		}
	case *ast.Ident:
		if name, t := r.receiver(); name == e.Name {
			return r.named(t)
		}
		if pointer, ok := r.parameter(e.Name).(*ast.StarExpr); ok {
			return r.named(pointer.X)
		}
	}
	return model.GoType{}
}

// declaredType returns the type of a variable that the function declares without a value: var o T.
func (r builderReader) declaredType(name string) (t ast.Expr) {
	for n := range ast.Preorder(r.function) {
		if v, ok := n.(*ast.ValueSpec); ok && slices.ContainsFunc(v.Names, func(id *ast.Ident) bool { return id.Name == name }) {
			t = v.Type
		}
	}
	return t
}

// receiver returns the name and the type of the function's receiver.
func (r builderReader) receiver() (name string, t ast.Expr) {
	if r.function.Recv == nil || len(r.function.Recv.List) != 1 || len(r.function.Recv.List[0].Names) != 1 {
		return "", nil
	}
	t = r.function.Recv.List[0].Type
	if pointer, ok := t.(*ast.StarExpr); ok {
		t = pointer.X
	}
	return r.function.Recv.List[0].Names[0].Name, t
}

// named returns the type of a type expression.
func (r builderReader) named(t ast.Expr) model.GoType {
	switch t := t.(type) {
	case *ast.Ident:
		return model.GoType{Path: r.pkg.Path, Name: t.Name}
	case *ast.SelectorExpr:
		from, ok := t.X.(*ast.Ident)
		if !ok {
			return model.GoType{}
		}
		if imported := r.pkg.Module.Imported(r.file.AST, from.Name); imported != "" {
			return model.GoType{Path: imported, Alias: from.Name, Name: t.Sel.Name}
		}
	}
	return model.GoType{}
}

// value returns the code of a validator or defaulter that a test can construct. It has no fields, is the object
// itself, or its fields and arguments are constants, other such values, the manager's client or its scheme. value
// returns nil for others, because without their fields they would panic in the test.
func (r builderReader) value(e ast.Expr, object model.GoType) model.Code {
	if name, ok := e.(*ast.Ident); ok {
		if t := r.typeOf(name); !t.IsZero() {
			if t == object || r.isEmpty(t.Name) {
				return model.Code{{Text: "&"}, {Name: t}, {Text: "{}"}}
			}
			return nil
		}
		e = r.assigned(name)
	}
	switch v := e.(type) {
	case *ast.UnaryExpr:
		if literal, ok := v.X.(*ast.CompositeLit); ok && v.Op == token.AND {
			return around("&", r.literal(literal), "")
		}
	case *ast.CompositeLit:
		return r.literal(v)
	case *ast.CallExpr: // new(T), or a function in the package
		if name, ok := v.Fun.(*ast.Ident); ok && name.Name == "new" && len(v.Args) == 1 {
			if r.isEmpty(r.text(v.Args[0])) {
				return around("&", r.typeCode(v.Args[0]), "{}")
			}
			return nil
		}
		return joined(r.called(v.Fun), around("(", list(v.Args, r.field), ")"))
	}
	return nil
}

// around returns code between two texts, or nil for nil code.
func around(before string, code model.Code, after string) model.Code {
	if code == nil {
		return nil
	}
	return slices.Concat(model.Code{{Text: before}}, code, model.Code{{Text: after}})
}

// joined returns two pieces of code in sequence, or nil if one is missing.
func joined(one, other model.Code) model.Code {
	if one == nil || other == nil {
		return nil
	}
	return slices.Concat(one, other)
}

// list returns the code of expressions, separated by commas, or nil if one has no code.
func list(all []ast.Expr, code func(ast.Expr) model.Code) model.Code {
	joint, separator := model.Code{}, ""
	for _, e := range all {
		joint, separator = joined(joint, around(separator, code(e), "")), ", "
	}
	return joint
}

// called returns the code of a function of the module, with its type arguments.
func (r builderReader) called(e ast.Expr) model.Code {
	switch f := e.(type) {
	case *ast.Ident:
		return r.functionCode(f)
	case *ast.SelectorExpr:
		if _, ours := r.pkg.Module.PackageName(r.named(f).Path); ours {
			return r.nameCode(f)
		}
	case *ast.IndexExpr:
		return joined(r.called(f.X), around("[", r.typeCode(f.Index), "]"))
	}
	return nil
}

// declared returns a function of the package, or nil.
func (r builderReader) declared(name string) *ast.FuncDecl {
	for other := range functions(r.pkg, "func "+name+"(", "func "+name+"[") {
		if d := other.function; d.Recv == nil && d.Name.Name == name {
			return d
		}
	}
	return nil
}

// functionCode returns the code of a function of the package or of an imported one.
func (r builderReader) functionCode(e ast.Expr) model.Code {
	if name, ok := e.(*ast.Ident); ok && r.declared(name.Name) == nil {
		return nil
	}
	return r.nameCode(e)
}

// nameCode returns the code of a name of the package or of an imported one.
func (r builderReader) nameCode(e ast.Expr) model.Code {
	if t := r.named(e); !t.IsZero() {
		return model.Code{{Name: t}}
	}
	return nil
}

// typeCode returns the code of a named type or of a pointer to one.
func (r builderReader) typeCode(e ast.Expr) model.Code {
	if pointer, ok := e.(*ast.StarExpr); ok {
		return around("*", r.typeCode(pointer.X), "")
	}
	if name, ok := e.(*ast.Ident); ok {
		if _, local := r.pkg.Type(name.Name); !local {
			return nil
		}
	}
	return r.nameCode(e)
}

// literal returns the code of a struct literal whose fields a test can set.
func (r builderReader) literal(l *ast.CompositeLit) model.Code {
	fields := list(l.Elts, func(element ast.Expr) model.Code {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			return around(r.text(pair.Key)+": ", r.field(pair.Value), "")
		}
		return nil
	})
	return joined(r.typeCode(l.Type), around("{", fields, "}"))
}

// fakeClient is the name of the client in the test.
const fakeClient = "clients"

// field returns the code of a field or argument: a constant, the fake client for the manager's, the test's scheme, or
// another value. It returns nil for other expressions.
func (r builderReader) field(e ast.Expr) model.Code {
	switch v := e.(type) {
	case *ast.BasicLit:
		return model.Code{{Text: v.Value}}
	case *ast.Ident:
		if v.Name == "true" || v.Name == "false" {
			return model.Code{{Text: v.Name}}
		}
		if assigned := r.assigned(v); assigned != nil {
			return r.field(assigned)
		}
	case *ast.CallExpr:
		method, ok := v.Fun.(*ast.SelectorExpr)
		switch {
		case !ok:
			return r.value(e, model.GoType{})
		case len(v.Args) == 0 && (method.Sel.Name == "GetClient" || method.Sel.Name == "GetAPIReader"):
			return model.Code{{Text: fakeClient}}
		case len(v.Args) == 0 && method.Sel.Name == "GetScheme":
			return model.Code{{Text: "scheme"}}
		case len(v.Args) == 1 && r.text(v.Fun) == "admission.NewDecoder":
			return around("admission.NewDecoder(", r.field(v.Args[0]), ")")
		}
	case *ast.UnaryExpr, *ast.CompositeLit:
		return r.value(e, model.GoType{})
	}
	return nil
}

// assigned returns the value of a variable that the function assigns once, or nil.
func (r builderReader) assigned(name *ast.Ident) ast.Expr {
	if r.parameter(name.Name) != nil {
		return nil
	}
	var values []ast.Expr
	add := func(left ast.Expr, right []ast.Expr, i, all int) {
		l, ok := left.(*ast.Ident)
		switch {
		case !ok || l.Name != name.Name:
		case len(right) != all || right[i] == ast.Expr(name):
			values = append(values, nil)
		default:
			values = append(values, right[i])
		}
	}
	for n := range ast.Preorder(r.function.Body) {
		switch a := n.(type) {
		case *ast.ValueSpec:
			for i, left := range a.Names {
				add(left, a.Values, i, len(a.Names))
			}
		case *ast.AssignStmt:
			for i, left := range a.Lhs {
				add(left, a.Rhs, i, len(a.Lhs))
			}
		}
	}
	if len(values) != 1 {
		return nil
	}
	return values[0]
}

// parameter returns the type of a parameter of the function, or nil.
func (r builderReader) parameter(name string) ast.Expr {
	for _, field := range r.function.Type.Params.List {
		if slices.ContainsFunc(field.Names, func(n *ast.Ident) bool { return n.Name == name }) {
			return field.Type
		}
	}
	return nil
}

// isEmpty reports whether a type of the package is a struct without fields.
func (r builderReader) isEmpty(name string) bool {
	for _, f := range r.pkg.FilesWith(name + " struct") {
		for spec := range load.Types(f.AST) {
			if fields, ok := spec.Type.(*ast.StructType); ok && spec.Name.Name == name {
				return fields.Fields.NumFields() == 0
			}
		}
	}
	return false
}

// argument returns an expression's source on one line, with a literal in place of the receiver.
func (r builderReader) argument(e ast.Expr) string {
	if name, ok := e.(*ast.Ident); ok {
		if receiver, t := r.receiver(); receiver == name.Name {
			return "&" + r.text(t) + "{}"
		}
		if assigned := r.assigned(name); assigned != nil {
			e = assigned
		}
	}
	return strings.Join(strings.Fields(r.text(e)), " ")
}

// text returns the source of an expression.
func (r builderReader) text(e ast.Expr) string {
	var text bytes.Buffer
	if format.Node(&text, token.NewFileSet(), e) != nil {
		return ""
	}
	return text.String()
}

// serves reports whether the builder serves a webhook with this side.
func (b builder) serves(s side, w *model.Webhook) bool {
	if s.mutating != w.Mutating {
		return false
	}
	if s.path != "" {
		return s.path == w.ServedPath()
	}
	return slices.ContainsFunc(w.Spec.Rules, func(rule admissionregistrationv1.RuleWithOperations) bool {
		return slices.ContainsFunc(rule.APIVersions, func(version string) bool {
			return strings.HasSuffix(w.ServedPath(), "-"+version+"-"+strings.ToLower(b.object.Name))
		})
	})
}
