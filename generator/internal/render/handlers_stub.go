// SPDX-License-Identifier: Apache-2.0

package render

import (
	"cmp"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// stub returns the file that the user completes. It has the methods of a type, which allow every request.
func (p handlerPackage) stub(t handledType) *jen.File {
	f := newFile(p.HandlerPackage, false)
	f.ImportName(admissionPackage, "admission")
	h := t.webhooks[0].Handler
	if !h.Holder {
		doc(f, "%s decides on each %s.", h.Implementation, t.name)
		f.Type().Id(h.Implementation).Struct()
		f.Line()
	}
	f.Add(comment("The compiler reports a missing method of a marker's operation at this line."))
	f.Var().Id("_").Add(contracts(t)).Op("=").Parens(jen.Op("*").Id(h.Implementation)).Parens(jen.Nil())
	for _, w := range t.webhooks {
		p.methods(f, w, w.Handler.Operations)
	}
	return f
}

// methods writes a webhook's methods for some operations. Their parameters have no names, because the methods allow
// every request.
func (p handlerPackage) methods(f *jen.File, w *model.Webhook, operations []string) {
	for _, o := range operations {
		f.Line()
		method := w.Handler.Method(w.Mutating, o)
		doc(f, "%s %s.", method, purpose(w, o))
		f.Func().Params(jen.Id("w").Op("*").Id(w.Handler.Implementation)).Id(method).Add(p.signature(f, w.Handler, o, "_", "_")).Block(jen.Return(jen.Nil()))
	}
}

// contracts returns the type that a type's validator and defaulter must have.
func contracts(t handledType) *jen.Statement {
	if len(t.webhooks) == 1 {
		return jen.Id(interfaceName(t.webhooks[0]))
	}
	return jen.Interface(codes(t.webhooks, func(w *model.Webhook) *jen.Statement { return jen.Id(interfaceName(w)) })...)
}

func purpose(w *model.Webhook, operation string) string {
	purposes := map[string]string{
		"Create":  "denies, by an error, an object that must not be created",
		"Update":  "denies, by an error, a change of the request's OldObject that must not happen",
		"Delete":  "denies, by an error, the deletion of an object that must stay",
		"Connect": "denies, by an error, a connection that must not be made",
	}
	if w.Mutating && !w.Handler.Object.IsZero() {
		purposes = map[string]string{
			"Create": "fills in what the user left open: it edits the request's Object. An error denies the request",
			"Update": "fills in what the user left open: it edits the request's Object, and OldObject is the stored object. An error denies the request",
		}
	}
	return cmp.Or(purposes[operation], "can only deny, by an error: there is nothing to edit")
}
