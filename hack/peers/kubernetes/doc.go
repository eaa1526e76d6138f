// SPDX-License-Identifier: Apache-2.0

// Package kubernetes holds generated conversions of Kubernetes' own types, apps/v1beta1 and v1beta2 to apps/v1 and
// autoscaling/v1 to v2, to the conversions that the API server has for them. testdata has the
// versions of its modules.
package kubernetes
