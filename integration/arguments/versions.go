// SPDX-License-Identifier: Apache-2.0

package arguments

// Modern takes reviews of the newest version, as webhooks do by default.
//
// +webhook:validating(for: "v1/ConfigMap", name: modern, operations: "create", decode: none, admissionReviewVersions: "v1;v1beta1")
type Modern struct{ bystander }

// Ancient prefers reviews of the version before that.
//
// +webhook:validating(for: "v1/ConfigMap", name: ancient, operations: "create", decode: none, admissionReviewVersions: "v1beta1;v1")
type Ancient struct{ bystander }
