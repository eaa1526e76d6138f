// SPDX-License-Identifier: Apache-2.0

// Package vet compares handlers of webhooks with their markers, by reading their code: rules W17, W27 and W33 of
// webhook-gen lint, as analyzers of golang.org/x/tools/go/analysis.
//
// A handler is a method of a generated interface (docs/reference/configuration.md of webhook-gen has the names), or a
// method of a type with a +kubebuilder:webhook marker. The analyzers follow its calls through functions and methods,
// within a package by their code and across packages by facts. They do not follow the project's own interfaces and
// function values.
package vet

import (
	"slices"

	"golang.org/x/tools/go/analysis"
)

// Analyzers are the rules.
func Analyzers() []*analysis.Analyzer {
	effects := effectAnalyzer()
	handlers := handlerAnalyzer(effects)
	return []*analysis.Analyzer{
		ofHandlers(handlers, "W17", "sideeffects", sideEffectsDoc, sideEffects),
		rateLimitAnalyzer(handlers),
		ofHandlers(handlers, "W33", "contextrequest", contextRequestDoc, contextRequest),
	}
}

// ofHandlers returns the analyzer of a rule that judges each handler by itself. judge describes the mistake, in words
// that follow the handler's name; it returns an empty text for a handler that keeps the rule.
func ofHandlers(handlers *analysis.Analyzer, id, name, doc string, judge func(handler) string) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: name, Doc: doc, Requires: []*analysis.Analyzer{handlers},
		Run: func(pass *analysis.Pass) (any, error) {
			for _, h := range pass.ResultOf[handlers].([]handler) {
				if wrong := judge(h); wrong != "" && !slices.Contains(h.Allowed, id) {
					report(pass, id, h.pos(pass.Pkg), "%s %s", h, wrong)
				}
			}
			return nil, nil
		},
	}
}
