// SPDX-License-Identifier: Apache-2.0

package render

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
)

// conversions writes the function that gives a handler the conversions of the package. It is a method where one of them
// has hooks.
func (w *conversionWriter) conversions() {
	if len(w.Plans) == 0 {
		return
	}
	w.file.Add(comment("Conversions makes conversion.NewHandler convert the kinds of this package."))
	f := w.file.Func()
	if slices.ContainsFunc(w.Plans, func(p *convert.Plan) bool { return p.Root.NeedsHooks() }) {
		f.Params(jen.Id("c").Id("Converter"))
	}
	f.Id("Conversions").Params().Qual(conversionPackage, "Option").Block(
		jen.Return(jen.Qual(conversionPackage, "Serve").Call(lines(w.Plans, w.between)...)))
}

// between is the expression that makes a conversion for a handler.
func (w *conversionWriter) between(plan *convert.Plan) *jen.Statement {
	function := func(d convert.Direction) *jen.Statement { return plan.Root.Function(plan.Spoke.Name, d) }
	between := jen.Qual(conversionPackage, "Between").Call(
		jen.Lit(plan.Hub.Group), jen.Lit(plan.Hub.Name), jen.Lit(plan.Spoke.Version), jen.Lit(plan.Hub.Version), function(convert.ToHub), function(convert.FromHub),
		jen.Qual(conversionPackage, "Same").Add(same(plan.Same())))
	if plan.Stored {
		between.Dot("Stored").Call()
	}
	return between
}

// same writes what both versions have alike, as a literal without its type.
func same(members convert.Same) *jen.Statement {
	values := jen.Dict{}
	for name, inner := range members {
		value := jen.Nil()
		if inner != nil {
			value = same(inner)
		}
		values[jen.Lit(name)] = value
	}
	return jen.Values(values)
}
