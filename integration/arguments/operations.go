// SPDX-License-Identifier: Apache-2.0

package arguments

// Updates is called when ConfigMaps are replaced.
//
// +webhook:validating(for: "v1/ConfigMap", name: updates, operations: "update", decode: none)
type Updates struct{ bystander }
