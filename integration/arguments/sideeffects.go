// SPDX-License-Identifier: Apache-2.0

package arguments

// Pure has no side effects.
//
// +webhook:validating(for: "v1/ConfigMap", name: pure, operations: "create", decode: none, sideEffects: None)
type Pure struct{ bystander }

// Careful has no side effects in a dry run.
//
// +webhook:validating(for: "v1/ConfigMap", name: careful, operations: "create", decode: none, sideEffects: NoneOnDryRun)
type Careful struct{ bystander }
