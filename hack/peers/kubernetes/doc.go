// SPDX-License-Identifier: Apache-2.0

// Package kubernetes holds generated conversions of Kubernetes' own types, apps/v1beta1 and v1beta2 to apps/v1 and
// autoscaling/v1 to v2, to the conversions that the API server has for them.
package kubernetes

import (
	// The imports of the tests below testdata.
	_ "github.com/google/go-cmp/cmp"
	_ "k8s.io/api/apps/v1"
	_ "k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	_ "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	_ "k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/fuzzer"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/fuzzer"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/core/fuzzer"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "sigs.k8s.io/randfill"

	// The imports of generated code.
	_ "github.com/webhook-gen/webhook-gen/runtime/conversion/conversiontest"
)
