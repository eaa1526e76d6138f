// SPDX-License-Identifier: Apache-2.0

package model

// The values of the argument `enforcement`.
const (
	EnforceDeny  = "deny"
	EnforceWarn  = "warn"
	EnforceAudit = "audit"
)
