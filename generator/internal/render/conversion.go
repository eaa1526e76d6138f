// SPDX-License-Identifier: Apache-2.0

package render

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// conversions adds the Go files of all conversions.
func conversions(files *fileList, p *model.Project, packages []*convert.Package, o Options) {
	for _, pkg := range packages {
		if len(pkg.Plans) == 0 && len(pkg.Hubs) == 0 {
			continue
		}
		f := newFile(pkg.HandlerPackage, true)
		if pkg.Generated && !hasHandlers(p, pkg.Dir, o) {
			describePackage(f, pkg.Name, "has the conversions that +webhook:conversion markers declare")
		}
		w := conversionWriter{Package: pkg, file: f, zero: map[*convert.Type]string{}}
		files.add(filepath.Join(pkg.Dir, output.ConversionsFile), w.write(), output.Generated, pkg.Cause())
	}
}

// hasHandlers reports whether generated handlers in the folder already have a package comment.
func hasHandlers(p *model.Project, dir string, o Options) bool {
	return slices.Contains(o.Outputs, output.Handlers) &&
		slices.ContainsFunc(p.Webhooks(), func(w *model.Webhook) bool { return w.Handler != nil && w.Handler.Package.Dir == dir })
}

// conversionWriter writes one package of conversions.
type conversionWriter struct {
	*convert.Package
	file *jen.File
	// zero maps types to the functions that compare a struct with its zero value. zeros lists these types in the
	// order of first use.
	zero  map[*convert.Type]string
	zeros []*convert.Set
}

// full returns the needs of hooks and of functions that the runtime calls.
func full() convert.Needs { return convert.Needs{Context: true, Error: true} }

func (w *conversionWriter) write() *jen.File {
	f := w.file
	f.ImportName(conversionPackage, "conversion")
	assertRuntime(f)
	w.hooks()
	f.Line()
	w.conversions()
	w.convertible()
	for _, plan := range w.Plans {
		w.stashes(plan)
		for _, d := range convert.Directions() {
			f.Line()
			w.kind(plan, d)
			w.schemaFunction(plan, d)
		}
	}
	for _, pair := range w.Pairs {
		for _, d := range convert.Directions() {
			f.Line()
			w.pair(pair, d)
		}
	}
	for i := 0; i < len(w.zeros); i++ { // isZero may add types
		f.Line()
		w.isZero(w.zeros[i])
	}
	return f
}

// whole returns the condition that src is a full object, not a part of one.
func (w *conversionWriter) whole() *jen.Statement {
	return jen.Op("!").Qual(conversionPackage, "Partial").Call(jen.Id("ctx"))
}

// hook is a method of Hooks, which the user implements for a custom rule.
type hook struct {
	name       string
	parameters *jen.Statement
}

// hookFunctions returns the methods of Hooks in their order.
func (w *conversionWriter) hookFunctions() []hook {
	var hooks []hook
	for _, pair := range w.Pairs {
		for _, of := range pairHooks(pair) {
			if !slices.ContainsFunc(hooks, func(h hook) bool { return h.name == of.name }) {
				hooks = append(hooks, hook{of.name, w.parameters(pair.Types, of.to, full())})
			}
		}
	}
	for _, h := range w.Hooks {
		for _, d := range convert.Directions() {
			hooks = append(hooks, hook{typeHookName(h, d), w.parameters(h, d, full())})
		}
	}
	return hooks
}

// hooks writes the interface Hooks if there are custom rules.
func (w *conversionWriter) hooks() {
	methods := codes(w.hookFunctions(), func(h hook) *jen.Statement { return jen.Id(h.name).Add(h.parameters) })
	if len(methods) == 0 {
		return
	}
	f := w.file
	f.Add(comment("Hooks convert the fields with +webhook:conversion:custom. A hook is called when the rest of its struct is"))
	f.Add(comment("converted, and conversion.ObjectOf returns the whole object. If the annotation keeps values of the kind, the"))
	f.Add(comment("object is also converted back once. The annotation drops the kept value of a field when somebody changes what"))
	f.Add(comment("its hook wrote in the other version."))
	f.Type().Id("Hooks").Interface(methods...)
	f.Line()
	f.Add(comment("Converter converts with hooks. Its methods are what controller-runtime's NewSpokeConverter takes."))
	f.Type().Id("Converter").Struct(jen.Id("hooks").Id("Hooks"))
	f.Line()
	f.Add(comment("NewConverter makes a Converter."))
	f.Func().Id("NewConverter").Params(jen.Id("hooks").Id("Hooks")).Id("Converter").Block(jen.Return(jen.Id("Converter").Values(jen.Id("hooks"))))
}

