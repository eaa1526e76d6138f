// SPDX-License-Identifier: Apache-2.0

// Package vet compares handlers of webhooks with their markers, by reading their code: rules W17, W27 and W33 of
// webhook-gen lint, as analyzers of golang.org/x/tools/go/analysis.
//
// A handler is a method of a generated interface (docs/reference/configuration.md of webhook-gen has the names), or a
// method of a type with a +kubebuilder:webhook marker. The analyzers follow its calls through functions and methods,
// within a package by their code and across packages by facts. They do not follow the project's own interfaces and
// function values.
package vet

import "golang.org/x/tools/go/analysis"

// Analyzers are the rules.
func Analyzers() []*analysis.Analyzer {
	effects := effectAnalyzer()
	handlers := handlerAnalyzer(effects)
	return []*analysis.Analyzer{sideEffectsAnalyzer(handlers), rateLimitAnalyzer(handlers), requestAnalyzer(handlers)}
}
