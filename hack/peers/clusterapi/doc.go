// SPDX-License-Identifier: Apache-2.0

// Package clusterapi compares generated conversions with the core API of Cluster API v1.14.2, whose v1beta1 converts to
// and from v1beta2: with Cluster API's own fuzz tests, and with the objects that its own functions convert.
package clusterapi

import (
	// The types whose conversions the tests generate, and their own conversions.
	_ "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2" // for its k8s.io/cluster-bootstrap
	_ "sigs.k8s.io/cluster-api/api/core/v1beta1"              //nolint:staticcheck // the deprecated version is what is converted
	_ "sigs.k8s.io/cluster-api/api/core/v1beta2"
	_ "sigs.k8s.io/cluster-api/core/webhooks/conversion"
	_ "sigs.k8s.io/cluster-api/util/conversion"

	// The imports of generated code.
	_ "github.com/webhook-gen/webhook-gen/runtime/conversion/conversiontest"
)
