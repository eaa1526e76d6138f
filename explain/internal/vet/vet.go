// SPDX-License-Identifier: Apache-2.0

// Package vet holds handlers of webhooks to what their markers say, by reading their code: rules W17 and W27 of
// webhook-gen lint, as analyzers of golang.org/x/tools/go/analysis.
//
// A handler is a method that a generated interface asks for (docs/naming.md of webhook-gen has the names), or a method
// of a type under a
// +kubebuilder:webhook marker. What it does is followed through functions and methods, within a package by their code and across
// packages by facts. It is not followed through interfaces and function values of the project's own.
package vet

import "golang.org/x/tools/go/analysis"

// Analyzers are the rules.
func Analyzers() []*analysis.Analyzer {
	effects := effectAnalyzer()
	handlers := handlerAnalyzer(effects)
	return []*analysis.Analyzer{sideEffectsAnalyzer(handlers), rateLimitAnalyzer(handlers)}
}
