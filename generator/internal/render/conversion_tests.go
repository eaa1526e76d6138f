// SPDX-License-Identifier: Apache-2.0

package render

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
	"github.com/webhook-gen/webhook-gen/generator/internal/limits"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// conversionTests writes the tests of all conversions.
func conversionTests(files *fileList, p *model.Project, packages []*convert.Package, o Options) {
	for _, pkg := range packages {
		if len(pkg.Plans) == 0 {
			continue
		}
		w := &conversionTestWriter{newConversionWriter(pkg), o.Schemas}
		files.add(filepath.Join(pkg.Dir, conversionsTestFile), w.tests(), output.Generated, pkg.Plans[0].Range)
		for _, plan := range pkg.Plans {
			if plan.NeedsTestStub || o.AsNew {
				name := strings.ToLower(plan.Spoke.Name) + "_conversion_test.go"
				files.add(filepath.Join(pkg.Dir, name), w.stub(plan), output.Once, plan.Range)
			}
		}
	}
}

// conversionTestWriter writes the tests of a package of conversions, one file after the other.
type conversionTestWriter struct {
	conversionWriter
	// schemas are the files of the definitions, by name.
	schemas map[string]string
}

// tests writes the test that each kind passes.
func (w *conversionTestWriter) tests() *jen.File {
	f := newFile(w.HandlerPackage, true)
	w.file = f
	f.ImportName(conversiontestPackage, "conversiontest")
	f.Add(comment("TestGeneratedConversions checks the invariants of conversions: an object comes back as it was."))
	f.Func().Id("TestGeneratedConversions").Params(jen.Id("t").Op("*").Qual("testing", "T")).BlockFunc(func(g *jen.Group) {
		for _, plan := range w.Plans {
			g.Id("t").Dot("Run").Call(jen.Lit(plan.Spoke.Name), jen.Func().Params(jen.Id("t").Op("*").Qual("testing", "T")).BlockFunc(func(g *jen.Group) {
				g.Id("kind").Op(":=").Id(plan.TestFunction()).Call(jen.Id("t"))
				g.Id("kind").Dot("Source").Op("=").Id(plan.TestFunction())
				assign := func(field string, texts []string) {
					values := lits(texts)
					if len(texts) > 3 {
						values = lines(texts, func(text string) *jen.Statement { return jen.Lit(text) })
					}
					if len(texts) > 0 {
						g.Id("kind").Dot(field).Op("=").Append(slices.Insert(values, 0, jen.Code(jen.Id("kind").Dot(field)))...)
					}
				}
				assign("Dropped", plan.Dropped())
				assign("Kept", plan.Kept())
				assign("Defaults", plan.Defaults())
				assign("Replaced", plan.Replaced())
				assign("Refused", plan.Refused)
				assign("Entries", plan.Entries())
				w.schemasOf(g, plan)
				g.Qual(conversiontestPackage, "Check").Call(jen.Id("t"), jen.Id("kind"))
				if hooks := hooksOf(plan); len(hooks) > 0 {
					g.For(jen.List(jen.Id("_"), jen.Id("hook")).Op(":=").Range().Add(textList(hooks))).Block(
						jen.Id("c").Op(":=").Id("NewConverter").Call(jen.Id("failingHooks").Values(jen.Id("hook"))),
						jen.List(jen.Id("kind").Dot("ToHub"), jen.Id("kind").Dot("FromHub")).Op("=").List(
							plan.Root.Function(plan.Spoke.Name, convert.ToHub), plan.Root.Function(plan.Spoke.Name, convert.FromHub)),
						jen.Qual(conversiontestPackage, "CheckFailing").Call(jen.Id("t"), jen.Id("hook"), jen.Id("kind")),
					)
				}
			}))
		}
	})
	w.failingHooks()
	return f
}

