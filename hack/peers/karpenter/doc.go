// SPDX-License-Identifier: Apache-2.0

//go:build dependencies

// Package karpenter holds generated conversions to the real API of karpenter v1.0.8, whose NodePool and
// NodeClaim of v1beta1 convert to and from v1, and to karpenter's own tests of its conversions.
package karpenter

import (
	// The types whose conversions the tests generate.
	_ "sigs.k8s.io/karpenter/pkg/apis/v1"
	_ "sigs.k8s.io/karpenter/pkg/apis/v1beta1"

	// The imports of karpenter's tests of its conversions, and of the tests beside the markers.
	_ "github.com/awslabs/operatorpkg/object"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/google/gofuzz"
	_ "github.com/onsi/ginkgo/v2"
	_ "github.com/onsi/gomega"
	_ "github.com/samber/lo"
	_ "sigs.k8s.io/controller-runtime/pkg/client/fake"
	_ "sigs.k8s.io/karpenter/pkg/cloudprovider/fake"
	_ "sigs.k8s.io/karpenter/pkg/operator/injection"
	_ "sigs.k8s.io/karpenter/pkg/test"
	_ "sigs.k8s.io/karpenter/pkg/test/v1alpha1"
)
