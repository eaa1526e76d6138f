// SPDX-License-Identifier: Apache-2.0

package render

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// The names of the generated tests. Handlers and conversions have theirs in their packages, and the manifest's is in
// the package that the project's handlers share.
const (
	handlersTestFile    = "zz_generated.webhook_test.go"
	conversionsTestFile = "zz_generated.conversion_test.go"
	manifestTestFile    = "zz_generated.manifest_test.go"
)

// tests adds the tests of all webhooks with handlers.
func tests(files *fileList, p *model.Project, o Options) {
	packages := handlerPackages(p)
	checked := slices.Contains(o.Outputs, output.Manifests)
	for _, pkg := range packages {
		w := testWriter{handlerPackage: pkg, options: o, project: p}
		f := w.file()
		if checked && len(packages) == 1 {
			manifestTest(f, pkg.Dir, p, packages, o)
		}
		files.add(filepath.Join(pkg.Dir, handlersTestFile), f, output.Generated, pkg.types[0].webhooks[0].Range)
		for _, t := range pkg.types {
			if t.webhooks[0].Handler.NeedsTestStub || o.AsNew {
				files.add(filepath.Join(pkg.Dir, t.webhooks[0].Handler.TestStubFile), w.stub(t), output.Once, t.webhooks[0].Range)
			}
		}
	}
	if len(packages) < 2 || !checked {
		return
	}
	dir := filepath.Join(p.Module.Dir, filepath.FromSlash(o.Handlers))
	f := newFile(manifestTestPackage(p, o), true)
	manifestTest(f, dir, p, packages, o)
	files.add(filepath.Join(dir, manifestTestFile), f, output.Generated, diag.Range{})
}

// testWriter writes the tests of a package of handlers.
type testWriter struct {
	handlerPackage
	options Options
	project *model.Project
}

// file returns the Go file with the suite, the constructors of its validators and defaulters, and its probes.
func (w testWriter) file() *jen.File {
	f := newFile(w.HandlerPackage, true)
	f.ImportName(admissionPackage, "admission")
	f.ImportName(admissiontestPackage, "admissiontest")
	w.suite(f)
	f.Line()
	w.newWebhooks(f)
	for _, t := range w.types {
		f.Line()
		w.probe(f, t)
	}
	return f
}

// suite writes the test function.
func (w testWriter) suite(f *jen.File) {
	f.Add(comment("TestGeneratedWebhooks checks the handlers, validators and defaulters of this package."))
	kinds := w.sharedKinds()
	test := f.Func().Id("TestGeneratedWebhooks").Params(jen.Id("t").Op("*").Qual("testing", "T"))
	implementations := jen.Id("newWebhooks").Call(jen.Id("t"))
	shared := slices.ContainsFunc(w.all(), func(webhook *model.Webhook) bool { return webhook.Policy != nil })
	if shared {
		test.Block(implementations.Dot("GeneratedSuite").Call().Dot("Run").Call(jen.Id("t")))
		f.Line()
		f.Add(comment("GeneratedSuite returns the suite of this package. Tables compare their cases with the policies in it."))
		implementations = jen.Id("w")
		test = f.Func().Params(jen.Id("w").Id("Webhooks")).Id("GeneratedSuite").Params().Qual(admissiontestPackage, "Suite")
	}
	test.BlockFunc(func(g *jen.Group) {
		for _, k := range kinds {
			g.Id(k.name).Op(":=").Add(w.kinds(k.kinds))
		}
		suite := jen.Qual(admissiontestPackage, "Suite").ValuesFunc(func(g *jen.Group) {
			if slices.Contains(w.options.Outputs, output.Manifests) {
				g.Line().Id("Manifest").Op(":").Lit(model.Relative(w.Dir, w.manifest()))
			}
			g.Line().Id("Samples").Op(":").Index().String().Values(codes(w.options.Samples, func(s string) *jen.Statement {
				return jen.Lit(model.Relative(w.Dir, filepath.Join(w.project.Module.Dir, filepath.FromSlash(s))))
			})...)
			g.Line().Id("Webhooks").Op(":").Index().Qual(admissiontestPackage, "Webhook").Values(lines(w.all(), func(webhook *model.Webhook) *jen.Statement {
				return w.row(f, webhook, kinds)
			})...)
			g.Line().Id("Implementations").Op(":").Add(implementations)
			g.Line().Id("Probes").Op(":").Func().Params(jen.Id("p").Op("*").Qual(admissiontestPackage, "Probe")).Qual(admissiontestPackage, "Webhooks").Block(
				jen.Return(jen.Id("Webhooks").Values(lines(w.types, func(t handledType) *jen.Statement {
					return jen.Id(t.name).Op(":").Id(probeName(t)).Values(jen.Id("p"))
				})...)),
			)
			g.Line()
		})
		if shared {
			g.Return(suite)
		} else {
			g.Add(suite.Dot("Run").Call(jen.Id("t")))
		}
	})
}