// schemasOf sets the schemas by which an API server changes objects: from the definition, if the project has its file,
// or else from the markers.
func (w *conversionTestWriter) schemasOf(g *jen.Group, plan *convert.Plan) {
	unset := jen.Id("kind").Dot("Schemas").Op("==").Nil()
	if plan.CRD != nil {
		name := plan.CRD.Plural + "." + plan.Spoke.Group
		if file, ok := w.schemas[name]; ok {
			if path, err := filepath.Rel(w.Dir, file); err == nil {
				g.If(unset).Block(jen.Id("kind").Dot("Schemas").Op("=").Qual(conversiontestPackage, "ReadSchemas").Call(jen.Id("t"), jen.Lit(filepath.ToSlash(path)), jen.Lit(name)))
				return
			}
		}
	}
	spoke, hub := limits.Marks(plan.Root.Types.Spoke), limits.Marks(plan.Root.Types.Hub)
	if len(spoke)+len(hub) == 0 {
		return
	}
	g.If(unset).BlockFunc(func(g *jen.Group) {
		g.Add(comment("No file of the project defines the kind. So the schemas come from its types and their markers."))
		g.Id("kind").Dot("Schemas").Op("=").Map(jen.String()).Qual(conversiontestPackage, "Schema").Values(
			jen.Line().Lit(plan.Spoke.Version).Op(":").Add(w.schemaOf(w.Type(plan.Root.Types.Spoke), spoke)),
			jen.Line().Lit(plan.Hub.Version).Op(":").Add(w.schemaOf(w.Type(plan.Root.Types.Hub), hub)),
			jen.Line())
	})
}

// schemaOf derives a schema from a type and the markers of its fields.
func (w *conversionTestWriter) schemaOf(t jen.Code, marks []limits.Mark) *jen.Statement {
	schema := jen.Qual(conversiontestPackage, "SchemaOf").Types(t)
	if len(marks) == 0 {
		return schema.Call(jen.Id("t"), jen.Nil())
	}
	return schema.Call(jen.Id("t"), jen.Map(jen.String()).String().Values(lines(marks, func(m limits.Mark) *jen.Statement {
		return jen.Lit(m.Path).Op(":").Add(rawText(m.Schema))
	})...))
}

// hooksOf are the names of the hooks for the fields of a kind.
func hooksOf(plan *convert.Plan) []string {
	var names []string
	for _, p := range plan.Root.All() {
		for _, h := range p.FieldHooks() {
			if !slices.Contains(names, h.Name) {
				names = append(names, h.Name)
			}
		}
	}
	return names
}

// failingHooks writes hooks, one of them failing.
func (w *conversionTestWriter) failingHooks() {
	f, hooks := w.file, w.hookFunctions()
	if len(hooks) == 0 {
		return
	}
	f.Line()
	f.Add(comment("failingHooks stand in for your hooks. The one that is named fails."))
	f.Type().Id("failingHooks").Struct(jen.Id("hook").String())
	for _, h := range hooks {
		f.Line()
		f.Func().Params(jen.Id("h").Id("failingHooks")).Id(h.name).Add(h.parameters).Block(
			jen.If(jen.Id("h").Dot("hook").Op("==").Lit(h.name)).Block(jen.Return(jen.Qual(conversiontestPackage, "Failing").Call())),
			jen.Return(jen.Nil()),
		)
	}
}

// stub writes the file that a user goes on from: how a kind is converted, and with hooks that is for the user to say.
func (w *conversionTestWriter) stub(plan *convert.Plan) *jen.File {
	f := newFile(w.HandlerPackage, false)
	w.file = f
	f.ImportName(conversiontestPackage, "conversiontest")
	kind := jen.Qual(conversiontestPackage, "Kind").Types(w.Type(plan.Root.Types.Spoke), w.Type(plan.Root.Types.Hub))
	doc(f, "%s returns the conversions of %s for the generated tests. Where the API server would not take "+
		"an object filled at random, the functions Spoke and Hub of a Kind correct it.", plan.TestFunction(), model.Article(plan.Spoke.Name))
	f.Func().Id(plan.TestFunction()).Params(jen.Id("t").Qual("testing", "TB")).Add(kind.Clone()).BlockFunc(func(g *jen.Group) {
		g.Id("t").Dot("Helper").Call()
		if plan.Root.NeedsHooks() {
			g.Id("t").Dot("Skip").Call(jen.Lit("set hooks to your own, and take this line out"))
			g.Var().Id("hooks").Id("Hooks")
			g.Id("c").Op(":=").Id("NewConverter").Call(jen.Id("hooks"))
		}
		g.Return(kind.Clone().Values(
			jen.Id("ToHub").Op(":").Add(plan.Root.Function(plan.Spoke.Name, convert.ToHub)),
			jen.Id("FromHub").Op(":").Add(plan.Root.Function(plan.Spoke.Name, convert.FromHub)),
		))
	})
	return f
}
