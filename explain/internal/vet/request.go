// SPDX-License-Identifier: Apache-2.0

package vet

import (
	"slices"

	"golang.org/x/tools/go/analysis"
)

// requestAnalyzer is W33.
func requestAnalyzer(handlers *analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "contextrequest",
		Doc: "report handlers that look for controller-runtime's request in their context (W33)\n\n" +
			"Only controller-runtime puts it there, and the adapters of runtime/controllerruntime do. In another handler RequestFromContext returns an error, and code that checks " +
			"permissions only if there is a request checks none.",
		Requires: []*analysis.Analyzer{handlers},
		Run: func(pass *analysis.Pass) (any, error) {
			for _, h := range pass.ResultOf[handlers].([]handler) {
				if h.Ask != nil && !h.Provides && !h.Handwritten && !slices.Contains(h.Allowed, "W33") {
					pass.Reportf(h.pos(pass.Pkg), "%s finds no request in its context (%s): read its parameter, or adapt the validator or defaulter with package controllerruntime [W33]", h, h.Ask)
				}
			}
			return nil, nil
		},
	}
}