// pairHook is a hook for two structs in one direction. The field is empty if the hook completes the struct.
type pairHook struct {
	name, field string
	to          convert.Direction
}

// pairHooks returns the hooks for two structs in the order of the calls.
func pairHooks(p *convert.Pair) []pairHook {
	var hooks []pairHook
	add := func(functions convert.Ways[bool], goName, field string) {
		for _, d := range convert.Directions() {
			if functions[d] {
				hooks = append(hooks, pairHook{model.Upper(p.HookName) + goName + suffixOf(d), field, d})
			}
		}
	}
	for _, c := range p.Claims {
		add(c.Functions, c.Field().Last().Name, c.Field().String())
	}
	add(p.After, "", "")
	return hooks
}

// typeHookName returns the name of a hook for all values of two types. It contains both names or, if they are equal,
// one name and the direction.
func typeHookName(t convert.Types, d convert.Direction) string {
	if t.Spoke.Name == t.Hub.Name {
		return t.Spoke.Name + suffixOf(d)
	}
	src, dst := t.Ends(d)
	return src.Name + "To" + dst.Name
}

func suffixOf(d convert.Direction) string { return [...]string{"ToHub", "FromHub"}[d] }

func (w *conversionWriter) parameters(t convert.Types, d convert.Direction, n convert.Needs) *jen.Statement {
	src, dst := t.Ends(d)
	parameters := []jen.Code{jen.Id("src").Op("*").Add(w.typ(src)), jen.Id("dst").Op("*").Add(w.typ(dst))}
	if n.Context {
		parameters = slices.Insert(parameters, 0, jen.Code(jen.Id("ctx").Qual("context", "Context")))
	}
	if n.Error {
		return jen.Params(parameters...).Error()
	}
	return jen.Params(parameters...)
}

// function begins a function. It is a method of Converter if its body calls hooks.
func (w *conversionWriter) function(name string, p *convert.Pair, d convert.Direction, n convert.Needs) *jen.Statement {
	f := w.file.Func()
	if p.NeedsHooks() {
		f.Params(jen.Id("c").Id("Converter"))
	}
	return f.Id(name).Add(w.parameters(p.Types, d, n))
}

// call calls the function of a pair. If the function can fail, the call adds the field path to its error.
func (w *conversionWriter) call(g *jen.Group, p *convert.Pair, d convert.Direction, src, dst operand, at where) {
	needs := p.Needs(d)
	var args []jen.Code
	if needs.Context {
		args = append(args, jen.Id("ctx"))
	}
	call := functionOf(p, p.Name, d).Call(append(args, src.address(), dst.address())...)
	if needs.Error {
		failing(g, at, ".", call)
	} else {
		g.Add(call)
	}
}

// functionOf returns the name of a pair's or kind's function: a method of Converter if the pair needs hooks.
func functionOf(p *convert.Pair, name string, d convert.Direction) *jen.Statement {
	if p.NeedsHooks() {
		return jen.Id("c").Dot(name + suffixOf(d))
	}
	return jen.Id(name + suffixOf(d))
}

// stashes declares a stash for each version of a kind. It keeps the values that the other version cannot represent. A
// kind without such values has stashes too, because objects may still have an annotation of an older program.
func (w *conversionWriter) stashes(plan *convert.Plan) {
	w.file.Line()
	if plan.Lossy(convert.ToHub) || plan.Lossy(convert.FromHub) {
		w.file.Add(comment("An annotation of the object keeps the values that only one of the versions can represent."))
	} else {
		w.file.Add(comment("Nothing is lost between the versions. Values that an older program kept are restored from signed annotations."))
	}
	w.file.Var().DefsFunc(func(g *jen.Group) {
		for _, d := range convert.Directions() {
			from := versions(plan).From(d)
			schema := jen.Qual(conversionPackage, "Schema").Values(jen.Dict{jen.Id("Lossless"): jen.True()})
			if plan.Lossy(d) {
				schema = w.keptSchema(plan, d)
			}
			g.Id(stashOf(plan, d)).Op("=").Qual(conversionPackage, "NewStash").Types(w.typ(plan.Root.From(d))).Call(jen.Lit(from.Version), schema)
		}
	})
}