// sharedKinds is a variable with the kinds that several webhooks of a type share.
type sharedKinds struct {
	name  string
	kinds []model.ObjectKind
}

// sharedKinds returns the variables, so that the test does not repeat a kind three times.
func (w testWriter) sharedKinds() []sharedKinds {
	var shared []sharedKinds
	for _, t := range w.types {
		for i, webhook := range t.webhooks {
			kinds := webhook.Handler.Kinds
			again := func(other *model.Webhook) bool { return slices.Equal(other.Handler.Kinds, kinds) }
			if len(kinds) > 0 && slices.ContainsFunc(t.webhooks[i+1:], again) && !slices.ContainsFunc(t.webhooks[:i], again) {
				name := lowerFirst(t.name) + "Kinds"
				if i > 0 {
					name += webhook.Handler.Suffix
				}
				shared = append(shared, sharedKinds{name, kinds})
			}
		}
	}
	return shared
}

func (w testWriter) kinds(kinds []model.ObjectKind) *jen.Statement {
	return jen.Index().Qual(admissiontestPackage, "Kind").Values(codes(kinds, func(k model.ObjectKind) *jen.Statement {
		return jen.Values(jen.Id("APIVersion").Op(":").Lit(k.APIVersion), jen.Id("Kind").Op(":").Lit(k.Kind))
	})...)
}

// row returns the facts from a webhook's marker.
func (w testWriter) row(f *jen.File, webhook *model.Webhook, shared []sharedKinds) *jen.Statement {
	h := webhook.Handler
	return jen.ValuesFunc(func(g *jen.Group) {
		g.Line().Id("Name").Op(":").Lit(webhook.Spec.Name)
		g.Line().Id("Path").Op(":").Id(pathName(webhook))
		if webhook.Mutating {
			g.Line().Id("Mutating").Op(":").True()
		}
		if !h.Object.IsZero() {
			g.Line().Id("Object").Op(":").Add(qualified(f, h.Object)).Values()
		}
		if len(h.Kinds) > 0 {
			kinds := w.kinds(h.Kinds)
			if i := slices.IndexFunc(shared, func(s sharedKinds) bool { return slices.Equal(s.kinds, h.Kinds) }); i >= 0 {
				kinds = jen.Id(shared[i].name)
			}
			g.Line().Id("Kinds").Op(":").Add(kinds)
		}
		g.Line().Id("Resources").Op(":").Add(textList(h.Resources))
		g.Line().Id("Functions").Op(":").Map(jen.Qual(admissionPackage, "Operation")).String().Values(lines(h.Operations, func(o string) *jen.Statement {
			return jen.Qual(admissionPackage, o).Op(":").Lit(functionName(webhook, o))
		})...)
		for _, o := range handlerOptions(h) {
			g.Line().Id(o.field).Op(":").Add(o.value)
		}
		if webhook.Policy != nil {
			g.Line().Id("Replacement").Op(":").Add(w.replacement(webhook.Policy))
		}
		if webhook.Mutating && len(h.ListKeys) > 0 {
			g.Line().Id("Lists").Op(":").Index().Qual(admissiontestPackage, "List").Values(lines(h.ListKeys, func(l model.ListKey) *jen.Statement {
				in := qualified(f, l.Struct).Values()
				return jen.Values(jen.Id("In").Op(":").Add(in), jen.Id("Member").Op(":").Lit(l.Member), jen.Id("Keys").Op(":").Add(textList(l.Keys)))
			})...)
		}
		g.Line()
	})
}

// manifest returns the path of the manifest of the package's webhooks.
func (w testWriter) manifest() string {
	i := slices.IndexFunc(w.project.Configurations, func(c *model.Configuration) bool {
		return slices.Contains(c.Webhooks, w.types[0].webhooks[0])
	})
	return cmp.Or(w.project.Configurations[i].Manifest, w.options.Manifest)
}

// newWebhooks writes the function that returns the package's webhooks to tests.
func (w testWriter) newWebhooks(f *jen.File) {
	f.Add(comment("newWebhooks returns the validators and defaulters for tests, each made by a function of yours."))
	f.Func().Id("newWebhooks").Params(jen.Id("t").Qual("testing", "TB")).Id("Webhooks").Block(
		jen.Id("t").Dot("Helper").Call(),
		jen.Return(jen.Id("Webhooks").Values(lines(w.types, func(t handledType) *jen.Statement {
			return jen.Id(t.name).Op(":").Id(t.webhooks[0].Handler.TestFunction()).Call(jen.Id("t"))
		})...)),
	)
}

