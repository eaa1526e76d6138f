// SPDX-License-Identifier: Apache-2.0

// Package lint shows on a real API server what webhook-gen lint says of configurations: those that it complains of do what
// the rule says, and those beside them that it does not, do not.
package lint
