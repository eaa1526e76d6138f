// SPDX-License-Identifier: Apache-2.0

package render

import (
	"path/filepath"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// Further writes methods of further webhooks of a type whose validator or defaulter the user already has. Each
// webhook's methods are in a new file beside it, which is the user's too. operations returns the operations of a
// webhook that need methods.
func Further(p *model.Project, operations func(*model.Webhook) []string, o Options) ([]output.File, error) {
	var files fileList
	for _, pkg := range handlerPackages(p, o) {
		for _, w := range pkg.all() {
			written := operations(w)
			if len(written) == 0 {
				continue
			}
			f := newFile(pkg.HandlerPackage, false)
			f.ImportName(admissionPackage, "admission")
			f.Add(comment("The compiler reports a missing method of a marker's operation at this line."))
			f.Var().Id("_").Id(interfaceName(w)).Op("=").Parens(jen.Op("*").Id(w.Handler.Implementation)).Parens(jen.Nil())
			pkg.methods(f, w, written)
			name := strings.ToLower(w.Handler.Type+w.Handler.Suffix) + "_" + role(w) + ".go"
			files.add(filepath.Join(pkg.Dir, name), f, output.Once, w.Range)
		}
	}
	files.format()
	return files.all, files.err
}
