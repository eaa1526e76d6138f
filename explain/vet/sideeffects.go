// SPDX-License-Identifier: Apache-2.0

package vet

import "fmt"

const sideEffectsDoc = "report handlers with side effects that their webhook does not declare (W17)\n\n" +
	"An API server calls a webhook with sideEffects None or NoneOnDryRun for requests with dryRun, and nothing may remain of such a request. A handler whose webhook declares None must not " +
	"write to the cluster, and one that declares NoneOnDryRun has to look at the request's DryRun."

// sideEffects is W17.
func sideEffects(h handler) string {
	switch {
	case h.SideEffects == "None" && h.Write != nil:
		return fmt.Sprintf("writes (%s), and its webhook declares sideEffects None: set NoneOnDryRun, and do nothing where the request's DryRun is set", h.Write)
	case h.SideEffects != "NoneOnDryRun" || h.LooksAtDryRun:
		return ""
	case h.Write != nil:
		return fmt.Sprintf("writes (%s) and never looks at DryRun, and its webhook declares sideEffects NoneOnDryRun: do nothing where the request's DryRun is set", h.Write)
	}
	return "never looks at DryRun, and its webhook declares sideEffects NoneOnDryRun: do nothing where the request's DryRun is set, or set None if there is nothing to do"
}
