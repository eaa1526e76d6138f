// SPDX-License-Identifier: Apache-2.0

package render

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// ProgramFile returns the path of the file that registers all webhooks of the program in dir.
func ProgramFile(dir string) string { return filepath.Join(dir, "zz_generated.webhooks.go") }

// program is the generated code that registers every webhook. Projects without webhooks have it too, so that the
// program always builds.
type program struct {
	model.HandlerPackage
	handlers    []programPackage
	conversions []programPackage
	// observed is true if the caller can observe conversions. The program's metrics do, and tests do not.
	observed bool
}

// programPackage is a package of handlers or conversions that the program registers.
type programPackage struct {
	model.HandlerPackage
	// field is the package's name in the struct of all webhooks: V1, ShopV1, External. It depends only on the
	// package's path, so new packages do not change it.
	field string
	types []handledType // empty in a package of conversions
	cause diag.Range    // a marker that needs the package
	hooks bool          // the conversions call the user's hooks
}

func newProgram(project *model.Project, planned []*convert.Package, in model.HandlerPackage, o Options) program {
	p := program{HandlerPackage: in, observed: true}
	for _, pkg := range handlerPackages(project) {
		p.handlers = append(p.handlers, programPackage{HandlerPackage: pkg.HandlerPackage, field: fieldOf(pkg.HandlerPackage, project, o), types: pkg.types, cause: pkg.types[0].webhooks[0].Range})
	}
	for _, pkg := range planned {
		if len(pkg.Plans) > 0 && slices.Contains(o.Outputs, output.Conversions) {
			hooks := slices.ContainsFunc(pkg.Plans, func(p *convert.Plan) bool { return p.Root.NeedsHooks() })
			p.conversions = append(p.conversions, programPackage{HandlerPackage: pkg.HandlerPackage, field: fieldOf(pkg.HandlerPackage, project, o) + "Hooks", hooks: hooks, cause: pkg.Cause()})
		}
	}
	return p
}

// ProgramFields returns the fields of the struct in order. Without a program there are none.
func ProgramFields(project *model.Project, planned []*convert.Package, o Options) []model.ProgramField {
	if o.Program.Dir == "" || !slices.Contains(o.Outputs, output.Handlers) {
		return nil
	}
	var fields []model.ProgramField
	p := newProgram(project, planned, o.Program, o)
	for _, pkg := range slices.Concat(p.handlers, p.conversions) {
		if pkg.types != nil || pkg.hooks {
			fields = append(fields, model.ProgramField{Range: pkg.cause, Name: pkg.field, Path: pkg.Path})
		}
	}
	return fields
}

// file returns the Go file with the struct of all validators and defaulters, its constructor and the registration.
func (p program) file() *jen.File {
	f := newFile(p.HandlerPackage, true)
	f.ImportName(admissionPackage, "admission")
	f.ImportName(conversionPackage, "conversion")
	for _, pkg := range slices.Concat(p.handlers, p.conversions) {
		if versionPackage(pkg.Name) {
			f.ImportAlias(pkg.Path, "webhook"+strings.ToLower(strings.TrimSuffix(pkg.field, "Hooks")))
		} else {
			f.ImportName(pkg.Path, pkg.Name)
		}
	}
	p.all(f)
	f.Line()
	p.constructor(f)
	f.Line()
	p.register(f)
	p.observe(f)
	return f
}

// all writes the struct of all validators and defaulters.
func (p program) all(f *jen.File) {
	f.Add(comment("webhooks has the validators and defaulters of all webhooks of the project, by package."))
	f.Type().Id("webhooks").StructFunc(func(g *jen.Group) {
		for _, pkg := range p.handlers {
			g.Id(pkg.field).Qual(pkg.Path, "Webhooks")
		}
		for _, pkg := range p.conversions {
			if pkg.hooks {
				g.Add(comment("%s convert what +webhook:conversion:custom leaves to your own code.", pkg.field))
				g.Id(pkg.field).Qual(pkg.Path, "Hooks")
			}
		}
		if !p.observed {
			return
		}
		g.Add(comment("ObserveConversion, if set, is called after every ConversionReview. It gets the kind and the requested version of"))
		g.Add(comment("the objects, their number, how many of them had values left out, the code of the answer (200, or the failure's)"))
		g.Add(comment("and the duration. Without conversions it is never called."))
		g.Id("ObserveConversion").Func().Params(jen.List(jen.Id("kind"), jen.Id("version")).String(), jen.List(jen.Id("objects"), jen.Id("leftOut")).Int(), jen.Id("code").Int32(), jen.Id("took").Qual("time", "Duration"))
		g.Add(comment("ConversionKeys, if set, is a file with the keys that sign the annotation of converted objects. conversion.KeyFile"))
		g.Add(comment("reads it."))
		g.Id("ConversionKeys").String()
		g.Add(comment("ConversionAcceptUnsigned says that annotations from before there were keys count, too."))
		g.Id("ConversionAcceptUnsigned").Bool()
	})
}

// constructor writes the function that creates the validators and defaulters.
func (p program) constructor(f *jen.File) {
	doc(f, "newWebhooks makes each validator and defaulter as the zero value of its type. Set what one needs in the result.")
	f.Func().Id("newWebhooks").Params().Id("webhooks").Block(jen.Return(jen.Id("webhooks").Values(jen.DictFunc(func(all jen.Dict) {
		for _, pkg := range p.handlers {
			all[jen.Id(pkg.field)] = jen.Qual(pkg.Path, "Webhooks").Values(jen.DictFunc(func(d jen.Dict) {
				for _, t := range pkg.types {
					d[jen.Id(t.name)] = jen.New(jen.Qual(pkg.Path, t.webhooks[0].Handler.Implementation))
				}
			}))
		}
	}))))
}

