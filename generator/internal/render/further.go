// SPDX-License-Identifier: Apache-2.0

package render

import (
	"path/filepath"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// Further returns new files with methods for webhooks whose type already has the user's validator or defaulter. Each
// webhook has a file beside the existing one, which then belongs to the user. operations returns the operations of a
// webhook that have no method yet.
func Further(p *model.Project, operations func(*model.Webhook) []string, o Options) ([]output.File, error) {
	var files fileList
	for _, pkg := range handlerPackages(p) {
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
