// SPDX-License-Identifier: Apache-2.0

package arguments

// InNamespaces is called for ConfigMaps in some namespaces.
//
// +webhook:validating(for: "v1/ConfigMap", name: innamespaces, operations: "create", decode: none,
// namespaceSelector: "environment in (prod, staging), !legacy")
type InNamespaces struct{ bystander }

// WithLabels is called for some ConfigMaps.
//
// +webhook:validating(for: "v1/ConfigMap", name: withlabels, operations: "create;update", decode: none,
// objectSelector: "audience=public")
type WithLabels struct{ bystander }