// register writes the method that registers all webhooks.
func (p program) register(f *jen.File) {
	parameters := jen.Id("handle").Func().Params(jen.Id("path").String(), jen.Id("handler").Qual("net/http", "Handler"))
	comment := "Register calls handle with the path and the handler of each webhook. handle can be (*http.ServeMux).Handle or\n" +
		"the method Register of controller-runtime's webhook server."
	if p.observed || len(p.handlers) > 0 { // tests without handlers do not import package admission
		parameters = jen.List(parameters, jen.Id("options").Op("...").Qual(admissionPackage, "Option"))
		comment += " The options go to every admission handler."
	}
	doc(f, "%s", comment)
	f.Func().Params(jen.Id("w").Id("webhooks")).Id("Register").Params(parameters).Error().BlockFunc(func(g *jen.Group) {
		for _, pkg := range p.conversions {
			if pkg.hooks {
				g.If(jen.Id("w").Dot(pkg.field).Op("==").Nil()).Block(
					jen.Return(jen.Qual("errors", "New").Call(jen.Lit("webhooks: " + pkg.field + " is nil: set it to your functions for what markers do not convert"))))
			}
		}
		p.admit(g)
		p.convert(g)
		g.Return(jen.Nil())
	})
}

// admit writes the registration of all handlers. If the constructor of one fails, the code registers none.
func (p program) admit(g *jen.Group) {
	register := func(pkg programPackage, handle string) *jen.Statement {
		return jen.Id("w").Dot(pkg.field).Dot("Register").Call(jen.Id(handle), jen.Id("options").Op("..."))
	}
	switch len(p.handlers) {
	case 0:
	case 1:
		returnError(g, register(p.handlers[0], "handle"))
	default:
		g.Var().Id("held").Index().Func().Params()
		g.Id("hold").Op(":=").Func().Params(jen.Id("path").String(), jen.Id("handler").Qual("net/http", "Handler")).Block(
			jen.Id("held").Op("=").Append(jen.Id("held"), jen.Func().Params().Block(jen.Id("handle").Call(jen.Id("path"), jen.Id("handler")))))
		returnError(g, jen.Qual("errors", "Join").Call(lines(p.handlers, func(pkg programPackage) *jen.Statement { return register(pkg, "hold") })...))
		g.For(jen.List(jen.Id("_"), jen.Id("register")).Op(":=").Range().Id("held")).Block(jen.Id("register").Call())
	}
}

// convert writes the registration of the conversion handler.
func (p program) convert(g *jen.Group) {
	serve := func(options ...jen.Code) {
		g.Id("handle").Call(jen.Qual(conversionPackage, "Path"), jen.Qual(conversionPackage, "NewHandler").Call(options...))
	}
	switch {
	case len(p.conversions) == 0:
	case !p.observed:
		serve(p.served()...)
	default:
		more := func(option jen.Code) jen.Code { return jen.Id("served").Op("=").Append(jen.Id("served"), option) }
		g.Id("served").Op(":=").Index().Qual(conversionPackage, "Option").Values(p.served()...)
		g.If(jen.Id("w").Dot("ConversionKeys").Op("!=").Lit("")).Block(
			more(jen.Qual(conversionPackage, "Keys").Call(jen.Qual(conversionPackage, "KeyFile").Call(jen.Id("w").Dot("ConversionKeys")))))
		g.If(jen.Id("w").Dot("ConversionAcceptUnsigned")).Block(more(jen.Qual(conversionPackage, "AcceptUnsigned").Call()))
		serve(jen.Id("served").Op("..."))
	}
}

// served returns the arguments of the conversion handler: the conversions of all packages and the observer.
func (p program) served() []jen.Code {
	options := codes(p.conversions, func(pkg programPackage) *jen.Statement {
		if pkg.hooks {
			return jen.Qual(pkg.Path, "NewConverter").Call(jen.Id("w").Dot(pkg.field)).Dot("Conversions").Call()
		}
		return jen.Qual(pkg.Path, "Conversions").Call()
	})
	if p.observed {
		options = append(options, jen.Qual(conversionPackage, "Observe").Call(jen.Id("w")))
	}
	return options
}

// observe writes the method that passes the durations of conversions to the program. Programs call it even if the
// project has no conversions yet.
func (p program) observe(f *jen.File) {
	if len(p.conversions) == 0 || !p.observed {
		return
	}
	f.Line()
	f.Add(comment("Observe implements conversion.Observer."))
	f.Func().Params(jen.Id("w").Id("webhooks")).Id("Observe").Params(jen.Id("_").Qual("context", "Context"), jen.Id("o").Qual(conversionPackage, "Observation")).Block(
		jen.If(jen.Id("w").Dot("ObserveConversion").Op("!=").Nil()).Block(
			jen.Id("w").Dot("ObserveConversion").Call(jen.Id("o").Dot("Kind").Dot("String").Call(), jen.Id("o").Dot("Desired"), jen.Id("o").Dot("Objects"), jen.Id("o").Dot("LeftOut"), jen.Id("o").Dot("Code"), jen.Id("o").Dot("Duration"))))
}

// fieldOf returns a package's field name: the elements of its path below the handlers' folder or, for other packages,
// in the module. It omits elements without meaning.
func fieldOf(pkg model.HandlerPackage, project *model.Project, o Options) string {
	below, ok := strings.CutPrefix(pkg.Path, path.Join(project.Module.Path, o.Handlers)+"/")
	if !ok {
		below = strings.TrimPrefix(strings.TrimPrefix(pkg.Path, project.Module.Path), "/")
		below = strings.TrimPrefix(strings.TrimPrefix(below, "internal/"), "pkg/")
	}
	return model.Camel(cmp.Or(below, pkg.Name))
}