// versions returns the two versions of a plan.
func versions(plan *convert.Plan) convert.Sides[model.VersionedType] {
	return convert.Sides[model.VersionedType]{Spoke: plan.Spoke, Hub: plan.Hub}
}

// stashOf returns the name of the stash of the direction's source version.
func stashOf(plan *convert.Plan, from convert.Direction) string {
	return plan.Root.Name + model.Upper(string(from.From())) + "Stash"
}

// kind writes the function of a kind. It converts the fields and then exchanges values with the annotation.
func (w *conversionWriter) kind(plan *convert.Plan, d convert.Direction) {
	src, dst := versions(plan).Ends(d)
	name := plan.Spoke.Name + suffixOf(d)
	doc(w.file, "%s converts %s of %s to %s.", name, article(src.Name), src.Version, dst.Version)
	apiVersion := strings.TrimPrefix(dst.Group+"/"+dst.Version, "/")
	w.function(name, plan.Root, d, full()).BlockFunc(func(g *jen.Group) {
		if plan.Root.NeedsObject() {
			g.Id("ctx").Op("=").Qual(conversionPackage, "Within").Call(jen.Id("ctx"), jen.Id("src"))
		}
		g.Op("*").Id("dst").Op("=").Add(w.typ(plan.Root.To(d))).Values(jen.Id("TypeMeta").Op(":").Add(w.qualified("k8s.io/apimachinery/pkg/apis/meta/v1", "TypeMeta")).Values(
			jen.Id("APIVersion").Op(":").Lit(apiVersion), jen.Id("Kind").Op(":").Lit(dst.Name)))
		forth, back := functionOf(plan.Root, plan.Root.Name, d), functionOf(plan.Root, plan.Root.Name, d.Back())
		returnError(g, forth.Clone().Call(jen.Id("ctx"), jen.Id("src"), jen.Id("dst")))
		if plan.Reads != "" {
			returnError(g, jen.Qual(conversionPackage, "CarryOver").Call(jen.Id("ctx"), jen.Id("src"), jen.Id("dst"), jen.Lit(plan.Reads), jen.Lit(plan.Hub.Version),
				jen.Id(stashOf(plan, d)), jen.Id(stashOf(plan, d.Back())), forth.Clone(), back.Clone()))
		}
		g.Return(jen.Qual(conversionPackage, "Exchange").Call(jen.Id("ctx"), jen.Id("src"), jen.Id("dst"), jen.Id(stashOf(plan, d)), jen.Id(stashOf(plan, d.Back())), back))
	})
}

// keptSchema returns the schema of a stash, or a call of the function from schemaFunction.
func (w *conversionWriter) keptSchema(plan *convert.Plan, d convert.Direction) *jen.Statement {
	if len(plan.Schemas.From(d).Named()) > 0 {
		return jen.Id(schemaName(plan, d)).Call()
	}
	return w.schema(plan.Schemas.From(d), true)
}

func schemaName(plan *convert.Plan, d convert.Direction) string {
	return plan.Root.Name + suffixOf(d) + "Schema"
}

