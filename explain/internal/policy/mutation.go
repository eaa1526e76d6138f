// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"slices"
	"strings"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"k8s.io/apiserver/pkg/cel/mutation"

	"github.com/webhook-gen/webhook-gen/explain/internal/condition"
)

// mutation reports errors in an Object or JSONPatch of a mutation. An API server compiles these without types: it
// accepts every field.
func (e *typedEnvironment) mutation(role role, x ast.Expr, r *reporter) {
	name := x.AsStruct().TypeName()
	switch {
	case name == mutation.JSONPatchTypeName:
		e.patchPath(x, r)
	case name == mutation.ObjectTypeName || strings.HasPrefix(name, mutation.ObjectTypeName+"."):
		e.objectFields(role, x, name, r)
	}
}

// objectFields compares the fields of an Object with the type that its name names.
func (e *typedEnvironment) objectFields(role role, x ast.Expr, name string, r *reporter) {
	at := e.object.root
	path := e.object.kind
	for _, field := range strings.Split(name, ".")[1:] {
		next, ok := at.field(field)
		if !ok {
			if at.decl.IsObject() {
				r.at(x, "%s has no field %s%s, so there is no %s", path, field, proposal(field, at), name)
			}
			return // the object is reported where it is a value, or its type is open
		}
		for next.decl.IsList() || next.decl.IsMap() && isStructs(next) {
			next, _ = next.element()
		}
		at, path = next, path+"."+field
	}
	if !at.decl.IsObject() {
		return
	}
	for _, f := range x.AsStruct().Fields() {
		field := f.AsStructField()
		value := field.Value()
		target, ok := at.field(field.Name())
		switch {
		case !ok:
			r.field(f, "%s has no field %s%s", path, field.Name(), proposal(field.Name(), at))
		case role == applyConfiguration && target.isAtomic():
			r.field(f, "%s.%s is atomic, which an apply configuration may not set: declare its list type, map type or struct type, or use a JSON patch", path, field.Name())
		case !field.IsOptional():
			e.fieldValue(role, value, target, name+"."+field.Name(), path+"."+field.Name(), r)
		}
	}
}

// fieldValue compares the value of a field with its type. The name is the type of an Object that fits the field.
func (e *typedEnvironment) fieldValue(role role, value ast.Expr, target node, name, path string, r *reporter) {
	if target.decl.CelType().Kind() == celgo.DynKind {
		return
	}
	if of := r.variable(value); of != nil {
		body := &reporter{Tree: of, variables: r.variables}
		if e.fieldValue(role, of.Expr(), target, name, path, body); len(body.problems) > 0 {
			r.at(value, "%s", strings.TrimSuffix(body.problems[0].Message, ours))
		}
		return
	}
	if all := sides(value); len(all) > 1 && (target.decl.IsList() || value.AsCall().FunctionName() == operators.Conditional) {
		for _, side := range all {
			e.fieldValue(role, side, target, name, path, r)
		}
		return
	}
	switch value.Kind() {
	case ast.StructKind:
		if got := value.AsStruct().TypeName(); strings.HasPrefix(got, mutation.ObjectTypeName) && got != name {
			r.at(value, "%s is an %s, not an %s", path, name, got)
		} else if !target.decl.IsObject() && !target.decl.IsMap() && !isStructs(target) {
			r.at(value, "%s is %s, not an object", path, target.decl.CelType())
		} else if target.decl.IsList() {
			r.at(value, "%s is a list: write [%s{...}]", path, name)
		}
		return
	case ast.ListKind, ast.ComprehensionKind:
		elements := elementsOf(value)
		if !target.decl.IsList() || len(elements) == 0 {
			break
		}
		element, _ := target.element()
		for _, x := range elements {
			if role == applyConfiguration && r.isCollection(x) {
				r.at(x, "%s is a list of literals, which an apply configuration cannot have: write [%s{...}]", path, name)
				continue
			}
			e.fieldValue(role, x, element, name, path, r)
		}
		return
	case ast.MapKind:
		if target.decl.IsObject() || target.decl.IsMap() {
			e.mapValue(role, value, target, name, path, r)
			return
		}
	}
	got := r.GetType(value.ID())
	if !fits(got, target.decl.CelType()) {
		r.at(value, "%s is %s, not %s", path, target.decl.CelType(), got)
	}
}

