// SPDX-License-Identifier: Apache-2.0

// Package lint checks the rules of webhook-gen lint on a real API server: configurations with a finding fail as the
// rule predicts, and similar configurations without a finding work.
package lint