// probe writes the type that replaces a type's validator or defaulter in the test.
func (w testWriter) probe(f *jen.File, t handledType) {
	doc(f, "%s stands in for the validator or defaulter of %s.", probeName(t), t.name)
	f.Type().Id(probeName(t)).Struct(jen.Op("*").Qual(admissiontestPackage, "Probe"))
	for _, webhook := range t.webhooks {
		for _, o := range webhook.Handler.Operations {
			f.Line()
			f.Func().Params(jen.Id("p").Id(probeName(t))).Id(webhook.Handler.Method(webhook.Mutating, o)).Add(w.signature(f, webhook.Handler, o, "ctx", "r")).Block(
				jen.Return(jen.Id("p").Dot("Record").Call(jen.Id("ctx"), jen.Lit(functionName(webhook, o)), jen.Id("r"))),
			)
		}
	}
}

// functionName returns a name for a webhook's method that is unique in the package.
func functionName(w *model.Webhook, operation string) string {
	return w.Handler.Type + "." + w.Handler.Method(w.Mutating, operation)
}

func probeName(t handledType) string { return lowerFirst(t.name) + "Probe" }

func lowerFirst(name string) string { return string(unicode.ToLower(rune(name[0]))) + name[1:] }

// manifestTestPackage returns the package of the manifest's test if several packages have handlers. It is the
// external test package of the handlers' folder, in which the user may have a package.
func manifestTestPackage(p *model.Project, o Options) model.HandlerPackage {
	name := cmp.Or(o.HandlersName, packageName(o.Handlers))
	return model.HandlerPackage{Path: path.Join(p.Module.Path, o.Handlers) + "_test", Name: name + "_test"}
}

// manifestTest writes the test that compares the manifests with the handlers of all packages. Its file is in the folder
// dir.
func manifestTest(f *jen.File, dir string, p *model.Project, packages []handlerPackage, o Options) {
	f.ImportName(admissiontestPackage, "admissiontest")
	f.Line()
	f.Add(comment("TestGeneratedManifest checks that the API server calls every served webhook, and no other."))
	f.Func().Id("TestGeneratedManifest").Params(jen.Id("t").Op("*").Qual("testing", "T")).BlockFunc(func(g *jen.Group) {
		assign := ":="
		parts, manifests := p.ByManifest()
		for i, part := range parts {
			all := part.Webhooks()
			if len(all) == 0 {
				continue
			}
			g.Id("served").Op(assign).Index().String().ValuesFunc(func(g *jen.Group) {
				for _, pkg := range packages {
					for _, w := range pkg.all() {
						if !slices.Contains(all, w) {
							continue
						}
						if len(packages) > 1 {
							importHandlers(f, pkg.HandlerPackage, path.Join(p.Module.Path, o.Handlers))
						}
						g.Line().Qual(pkg.Path, pathName(w))
					}
				}
				g.Line()
			})
			assign = "="
			elsewhere := jen.Nil()
			if paths := servedElsewhere(part); len(paths) > 0 {
				elsewhere = jen.Index().String().Values(lines(paths, func(path string) *jen.Statement { return jen.Lit(path) })...)
			}
			manifest := model.Relative(dir, cmp.Or(manifests[i], o.Manifest))
			g.Qual(admissiontestPackage, "CheckManifest").Call(jen.Id("t"), jen.Lit(manifest), jen.Id("served"), elsewhere)
		}
	})
}

// servedElsewhere returns the paths of webhooks without handlers in the project.
func servedElsewhere(p *model.Project) []string {
	var paths []string
	for _, w := range p.Webhooks() {
		if w.Handler == nil {
			paths = append(paths, cmp.Or(w.ServedPath(), "/"))
		}
	}
	slices.Sort(paths)
	return paths
}

// importHandlers imports a package of handlers with an alias such as webhookv1, because other packages may have its
// name.
func importHandlers(f *jen.File, p model.HandlerPackage, handlers string) {
	rest, below := strings.CutPrefix(p.Path, handlers+"/")
	switch {
	case below:
		f.ImportAlias(p.Path, "webhook"+strings.NewReplacer("/", "", "-", "", ".", "").Replace(rest))
	case p.Name == path.Base(p.Path):
		f.ImportName(p.Path, p.Name)
	default:
		f.ImportAlias(p.Path, p.Name)
	}
}