// mapValue compares a map that is written out with the type of its field. In an apply configuration, an API server
// converts the values of such a map only if they are no lists and maps themselves
// (k8s.io/apiserver/pkg/cel/mutation/dynamic, convertField).
func (e *typedEnvironment) mapValue(role role, value ast.Expr, target node, name, path string, r *reporter) {
	for _, entry := range value.AsMap().Entries() {
		key, ok := condition.Literal(entry.AsMapEntry().Key())
		if !ok {
			continue
		}
		field, ok := target.field(key)
		switch of := entry.AsMapEntry().Value(); {
		case !ok:
			r.at(entry.AsMapEntry().Key(), "%s has no field %s%s", path, key, proposal(key, target))
		case role == applyConfiguration && of.Kind() == ast.StructKind && of.AsStruct().TypeName() != name:
			r.at(of, "%s.%s is in a map, from which an apply configuration takes no %s: write %s{%s: ...}", path, key, of.AsStruct().TypeName(), name, key)
		case role == applyConfiguration && r.isCollection(of):
			r.at(of, "%s.%s is in a map, from which an apply configuration takes no lists and maps: write %s{%s: ...}", path, key, name, key)
		case role == applyConfiguration && field.isAtomic():
			r.at(of, "%s.%s is atomic, which an apply configuration may not set: declare its list type, map type or struct type, or use a JSON patch", path, key)
		case of.Kind() != ast.StructKind: // visited by itself
			e.fieldValue(role, of, field, name+"."+key, path+"."+key, r)
		}
	}
}

// elementsOf returns the elements of a list as they are written, and the one that map and filter make.
func elementsOf(x ast.Expr) []ast.Expr {
	if x.Kind() == ast.ListKind {
		return x.AsList().Elements()
	}
	step := x.AsComprehension().LoopStep()
	for step.Kind() == ast.CallKind {
		args := step.AsCall().Args()
		switch {
		case step.AsCall().FunctionName() == operators.Conditional:
			step = args[1]
		case step.AsCall().FunctionName() == operators.Add && args[1].Kind() == ast.ListKind:
			return args[1].AsList().Elements()
		default:
			return nil
		}
	}
	return nil
}

// sides returns the operands of a choice and of a sum, or the expression itself.
func sides(x ast.Expr) []ast.Expr {
	if x.Kind() == ast.CallKind {
		switch args := x.AsCall().Args(); x.AsCall().FunctionName() {
		case operators.Conditional:
			return slices.Concat(sides(args[1]), sides(args[2]))
		case operators.Add:
			return slices.Concat(sides(args[0]), sides(args[1]))
		}
	}
	return []ast.Expr{x}
}

// isCollection reports a list or a map that is written out, also in a variable, or as a side of a choice or a sum.
func (r *reporter) isCollection(x ast.Expr) bool {
	return slices.ContainsFunc(sides(x), func(side ast.Expr) bool {
		if of := r.variable(side); of != nil {
			return r.isCollection(of.Expr())
		}
		return side.Kind() == ast.ListKind || side.Kind() == ast.MapKind
	})
}

// fits reports whether a value of one type can be one of another in JSON. Open types fit.
func fits(got, want *celgo.Type) bool {
	open := []celgo.Kind{celgo.DynKind, celgo.AnyKind, celgo.TypeParamKind, celgo.NullTypeKind, celgo.OpaqueKind}
	others := map[celgo.Kind][]celgo.Kind{
		celgo.DoubleKind: {celgo.IntKind, celgo.UintKind}, celgo.IntKind: {celgo.UintKind},
		celgo.StringKind: {celgo.BytesKind, celgo.TimestampKind, celgo.DurationKind},
		celgo.StructKind: {celgo.MapKind}, celgo.MapKind: {celgo.StructKind},
	}[want.Kind()]
	switch {
	case slices.Contains(open, got.Kind()) || slices.Contains(open, want.Kind()):
		return true
	case want.Kind() == celgo.ListKind && got.Kind() == celgo.ListKind:
		return fits(got.Parameters()[0], want.Parameters()[0])
	}
	return got.Kind() == want.Kind() || slices.Contains(others, got.Kind())
}

// isStructs reports a list or map of structs.
func isStructs(n node) bool {
	element, ok := n.element()
	return ok && (element.decl.IsObject() || isStructs(element))
}

// isAtomic reports a list, map or struct that server-side apply replaces as a whole. Lists are atomic by default.
func (n node) isAtomic() bool {
	if n.schema == nil {
		return false
	}
	if n.decl.IsList() {
		return n.schema.XListType == nil || *n.schema.XListType == "atomic"
	}
	return n.schema.XMapType != nil && *n.schema.XMapType == "atomic"
}

// patchPath compares a path of a JSON patch, as far as it is written out, with the type.
func (e *typedEnvironment) patchPath(x ast.Expr, r *reporter) {
	for _, f := range x.AsStruct().Fields() {
		field := f.AsStructField()
		if field.Name() != "path" && field.Name() != "from" {
			continue
		}
		at := e.object.root
		tokens, _ := pointer(field.Value())
		for _, token := range tokens {
			next, ok := at.field(token)
			if at.decl.IsList() {
				next, ok = at.element()
			}
			if !ok {
				if at.decl.IsObject() {
					r.at(field.Value(), "%s has no field %s%s", at.decl.TypeName(), token, proposal(token, at))
				}
				break
			}
			at = next
		}
	}
}

