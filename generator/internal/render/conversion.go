// SPDX-License-Identifier: Apache-2.0

package render

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/block"
	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
	"github.com/webhook-gen/webhook-gen/generator/internal/limits"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
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
		w := newConversionWriter(pkg)
		w.file = f
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
	typeWriter
}

func newConversionWriter(pkg *convert.Package) conversionWriter {
	w := conversionWriter{Package: pkg, typeWriter: typeWriter{aliases: map[string]string{}, zero: map[*resolve.Type]string{}}}
	for _, plan := range pkg.Plans {
		for _, t := range []model.VersionedType{plan.Spoke, plan.Hub} {
			w.aliases[t.Path] = cmp.Or(t.Alias, w.aliases[t.Path])
		}
	}
	return w
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
		for _, d := range sides.Directions() {
			f.Line()
			w.kind(plan, d)
			w.schemaFunction(plan, d)
		}
	}
	for _, pair := range w.Pairs {
		for _, d := range sides.Directions() {
			f.Line()
			name := pair.Name + d.Suffix()
			f.Add(comment("%s converts %s.", name, d))
			w.function(name, pair, d, pair.Needs(d)).BlockFunc(func(g *jen.Group) { pair.Emit(block.New(w, g, d)) })
		}
	}
	for i := 0; i < len(w.zeros); i++ { // isZero may add types
		f.Line()
		w.isZero(w.zeros[i])
	}
	return f
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
		for _, of := range pair.FieldHooks() {
			if !slices.ContainsFunc(hooks, func(h hook) bool { return h.name == of.Name }) {
				hooks = append(hooks, hook{of.Name, w.parameters(pair.Types, of.To, full())})
			}
		}
	}
	for _, h := range w.Hooks {
		for _, d := range sides.Directions() {
			hooks = append(hooks, hook{h.HookName(d), w.parameters(h, d, full())})
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

func (w *conversionWriter) parameters(t convert.Types, d convert.Direction, n convert.Needs) *jen.Statement {
	src, dst := t.Ends(d)
	parameters := []jen.Code{jen.Id("src").Op("*").Add(w.Type(src)), jen.Id("dst").Op("*").Add(w.Type(dst))}
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
		for _, d := range sides.Directions() {
			from := versions(plan).From(d)
			schema := jen.Qual(conversionPackage, "Schema").Values(jen.Dict{jen.Id("Lossless"): jen.True()})
			if kept := plan.Schemas.From(d); plan.Lossy(d) && len(kept.Named()) > 0 {
				schema = jen.Id(schemaName(plan, d)).Call()
			} else if plan.Lossy(d) {
				schema = w.schema(kept, true)
			}
			g.Id(stashOf(plan, d)).Op("=").Qual(conversionPackage, "NewStash").Types(w.Type(plan.Root.From(d))).Call(jen.Lit(from.Version), schema)
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
	name := plan.Spoke.Name + d.Suffix()
	doc(w.file, "%s converts %s of %s to %s.", name, model.Article(src.Name), src.Version, dst.Version)
	apiVersion := strings.TrimPrefix(dst.Group+"/"+dst.Version, "/")
	w.function(name, plan.Root, d, full()).BlockFunc(func(g *jen.Group) {
		if plan.Root.NeedsObject() {
			g.Id("ctx").Op("=").Qual(conversionPackage, "WithObject").Call(jen.Id("ctx"), jen.Id("src"))
		}
		g.Op("*").Id("dst").Op("=").Add(w.Type(plan.Root.To(d))).Values(jen.Id("TypeMeta").Op(":").Add(w.Qualified("k8s.io/apimachinery/pkg/apis/meta/v1", "TypeMeta")).Values(
			jen.Id("APIVersion").Op(":").Lit(apiVersion), jen.Id("Kind").Op(":").Lit(dst.Name)))
		forth, back := plan.Root.Function(plan.Root.Name, d), plan.Root.Function(plan.Root.Name, d.Back())
		returnError(g, forth.Clone().Call(jen.Id("ctx"), jen.Id("src"), jen.Id("dst")))
		if plan.Reads != "" {
			returnError(g, jen.Qual(conversionPackage, "CarryOver").Call(jen.Id("ctx"), jen.Id("src"), jen.Id("dst"), jen.Lit(plan.Reads), jen.Lit(plan.Hub.Version),
				jen.Id(stashOf(plan, d)), jen.Id(stashOf(plan, d.Back())), forth.Clone(), back.Clone()))
		}
		g.Return(jen.Qual(conversionPackage, "Exchange").Call(jen.Id("ctx"), jen.Id("src"), jen.Id("dst"), jen.Id(stashOf(plan, d)), jen.Id(stashOf(plan, d.Back())), back))
	})
}

func schemaName(plan *convert.Plan, d convert.Direction) string {
	return plan.Root.Name + d.Suffix() + "Schema"
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
	doc(w.file, "%s is what the annotation has to know of %s of %s.", schemaName(plan, d), model.Article(src.Name), src.Version)
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
		fields[jen.Id("Limits")] = jen.Qual(conversionPackage, "Limits").Values(limitFields(s.Limits))
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

// limitFields returns the fields of a conversion.Limits literal.
func limitFields(l limits.Limits) jen.Dict {
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
