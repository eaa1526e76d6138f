// SPDX-License-Identifier: Apache-2.0

package render

import (
	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// handlerOption is an option of a webhook's handler that its marker sets.
type handlerOption struct {
	call  *jen.Statement // the option in generated code
	field string         // the field of the webhook in generated tests
	value *jen.Statement // the field's value
}

// handlerOptions returns the options of a handler in the order of generated code.
func handlerOptions(h *model.Handler) (all []handlerOption) {
	option := func(name string, arguments ...jen.Code) *jen.Statement {
		return jen.Qual(admissionPackage, name).Call(arguments...)
	}
	switch h.Deleting {
	case model.DeletingSkip:
		all = append(all, handlerOption{option("SkipDeleting"), "Deleting", jen.Lit(h.Deleting)})
	case model.DeletingUnchanged:
		all = append(all, handlerOption{option("SkipDeletingUnchanged"), "Deleting", jen.Lit(h.Deleting)})
	}
	if h.Enforcement != "" {
		value := jen.Qual(admissionPackage, "Enforce"+model.Upper(h.Enforcement))
		all = append(all, handlerOption{option("Enforce", value), "Enforcement", value})
	}
	if h.Ratchet {
		all = append(all, handlerOption{option("Ratchet", jen.True()), "Ratchet", jen.True()})
	}
	return all
}