// pointer returns the names in a path of a JSON patch. In a computed path, it returns the names before the computed
// part: metadata and labels of "/metadata/labels/" + key.
func pointer(x ast.Expr) (tokens []string, whole bool) {
	first := x
	for first.Kind() == ast.CallKind && first.AsCall().FunctionName() == operators.Add {
		first = first.AsCall().Args()[0]
	}
	text, ok := condition.Literal(first)
	if !ok || !strings.HasPrefix(text, "/") {
		return nil, false
	}
	tokens = strings.Split(text, "/")[1:]
	for i, t := range tokens {
		tokens[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(t)
	}
	if first != x {
		return tokens[:len(tokens)-1], false
	}
	return tokens, true
}

// operation is an operation of a JSON patch.
type operation struct {
	op         string
	path, from ast.Expr // nil without one
}

// readOperation reads a JSONPatch. It returns false for another expression, and if the op is computed.
func readOperation(x ast.Expr) (o operation, ok bool) {
	if x.Kind() != ast.StructKind || x.AsStruct().TypeName() != mutation.JSONPatchTypeName {
		return operation{}, false
	}
	for _, f := range x.AsStruct().Fields() {
		switch value := f.AsStructField().Value(); f.AsStructField().Name() {
		case "op":
			o.op, ok = condition.Literal(value)
		case "path":
			o.path = value
		case "from":
			o.from = value
		}
	}
	return o, ok && o.path != nil
}

// patches are the mutations of a policy, in their order, for the fields that their JSON patches need.
type patches struct {
	*typedEnvironment
	trees []*condition.Tree
}

// needs returns the fields without which an API server cannot apply an operation: those around its path, the removed
// one, and those around a source (gopkg.in/evanphx/json-patch.v4). Operations and mutations before it may add them.
func (p *patches) needs(t *condition.Tree, x ast.Expr) (needs []condition.Need) {
	o, ok := readOperation(x)
	if !ok {
		return nil
	}
	for _, of := range []ast.Expr{o.from, o.path} {
		if of == nil {
			continue
		}
		tokens, whole := pointer(of)
		removed := o.op == "remove" && of == o.path || o.op == "move" && of == o.from
		if whole && len(tokens) > 0 && !removed {
			tokens = tokens[:len(tokens)-1]
		}
		r := reporter{Tree: t}
		n := condition.Need{Fields: p.fields(tokens)}
		n.From, n.To = r.span(of)
		p.markAdded(t, x, n.Fields, tokens)
		needs = append(needs, n)
	}
	return needs
}

// fields describes the fields of a path, up to an element of a list.
func (p *patches) fields(tokens []string) (all []condition.Field) {
	var at node
	if p.object != nil {
		at = p.object.root
	}
	for _, name := range tokens {
		f := condition.Field{Name: name}
		if at.decl != nil {
			if at.decl.IsList() {
				return all
			}
			f.Optional = at.decl.IsMap() || at.schema != nil && at.isOptional(name)
			at, _ = at.field(name)
		}
		all = append(all, f)
	}
	return all
}

// isOptional reports whether a struct may lack a field.
func (n node) isOptional(field string) bool {
	property, known := n.schema.Properties[field]
	return known && property.Default == nil && !slices.Contains(n.schema.Required, field)
}

// markAdded marks the fields of a path that the mutations and operations before an operation add. A test counts, too:
// the patch ends without an error if it fails.
func (p *patches) markAdded(t *condition.Tree, x ast.Expr, fields []condition.Field, path []string) {
	for _, tree := range p.trees {
		p.visit(tree.Expr(), nil, func(y ast.Expr, _ scope) {
			if tree == t && tree.At(y) >= t.At(x) {
				return
			}
			for _, a := range additions(y) {
				for i := range fields {
					here := path[:i+1]
					fields[i].Added = fields[i].Added || isPrefix(here, a.path) || a.whole && isPrefix(a.path, here)
				}
			}
		})
		if tree == t {
			return
		}
	}
}

func isPrefix(short, long []string) bool {
	return len(short) <= len(long) && slices.Equal(short, long[:len(short)])
}

// addition is a path to which a mutation writes. Of a whole value, the fields are not known.
type addition struct {
	path  []string
	whole bool
}

// additions returns the additions by an operation or an Object.
func additions(x ast.Expr) (all []addition) {
	if o, ok := readOperation(x); ok {
		if tokens, whole := pointer(o.path); o.op != "remove" {
			all = append(all, addition{tokens, whole})
		}
		return all
	}
	if x.Kind() != ast.StructKind || !strings.HasPrefix(x.AsStruct().TypeName(), mutation.ObjectTypeName) {
		return nil
	}
	names := strings.Split(x.AsStruct().TypeName(), ".")[1:]
	for _, f := range x.AsStruct().Fields() {
		field := f.AsStructField()
		all = append(all, addition{append(slices.Clone(names), field.Name()), field.Value().Kind() != ast.StructKind})
	}
	return all
}

// proposal proposes the field of the nearest name.
func proposal(wrong string, of node) string {
	if name := of.closest(wrong); name != "" {
		return " (did you mean " + name + "?)"
	}
	return ""
}
