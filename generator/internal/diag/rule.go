// SPDX-License-Identifier: Apache-2.0

package diag

// Rule documents one id under which diagnostics are reported. Each phase declares the
// rules it reports as a table; docs/rules.md is generated from all of them.
type Rule struct {
	// ID is short and never reused: a letter for the phase and a number.
	ID string
	// Title says what must hold, in one line.
	Title string
	// Severity is how a broken rule is reported by default.
	Severity Severity
	// Doc explains the rule and what to do; where it comes from Kubernetes it names the upstream function.
	Doc string
	// Fix says what to do, as a clause; it may be empty.
	Fix string
}
