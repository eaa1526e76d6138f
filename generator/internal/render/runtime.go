// SPDX-License-Identifier: Apache-2.0

package render

import (
	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/templates"
)

// generation is the version of generated code. The code compiles with runtimes whose version.Max is at least
// generation.
const generation = 1

// The import paths of the runtime's packages.
const (
	admissionPackage      = templates.RuntimePath + "/admission"
	admissiontestPackage  = admissionPackage + "/admissiontest"
	conversionPackage     = templates.RuntimePath + "/conversion"
	conversiontestPackage = conversionPackage + "/conversiontest"
)

// assertRuntime writes constants that fail the build if the code and the runtime do not match.
func assertRuntime(f *jen.File) {
	const version = templates.RuntimePath + "/version"
	f.ImportName(version, "version")
	f.Add(comment("The build fails here if generated code and runtime do not match. The name of the type tells what to update."))
	f.Const().Defs(
		jen.Id("_").Op("=").Qual(version, "UpdateRuntimeInGoMod").Parens(jen.Qual(version, "Max").Op("-").Lit(generation)),
		jen.Id("_").Op("=").Qual(version, "RunWebhookGenAgain").Parens(jen.Lit(generation).Op("-").Qual(version, "Min")),
	)
	f.Line()
}