// schemaFunction writes a function that returns the stash's schema. A schema with a recursive struct needs it,
// because a literal cannot refer to itself.
func (w *conversionWriter) schemaFunction(plan *convert.Plan, d convert.Direction) {
	src := versions(plan).From(d)
	named := plan.Schemas.From(d).Named()
	if len(named) == 0 || !plan.Lossy(d) {
		return
	}
	w.file.Line()
	doc(w.file, "%s is what the annotation has to know of %s of %s.", schemaName(plan, d), article(src.Name), src.Version)
	w.file.Func().Id(schemaName(plan, d)).Params().Qual(conversionPackage, "Schema").BlockFunc(func(g *jen.Group) {
		for _, n := range named {
			fields := jen.Dict{jen.Id("Members"): jen.Map(jen.String()).Qual(conversionPackage, "Schema").Values()}
			putSet(fields, map[string]bool{"Custom": n.Custom})
			g.Add(namedSchema(n)).Op(":=").Qual(conversionPackage, "Schema").Values(fields)
		}
		for _, n := range named {
			for _, member := range slices.Sorted(maps.Keys(n.Members)) {
				g.Add(namedSchema(n)).Dot("Members").Index(jen.Lit(member)).Op("=").Add(w.schema(n.Members[member], true))
			}
		}
		g.Return(w.schema(plan.Schemas.From(d), true))
	})
}

// namedSchema returns the variable of a schema that other schemas refer to.
func namedSchema(s *convert.Schema) *jen.Statement { return jen.Id(s.Name + "Schema") }

