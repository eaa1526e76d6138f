// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// optionParameters returns the arguments of a validating webhook that configure its handler.
func optionParameters(o *model.Options) []marker.Parameter {
	return []marker.Parameter{
		{Name: "deleting", Type: marker.Enum(&o.Deleting, model.DeletingCheck, model.DeletingSkip, model.DeletingUnchanged), Default: model.DeletingCheck,
			Doc: "Whether updates of objects that are being deleted are checked. A denial keeps the finalizers of an object that is older than the rule, and the object stays for ever. " +
				"`unchangedSpec` allows them while nothing changes outside of metadata and status. `skip` allows all, also changes of the spec by anyone who may delete the object. " +
				"Both are a match condition, and a check in the generated handler for older API servers. The default is `check`, because only the author knows whether a rule must hold until the end."},
		{Name: "ratchet", Type: marker.Bool(&o.Ratchet), Default: "false",
			Doc: "Whether on UPDATE an error that the stored object has, too, is a warning. So objects that are older than a rule can still be updated. " +
				"The validator is asked for an update that changes nothing, and its field errors are compared by path, type, value and message; elements of lists by their +listMapKey, elements of sets by value. " +
				"Forbidden and errors other than field errors deny as before."},
		{Name: "enforcement", Type: marker.Enum(&o.Enforcement, model.EnforceDeny, model.EnforceWarn, model.EnforceAudit), Default: model.EnforceDeny,
			Doc: "The answer to a request that the validator denies, so that a rule can be tried before it holds. `warn` allows it with a warning, the audit annotation `would-deny` and a metric, and `audit` without the warning. " +
				"Charts and a flag of the program set another enforcement by the name of the webhook. If the validator fails, failurePolicy decides as before."},
	}
}
