// SPDX-License-Identifier: Apache-2.0

package render

import (
	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// convertiblePackage is controller-runtime's package of the interfaces Convertible and Hub. The project's own
// package of that name is imported beside it.
const (
	convertiblePackage = "sigs.k8s.io/controller-runtime/pkg/conversion"
	convertibleAlias   = "ctrlconversion"
)

// convertible writes the methods of controller-runtime's Hub and Convertible for the types that get them.
func (w *conversionWriter) convertible() {
	for _, c := range w.Hubs {
		w.file.Line()
		doc(w.file, "Hub makes controller-runtime convert %s of other versions to and from %s.", model.Article(c.Hub.Name), c.Hub.Version)
		w.file.Func().Params(jen.Op("*").Id(c.Hub.Name)).Id("Hub").Params().Block()
	}
	for _, plan := range w.Plans {
		if !plan.Convertible.V {
			continue
		}
		w.convertMethod(plan, convert.ToHub, "ConvertTo", "ConvertTo has controller-runtime convert %s of %s to %s.")
		w.convertMethod(plan, convert.FromHub, "ConvertFrom", "ConvertFrom has controller-runtime make %s of %s from %s.")
	}
}

// convertMethod writes one of the two methods of Convertible: the function of the kind, given the hub's own type.
func (w *conversionWriter) convertMethod(plan *convert.Plan, d convert.Direction, name, comment string) {
	w.file.ImportAlias(convertiblePackage, convertibleAlias)
	src, dst := convert.Sides[jen.Code]{Spoke: jen.Id("spoke"), Hub: jen.Id("typed")}.Ends(d)
	w.file.Line()
	doc(w.file, comment, model.Article(plan.Spoke.Name), plan.Spoke.Version, plan.Hub.Version)
	w.file.Func().Params(jen.Id("spoke").Op("*").Id(plan.Spoke.Name)).Id(name).Params(jen.Id("hub").Qual(convertiblePackage, "Hub")).Error().Block(
		jen.List(jen.Id("typed"), jen.Id("ok")).Op(":=").Id("hub").Assert(jen.Op("*").Add(w.Type(plan.Root.Types.Hub))),
		jen.If(jen.Op("!").Id("ok")).Block(
			jen.Return(jen.Qual("fmt", "Errorf").Call(jen.Lit("the hub of "+model.Article(plan.Spoke.Name)+" is %T, not %T"), jen.Id("typed"), jen.Id("hub")))),
		jen.Return(jen.Id(plan.Spoke.Name+d.Suffix()).Call(jen.Qual("context", "Background").Call(), src, dst)),
	)
}
