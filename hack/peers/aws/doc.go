// SPDX-License-Identifier: Apache-2.0

// Package aws compares generated conversions with Cluster API Provider AWS v2.13.0, four of whose API groups convert
// v1beta1 to and from v1beta2: with its own fuzz tests.
package aws

import (
	// The types whose conversions the tests generate.
	_ "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta1"
	_ "sigs.k8s.io/cluster-api-provider-aws/v2/bootstrap/eks/api/v1beta1"
	_ "sigs.k8s.io/cluster-api-provider-aws/v2/controlplane/eks/api/v1beta1"
	_ "sigs.k8s.io/cluster-api-provider-aws/v2/exp/api/v1beta1"

	// The imports of their fuzz tests.
	_ "github.com/onsi/gomega"
	_ "k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	_ "sigs.k8s.io/cluster-api/util/conversion"
	_ "sigs.k8s.io/randfill"

	// The imports of generated code.
	_ "github.com/webhook-gen/webhook-gen/runtime/conversion/conversiontest"
)