func returnError(g *jen.Group, call jen.Code) {
	g.If(jen.Err().Op(":=").Add(call), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
}

// schema returns a literal of the stash's schema.
func (w *conversionWriter) schema(s *convert.Schema, typed bool) *jen.Statement {
	switch {
	case s.Same != nil:
		return namedSchema(s.Same)
	case s.Name != "":
		return namedSchema(s)
	}
	fields := jen.Dict{}
	for name, keys := range map[string][]string{"Keys": s.Keys, "Annotations": s.Annotations, "Labels": s.Labels} {
		if len(keys) > 0 {
			fields[jen.Id(name)] = textList(keys)
		}
	}
	if s.One != nil {
		one := jen.Dict{}
		for path, value := range s.One {
			one[jen.Lit(path)] = jen.Lit(value)
		}
		fields[jen.Id("One")] = jen.Map(jen.String()).String().Values(one)
	}
	putSet(fields, map[string]bool{"Dropped": s.Dropped, "Custom": s.Custom, "Scattered": s.Scattered})
	if !s.Limits.IsZero() {
		fields[jen.Id("Limits")] = jen.Qual(conversionPackage, "Limits").Values(limits(s.Limits))
	}
	if len(s.Members) > 0 {
		members := jen.Dict{}
		for name, m := range s.Members {
			members[jen.Lit(name)] = w.schema(m, false)
		}
		fields[jen.Id("Members")] = jen.Map(jen.String()).Qual(conversionPackage, "Schema").Values(members)
	}
	if !s.Elements.IsZero() {
		fields[jen.Id("Elements")] = jen.Op("&").Add(w.schema(s.Elements, true))
	}
	if typed {
		return jen.Qual(conversionPackage, "Schema").Values(fields)
	}
	return jen.Values(fields)
}

// limits returns the fields of a conversion.Limits literal.
func limits(l convert.Limits) jen.Dict {
	fields := jen.Dict{}
	putSet(fields, map[string]string{"Minimum": l.Minimum, "Maximum": l.Maximum, "Pattern": l.Pattern})
	putSet(fields, map[string]bool{"ExclusiveMinimum": l.ExclusiveMinimum, "ExclusiveMaximum": l.ExclusiveMaximum})
	for name, n := range l.Counts {
		fields[jen.Id(name)] = jen.Lit(n)
	}
	if len(l.Enum) > 0 {
		fields[jen.Id("Enum")] = textList(l.Enum)
	}
	return fields
}

// pair writes the function that converts two structs in one direction.
func (w *conversionWriter) pair(p *convert.Pair, d convert.Direction) {
	name := p.Name + suffixOf(d)
	w.file.Add(comment("%s converts %s.", name, d))
	w.function(name, p, d, p.Needs(d)).BlockFunc(func(g *jen.Group) { w.body(g, p, d) })
}

// body writes the body of a pair's function.
func (w *conversionWriter) body(g *jen.Group, p *convert.Pair, d convert.Direction) {
	var claims []*convert.Claim
	for _, c := range p.Claims {
		if c.Within == nil {
			claims = append(claims, c)
		} else if !slices.Contains(claims, c.Within) {
			claims = append(claims, c.Within)
		}
	}
	w.claims(g, claims, d, operand{code: jen.Id("src"), pointer: true}, operand{code: jen.Id("dst"), pointer: true}, claims)
	// The defaults below may belong to fields behind pointers, or depend on other fields. All claims that can set
	// those fields must come first.
	for _, c := range p.Claims {
		switch {
		case c.DefaultsLast() && d == c.DefaultTo():
			w.setDefault(g, c)
		case c.Below(d) && c.ZeroBelow(d) && (c.Unless == nil || d == convert.FromHub):
			w.zeroBelow(g, c, d)
		}
	}
	for _, h := range pairHooks(p) {
		if h.to != d {
			continue
		}
		call := jen.Id("c").Dot("hooks").Dot(h.name).Call(jen.Id("ctx"), jen.Id("src"), jen.Id("dst"))
		if h.field != "" {
			failing(g, where{format: h.field}, ": ", call)
			continue
		}
		returnError(g, call)
	}
	if p.Needs(d).Error {
		g.Return(jen.Nil())
	}
}

// claims writes the conversions of some of a struct's fields; all are the claims of the whole struct. Fields behind
// the same pointer of src are in one block, and so are fields behind the same pointer of dst.
func (w *conversionWriter) claims(g *jen.Group, claims []*convert.Claim, d convert.Direction, src, dst operand, all []*convert.Claim) {
	for len(claims) > 0 {
		if pointer, block, rest := splitByPointer(claims, d, func(c *convert.Claim) pointerTo { return sourcePointer(c, d, src) }); len(block) > 1 {
			inside := src.with(pointer.path)
			g.If(pointer.code.Op("!=").Nil()).BlockFunc(func(g *jen.Group) { w.claims(g, block, d, inside, dst, all) })
			claims = rest
			continue
		}
		if pointer, block, rest := splitByPointer(claims, d, func(c *convert.Claim) pointerTo { return targetPointer(c, d, src, dst) }); len(block) > 1 {
			w.claimsBehindPointer(g, block, d, src, dst, pointer, all)
			claims = rest
			continue
		}
		c := claims[0]
		w.claim(g, c, d, src, dst)
		if c.HasDefault() && d == c.DefaultTo() && !c.DefaultsLast() {
			w.setDefault(g, c)
		}
		claims = claims[1:]
	}
}

// splitByPointer divides claims into a block and the rest. The block contains the first claim and all others with the
// same pointer, except for claims that must follow one of the rest. It is empty if the first claim has no pointer.
func splitByPointer(claims []*convert.Claim, d convert.Direction, pointerOf func(*convert.Claim) pointerTo) (pointer pointerTo, block, rest []*convert.Claim) {
	pointer = pointerOf(claims[0])
	if pointer.path == "" {
		return pointer, nil, nil
	}
	for _, c := range claims {
		if pointerOf(c).path == pointer.path && !follows(c, rest, d) {
			block = append(block, c)
		} else {
			rest = append(rest, c)
		}
	}
	return pointer, block, rest
}

// targetPointer returns the first pointer in the claim's path in dst that may be nil. It returns zero if there is none,
// or if more than this field of src determines whether the pointer is set.
func targetPointer(c *convert.Claim, d convert.Direction, src, dst operand) pointerTo {
	if c.Value == nil || c.Found[d] != nil || c.HasDefault() && !c.DefaultsLast() || c.Unless != nil {
		return pointerTo{}
	}
	_, isEntry := c.Value.How.(convert.Entry)
	from, to := c.Ends(d)
	_, sources := down(src, from)
	_, pointers := down(dst, to)
	if isEntry || len(sources) > 0 || len(pointers) == 0 {
		return pointerTo{}
	}
	return pointers[0]
}

// claimsBehindPointer writes the conversions of fields behind one pointer of dst. The generated code sets the pointer
// if one of the fields is set.
func (w *conversionWriter) claimsBehindPointer(g *jen.Group, block []*convert.Claim, d convert.Direction, src, dst operand, pointer pointerTo, claims []*convert.Claim) {
	set := codes(block, func(c *convert.Claim) *jen.Statement {
		from := c.From(d)
		field, _ := down(src, from)
		return w.isSet(convert.FieldSet(from.Last()), field)
	})
	g.If(anyOf(set)).BlockFunc(func(g *jen.Group) {
		isOnly := !slices.ContainsFunc(claims, func(c *convert.Claim) bool {
			to := c.To(d)
			return c.Value != nil && strings.HasPrefix(to.String()+".", pointer.path+".") && !slices.Contains(block, c)
		})
		if isOnly {
			g.Add(pointer.code.Clone()).Op("=").New(w.typ(pointer.to))
		} else {
			w.make(g, []pointerTo{pointer})
		}
		w.claims(g, block, d, src, dst.with(pointer.path), claims)
	})
}

// anyOf returns the disjunction of conditions. A long one has a line for each condition.
func anyOf(conditions []jen.Code) *jen.Statement {
	const short = 100
	length := 0
	for _, c := range conditions {
		length += len(fmt.Sprintf("%#v", c))
	}
	if length > short {
		return joined(conditions, jen.Op("||").Line())
	}
	return joined(conditions, jen.Op("||"))
}

// all returns the conjunction of conditions.
func all(conditions []jen.Code) *jen.Statement { return joined(conditions, jen.Op("&&")) }

// joined returns the conditions with an operator between them.
func joined(conditions []jen.Code, operator *jen.Statement) *jen.Statement {
	s := jen.Add(conditions[0])
	for _, c := range conditions[1:] {
		s.Add(operator, c)
	}
	return s
}

// when writes statements inside an if with all conditions, or without an if if there are no conditions.
func when(g *jen.Group, conditions []jen.Code, write func(*jen.Group)) {
	if len(conditions) == 0 {
		write(g)
		return
	}
	g.If(all(conditions)).BlockFunc(write)
}

// follows reports whether a claim must follow one of the others, because it sets a part of the other's field.
func follows(c *convert.Claim, others []*convert.Claim, d convert.Direction) bool {
	part := c.To(d)
	return slices.ContainsFunc(others, func(o *convert.Claim) bool {
		whole := o.To(d)
		return o.Value != nil && strings.HasPrefix(part.String(), whole.String()+".")
	})
}

// sourcePointer returns the first pointer in the claim's path in src, or the field itself, that may be nil. It returns
// zero if there is none, or if the claim has a default that applies when the pointer is nil.
func sourcePointer(c *convert.Claim, d convert.Direction, src operand) pointerTo {
	from := c.From(d)
	if c.Value == nil || c.HasDefault() {
		return pointerTo{}
	}
	if _, isEntry := c.Value.How.(convert.Entry); isEntry {
		return pointerTo{}
	}
	to, pointers := down(src, from)
	if len(pointers) > 0 {
		return pointers[0]
	}
	if convertsTarget(c.Value, d) && !slices.Contains(src.sure, from.String()) {
		return pointerTo{code: to.code, path: from.String()}
	}
	return pointerTo{}
}

// convertsTarget reports whether the value is a pointer and its conversion only converts the target.
func convertsTarget(v *convert.Value, d convert.Direction) bool {
	switch v.How.(type) {
	case convert.Pointer:
		return v.Elem.Pair() != nil
	case convert.Optional:
		return v.Outer != d.To() && v.Elem.Pair() != nil
	}
	return false
}

// claim writes the conversion of a field of src.
func (w *conversionWriter) claim(g *jen.Group, c *convert.Claim, d convert.Direction, src, dst operand) {
	from, to := c.Ends(d)
	if c.Value == nil {
		switch {
		case from == nil || c.Functions[d]:
		case c.Verb == model.Drop:
			g.Add(comment("%s is given up: %s.", from, strings.TrimSuffix(c.Reason, ".")))
			if c.Entry != "" { // it was copied with the metadata
				entries, _ := down(operand{code: jen.Id("dst"), pointer: true}, from)
				g.Delete(entries.value(), jen.Lit(c.Entry))
			}
		case c.HasDefault():
			value := "its default"
			if _, isOwn := c.Default.(convert.Metadata); c.Default != nil && !isOwn && len(c.Cases) == 0 {
				value = fmt.Sprintf("%#v", c.Default)
			}
			g.Add(comment("%s is kept in the annotation where it is not %s.", from, value))
		default:
			g.Add(comment("%s is kept in the annotation.", from))
		}
		return
	}
	if entry, ok := c.Value.How.(convert.Entry); ok {
		w.entry(g, c, entry, d)
		return
	}
	sure, isMade, around := slices.Contains(src.sure, from.String()), len(dst.sure) > 0, src
	src, pointers := down(src, from)
	src.known = src.known || sure
	conditions := there(pointers)
	if c.Unless != nil && d == convert.ToHub {
		conditions = append(conditions, w.isUnset(c.Unless, around))
	}
	dst, parents := down(dst, to)
	if len(parents) > 0 || isMade && (len(conditions) > 0 || !keepsZero(c.Value, convert.FieldSet(from.Last()))) {
		conditions = append(conditions, w.isSet(convert.FieldSet(from.Last()), src))
		src.known = true
	}
	name := where{format: from.String()}
	when(g, conditions, func(g *jen.Group) {
		if c.Found[d] == nil {
			w.make(g, parents)
			w.value(g, c.Value, d, src, dst, name)
			return
		}
		found := operand{code: jen.Id("found")}
		g.Var().Id("found").Add(w.typ(c.Value.To(d)))
		w.value(g, c.Value, d, src, found, name)
		g.If(w.isSet(c.Found[d], found)).BlockFunc(func(g *jen.Group) {
			w.make(g, parents)
			dst.set(g, found.value())
		})
	})
}

// zeroBelow sets a pointer inside another pointer's struct to the zero value, if other fields have created that
// struct.
func (w *conversionWriter) zeroBelow(g *jen.Group, c *convert.Claim, d convert.Direction) {
	from, to := c.Ends(d)
	_, sources := down(operand{code: jen.Id("src"), pointer: true}, from)
	dst, pointers := down(operand{code: jen.Id("dst"), pointer: true}, to)
	conditions := slices.Concat(there(sources), there(pointers), []jen.Code{dst.value().Op("==").Nil(), w.whole()})
	g.If(all(conditions)).Block(dst.value().Op("=").New(w.typ(c.Value.Elem.To(d))))
}

// setDefault sets a field's default if the field is not set.
func (w *conversionWriter) setDefault(g *jen.Group, c *convert.Claim) {
	for _, of := range c.Cases {
		with, pointers := down(operand{code: jen.Id("dst"), pointer: true}, of.With)
		w.setDefaultIf(g, c, of.Default, append(there(pointers), w.isSet(convert.FieldSet(of.With.Last()), with)))
	}
	if c.Default != nil {
		w.setDefaultIf(g, c, c.Default, nil)
	}
}

// setDefaultIf sets a field's default if the field is not set and the conditions inCase hold.
func (w *conversionWriter) setDefaultIf(g *jen.Group, c *convert.Claim, value any, inCase []jen.Code) {
	to := c.To(c.DefaultTo())
	dst, pointers := down(operand{code: jen.Id("dst"), pointer: true}, to)
	unset := w.test(convert.SetOf(to.Last().Type), dst, false)
	conditions := slices.Concat(there(pointers), []jen.Code{unset}, inCase, []jen.Code{w.whole()})
	g.If(all(conditions)).BlockFunc(func(g *jen.Group) {
		code, literal := jen.Lit(value), fmt.Sprintf("%T", value)
		if metadata, ok := value.(convert.Metadata); ok {
			code, literal = w.metadata(metadata), "string"
		}
		if pointer := to.Last().Type.Elem(); pointer != nil {
			make := jen.Qual(conversionPackage, "Pointer")
			if pointer.Package != "" || pointer.Name != literal {
				make.Types(w.typ(pointer))
			}
			code = make.Call(code)
		}
		dst.set(g, code)
	})
}

// metadata returns a metadata value of the converted object.
func (w *conversionWriter) metadata(of convert.Metadata) *jen.Statement {
	getter := "Get" + model.Upper(strings.TrimPrefix(string(of), "metadata."))
	return jen.Qual(conversionPackage, "ObjectOf").Types(w.qualified("k8s.io/apimachinery/pkg/apis/meta/v1", "Object")).Call(jen.Id("ctx")).Dot(getter).Call()
}

// entry converts a field to an entry of metadata, or back. The object's metadata has been copied before.
func (w *conversionWriter) entry(g *jen.Group, c *convert.Claim, how convert.Entry, d convert.Direction) {
	from, to := c.Ends(d)
	fromKey, toKey := how.Keys.Ends(d)
	src, srcPointers := down(operand{code: jen.Id("src"), pointer: true}, from)
	dst, dstPointers := down(operand{code: jen.Id("dst"), pointer: true}, to)
	if fromKey != "" {
		src, _ = down(operand{code: jen.Id("dst"), pointer: true}, from)
	}
	switch {
	case fromKey != "" && toKey != "":
		g.Qual(conversionPackage, "MoveEntry").Call(src.address(), dst.address(), jen.Lit(fromKey), jen.Lit(toKey))
	case toKey != "":
		when(g, there(srcPointers), func(g *jen.Group) {
			args := []jen.Code{dst.address(), jen.Lit(toKey), src.value()}
			if how.Parse == "" {
				w.checked(g, where{format: from.String()}, jen.Qual(conversionPackage, "ToEntryJSON").Call(args...))
			} else {
				g.Qual(conversionPackage, "ToEntry").Call(args...)
			}
		})
	default:
		read := func(into jen.Code) *jen.Statement {
			if how.Parse == "" {
				return jen.Qual(conversionPackage, "FromEntryJSON").Call(into, src.address(), jen.Lit(fromKey))
			}
			return jen.Qual(conversionPackage, "FromEntry").Call(into, src.address(), jen.Lit(fromKey), jen.Qual(conversionPackage, how.Parse))
		}
		if len(dstPointers) == 0 {
			g.Add(read(dst.address()))
			return
		}
		value := operand{code: jen.Id("value"), pointer: true}
		g.If(jen.Id("value").Op(":=").New(w.typ(c.Value.To(d))), read(value.address())).BlockFunc(func(g *jen.Group) {
			w.make(g, dstPointers)
			dst.set(g, value.value())
		})
	}
}

// article returns a name with its indefinite article. Names with initials are read letter by letter: an HTTPRoute.
func article(name string) string {
	vowels := "AEIO"
	if len(name) > 1 && unicode.IsUpper(rune(name[1])) {
		vowels = "AEFHILMNORSX"
	}
	if strings.ContainsRune(vowels, rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}

// typ returns a type in the syntax of the generated file.
func (w *conversionWriter) typ(t *convert.Type) *jen.Statement {
	switch {
	case t.Name != "":
		s := w.qualified(t.Package, t.Name)
		if len(t.Args) > 0 {
			s.Types(codes(t.Args, w.typ)...)
		}
		return s
	case t.Key() != nil:
		return jen.Map(w.typ(t.Key())).Add(w.typ(t.Elem()))
	case t.Elem() != nil:
		signs := strings.TrimSuffix(t.String(), t.Elem().String()) // for example []
		return jen.Op(signs).Add(w.typ(t.Elem()))
	}
	return jen.Id(t.String())
}

// qualified returns a qualified name and imports its package. A version's package has an alias with the preceding
// element of its path.
func (w *conversionWriter) qualified(importPath, name string) *jen.Statement {
	if importPath == "" {
		return jen.Id(name)
	}
	alias := strings.NewReplacer("-", "", ".", "").Replace(path.Base(importPath))
	if versionPackage(alias) {
		alias = strings.ReplaceAll(path.Base(path.Dir(importPath)), "-", "") + alias
	}
	for _, plan := range w.Plans {
		for _, t := range []model.VersionedType{plan.Spoke, plan.Hub} {
			if t.Path == importPath {
				alias = cmp.Or(t.Alias, alias)
			}
		}
	}
	if alias == path.Base(importPath) {
		w.file.ImportName(importPath, alias)
	} else {
		w.file.ImportAlias(importPath, alias)
	}
	return jen.Qual(importPath, name)
}

func versionPackage(name string) bool {
	return len(name) > 1 && name[0] == 'v' && name[1] >= '0' && name[1] <= '9'
}
