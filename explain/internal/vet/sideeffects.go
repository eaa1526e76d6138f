// SPDX-License-Identifier: Apache-2.0

package vet

import (
	"slices"

	"golang.org/x/tools/go/analysis"
)

// sideEffectsAnalyzer is W17.
func sideEffectsAnalyzer(handlers *analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "sideeffects",
		Doc: "report handlers with side effects that their webhook does not declare (W17)\n\n" +
			"An API server calls a webhook with sideEffects None or NoneOnDryRun for requests with dryRun, and nothing may remain of such a request. A handler whose webhook declares None must not " +
			"write to the cluster, and one that declares NoneOnDryRun has to look at the request's DryRun.",
		Requires: []*analysis.Analyzer{handlers},
		Run: func(pass *analysis.Pass) (any, error) {
			for _, h := range pass.ResultOf[handlers].([]handler) {
				if slices.Contains(h.Allowed, "W17") {
					continue
				}
				switch {
				case h.SideEffects == "None" && h.Write != nil:
					pass.Reportf(h.pos(pass.Pkg), "%s writes (%s), and its webhook declares sideEffects None: set NoneOnDryRun, and do nothing where the request's DryRun is set [W17]", h, h.Write)
				case h.SideEffects == "NoneOnDryRun" && !h.LooksAtDryRun && h.Write != nil:
					pass.Reportf(h.pos(pass.Pkg), "%s writes (%s) and never looks at DryRun, and its webhook declares sideEffects NoneOnDryRun: do nothing where the request's DryRun is set [W17]", h, h.Write)
				case h.SideEffects == "NoneOnDryRun" && !h.LooksAtDryRun:
					pass.Reportf(h.pos(pass.Pkg), "%s never looks at DryRun, and its webhook declares sideEffects NoneOnDryRun: do nothing where the request's DryRun is set, or set None if there is nothing to do [W17]", h)
				}
			}
			return nil, nil
		},
	}
}
