// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"
	"golang.org/x/mod/modfile"

	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/templates"
)

// integration adds a test in which a real API server calls the webhooks. It is in its own module, so that the project
// does not depend on controller-runtime, which starts the API server.
func integration(files *fileList, p *model.Project, planned []*convert.Package, o Options) {
	if o.Integration == "" {
		return
	}
	dir := filepath.Join(p.Module.Dir, filepath.FromSlash(o.Integration))
	pkg := model.HandlerPackage{Dir: dir, Path: path.Join(p.Module.Path, o.Integration), Name: packageName(o.Integration)}
	served := newProgram(p, planned, pkg, o)
	served.observed = false
	below := func(folders ...string) []string {
		var all []string
		for _, folder := range folders {
			all = append(all, model.Relative(dir, filepath.Join(p.Module.Dir, filepath.FromSlash(folder))))
		}
		return all
	}
	definitions := o.Definitions
	if len(definitions) == 0 {
		definitions = []string{CRDBases}
	}
	test, err := templates.Execute("integration/integration_test.go.tmpl", map[string]any{
		"Package": pkg.Name, "Imports": templates.IntegrationPath, "Manifest": model.Relative(dir, o.Manifest), "Definitions": below(definitions...),
		"Conversions": below(path.Join(output.CRDPatches, output.CRDPatch))[0], "Samples": below(o.Samples...),
		"Prefix": o.Delivery.prefix(),
	})
	if err == nil {
		test, err = breakLines(test)
	}
	files.put(output.File{
		Path:    filepath.Join(dir, "zz_generated.integration_test.go"),
		Content: slices.Concat([]byte(output.GoHeader+"\n\n"), bytes.TrimLeft(test, "\n")), Owner: output.Generated,
	}, err)
	module, err := templates.Execute("integration/go.mod.tmpl", map[string]any{"Module": pkg.Path, "Project": p.Module.Path, "Root": below(".")[0]})
	if err == nil {
		module, err = withReplaces(module, p.Module.Path, o.Replacements)
	}
	files.put(output.File{Path: filepath.Join(dir, "go.mod"), Content: module, Owner: output.Once}, err)
	files.add(filepath.Join(dir, "zz_generated.integration_webhooks_test.go"), served.file(), output.Generated, diag.Range{})
	files.add(filepath.Join(dir, "webhooks_test.go"), served.testStub(), output.Once, diag.Range{})
}

// withReplaces adds the project's replace directives to the go.mod of the test's module, because the go command reads
// only the main module's. A replacement of the runtime has the test's module beside it.
func withReplaces(text []byte, project string, replacements []modfile.Replace) ([]byte, error) {
	file, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		return nil, err
	}
	for _, r := range replacements {
		if r.Old.Path == project {
			continue // the template replaces the project itself
		}
		if r.Old.Path == templates.RuntimePath {
			below := strings.TrimPrefix(templates.IntegrationPath, templates.RuntimePath)
			if err := file.AddReplace(templates.IntegrationPath, r.Old.Version, r.New.Path+below, r.New.Version); err != nil {
				return nil, err
			}
		}
		if err := file.AddReplace(r.Old.Path, r.Old.Version, r.New.Path, r.New.Version); err != nil {
			return nil, err
		}
	}
	file.Cleanup()
	return file.Format()
}

// packageName returns a package name for a folder: its letters and digits, from the first letter on.
func packageName(folder string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(path.Base(folder)))
	return cmp.Or(strings.TrimLeft(name, "0123456789"), "integration")
}

// testStub returns the file in which the user sets the validators, defaulters and hooks for the test.
func (p program) testStub() *jen.File {
	f := newFile(p.HandlerPackage, false)
	f.Add(comment("webhooksToTest returns the webhooks that the API server calls. Set their other fields here."))
	f.Func().Id("webhooksToTest").Params(jen.Id("t").Qual("testing", "TB")).Id("webhooks").BlockFunc(func(g *jen.Group) {
		g.Id("t").Dot("Helper").Call()
		g.Id("w").Op(":=").Id("newWebhooks").Call()
		for _, pkg := range p.conversions {
			if pkg.hooks {
				g.Id("w").Dot(pkg.field).Op("=").Nil().Add(comment("your functions for what markers do not convert"))
			}
		}
		g.Return(jen.Id("w"))
	})
	return f
}
