package render

import (
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// ProgramFile is the path of the file that registers all webhooks in the folder of a program.
func ProgramFile(dir string) string { return filepath.Join(dir, "zz_generated.webhooks.go") }

// programFile writes what a program calls to serve every webhook. It is there also while there is no
// webhook, so that the program builds before the first and after the last one.
func programFile(p *model.Project, o Options) *jen.File {
	f := newFile(o.Program, true)
	shared := path.Join(p.Module.Path, o.Handlers, "admission")
	f.ImportName(shared, "admission")
	packages := handlerPackages(p, o)
	for _, pkg := range packages {
		if alias := pkg.alias(p, o); alias == pkg.Name {
			f.ImportName(pkg.Path, alias)
		} else {
			f.ImportAlias(pkg.Path, alias)
		}
	}
	f.Comment("webhooks holds the policies of all webhooks of the project, by package.")
	f.Type().Id("webhooks").StructFunc(func(g *jen.Group) {
		for _, pkg := range packages {
			g.Id(pkg.field(p, o)).Qual(pkg.Path, "Webhooks")
		}
	})
	f.Line()
	doc(f, "newWebhooks makes each policy as the zero value of its type. What a policy needs besides is set in what is returned.")
	f.Func().Id("newWebhooks").Params().Id("webhooks").Block(jen.Return(jen.Id("webhooks").Values(jen.DictFunc(func(all jen.Dict) {
		for _, pkg := range packages {
			all[jen.Id(pkg.field(p, o))] = jen.Qual(pkg.Path, "Webhooks").Values(jen.DictFunc(func(d jen.Dict) {
				for _, t := range pkg.types {
					d[jen.Id(t.name)] = jen.New(jen.Qual(pkg.Path, t.webhooks[0].Handler.Implementation))
				}
			}))
		}
	}))))
	f.Line()
	doc(f, "Register hands each webhook's path and handler to handle, which (*http.ServeMux).Handle is, and so is\n"+
		"the method Register of controller-runtime's webhook server. The options go to every handler.")
	f.Func().Params(jen.Id("w").Id("webhooks")).Id("Register").Params(
		jen.Id("handle").Func().Params(jen.Id("path").String(), jen.Id("handler").Qual("net/http", "Handler")),
		jen.Id("options").Op("...").Qual(shared, "Option"),
	).Error().BlockFunc(func(g *jen.Group) {
		if len(packages) == 0 {
			g.Return(jen.Nil())
			return
		}
		g.Return(jen.Qual("errors", "Join").CallFunc(func(g *jen.Group) {
			for _, pkg := range packages {
				g.Line().Id("w").Dot(pkg.field(p, o)).Dot("Register").Call(jen.Id("handle"), jen.Id("options").Op("..."))
			}
			g.Line()
		}))
	})
	return f
}

// place is where the package lies below the folder of handlers or, where it lies elsewhere, in the
// module: its elements without those that say nothing.
func (p handlerPackage) place(project *model.Project, o Options) []string {
	below, ok := strings.CutPrefix(p.Path, path.Join(project.Module.Path, o.Handlers)+"/")
	if !ok {
		below = strings.TrimPrefix(strings.TrimPrefix(p.Path, project.Module.Path), "/")
		below = strings.TrimPrefix(strings.TrimPrefix(below, "internal/"), "pkg/")
	}
	if below == "" {
		return []string{p.Name}
	}
	return strings.Split(below, "/")
}

// field is the package's name in the struct of all: V1, ShopV1, Policy. It depends on nothing but
// the package's place, so that it stays the same when others come.
func (p handlerPackage) field(project *model.Project, o Options) string {
	var b strings.Builder
	for _, element := range p.place(project, o) {
		up := true
		for _, r := range element {
			switch {
			case !unicode.IsLetter(r) && !unicode.IsDigit(r):
				up = true
			case up:
				b.WriteRune(unicode.ToUpper(r))
				up = false
			default:
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// alias is the name under which the program imports the package: its own, if that is no version.
func (p handlerPackage) alias(project *model.Project, o Options) string {
	if !versionPackage(p.Name) {
		return p.Name
	}
	return "webhook" + strings.ToLower(p.field(project, o))
}
