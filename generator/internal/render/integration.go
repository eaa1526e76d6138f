package render

import (
	"bytes"
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/templates"
)

// integrationTestFile is the name of the generated test that asks a real API server.
const integrationTestFile = "zz_generated.integration_test.go"

// integration writes the test that has a real API server call the webhooks, into a module of its own: controller-runtime,
// which starts API servers, is then no dependency of the project.
func integration(p *model.Project, planned []*convert.Package, o Options) ([]output.File, error) {
	packages := handlerPackages(p, o)
	if o.Integration == "" || len(packages) == 0 {
		return nil, nil
	}
	dir := filepath.Join(p.Module.Dir, filepath.FromSlash(o.Integration))
	pkg := model.HandlerPackage{Dir: dir, Path: path.Join(p.Module.Path, o.Integration), Name: integrationPackage(o.Integration)}
	below := func(folder string) string {
		return fromFolder(dir, filepath.Join(p.Module.Dir, filepath.FromSlash(folder)))
	}
	var samples []string
	for _, s := range o.Samples {
		samples = append(samples, below(s))
	}
	test, err := templates.Execute("integration/integration_test.go.tmpl", map[string]any{
		"Package": pkg.Name, "Admission": path.Join(p.Module.Path, o.Handlers, "admission"),
		"Manifest": fromFolder(dir, o.Manifest), "Definitions": below("config/crd/bases"), "Samples": samples,
	})
	if err != nil {
		return nil, err
	}
	module, err := templates.Execute("integration/go.mod.tmpl", map[string]any{"Module": pkg.Path, "Project": p.Module.Path, "Root": below(".")})
	if err != nil {
		return nil, err
	}
	register, err := source(integrationStub(p, pkg, packages, planned, o))
	if err != nil {
		return nil, err
	}
	return []output.File{
		{Path: filepath.Join(dir, integrationTestFile), Content: slices.Concat([]byte(output.GoHeader+"\n\n"), bytes.TrimLeft(test, "\n")), Owner: output.Generated},
		{Path: filepath.Join(dir, "go.mod"), Content: module, Owner: output.Once},
		{Path: filepath.Join(dir, "register_test.go"), Content: register, Owner: output.Once},
	}, nil
}

// integrationPackage is the name of the package in a folder: the letters and digits of the folder's, from a letter on.
func integrationPackage(folder string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(path.Base(folder)))
	return cmp.Or(strings.TrimLeft(name, "0123456789"), "integration")
}

// integrationStub writes the file in which the user says with which policies the webhooks are registered.
func integrationStub(p *model.Project, pkg model.HandlerPackage, packages []handlerPackage, planned []*convert.Package, o Options) *jen.File {
	shared := path.Join(p.Module.Path, o.Handlers)
	f := newFile(pkg, false)
	f.ImportName(shared+"/admission", "admission")
	f.ImportName(shared+"/conversion", "conversion")
	f.Comment("register registers the webhooks with the policies that the API server is to ask.")
	f.Func().Id("register").Params(
		jen.Id("t").Qual("testing", "TB"),
		jen.Id("handle").Func().Params(jen.Id("path").String(), jen.Id("handler").Qual("net/http", "Handler")),
		jen.Id("options").Op("...").Qual(shared+"/admission", "Option"),
	).Error().BlockFunc(func(g *jen.Group) {
		g.Id("t").Dot("Helper").Call()
		if served := conversionsServed(f, shared, planned); len(served) > 0 {
			g.Id("handle").Call(jen.Lit("/convert"), jen.Qual(shared+"/conversion", "NewHandler").Call(served...))
		}
		g.Return(jen.Qual("errors", "Join").CallFunc(func(g *jen.Group) {
			for _, h := range packages {
				importHandlers(f, h.HandlerPackage, shared)
				g.Line().Qual(h.Path, "Webhooks").ValuesFunc(func(g *jen.Group) {
					for _, t := range h.types {
						g.Line().Id(t.name).Op(":").Op("&").Qual(h.Path, t.webhooks[0].Handler.Implementation).Values()
					}
					g.Line()
				}).Dot("Register").Call(jen.Id("handle"), jen.Id("options").Op("..."))
			}
			g.Line()
		}))
	})
	return f
}

// conversionsServed are the conversions of the packages that need no code of the user's.
func conversionsServed(f *jen.File, shared string, planned []*convert.Package) []jen.Code {
	var served []jen.Code
	for _, pkg := range planned {
		if len(pkg.Plans) == 0 || slices.ContainsFunc(pkg.Plans, func(p *convert.Plan) bool { return p.Root.NeedsHooks() }) {
			continue
		}
		importHandlers(f, pkg.HandlerPackage, shared)
		served = append(served, jen.Qual(pkg.Path, "Conversions").Call())
	}
	return served
}
