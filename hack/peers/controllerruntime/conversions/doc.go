// SPDX-License-Identifier: Apache-2.0

// Package conversions holds the runtime's handler of ConversionReviews to the API server's own client of them, and
// to the speed and memory of controller-runtime v0.25.2, and has controller-runtime serve the methods that are
// generated for it.
package conversions

import (
	// The imports of the tests in testdata.
	_ "github.com/go-logr/logr"
	_ "github.com/google/go-cmp/cmp"
	_ "k8s.io/api/core/v1"
	_ "k8s.io/apiextensions-apiserver/pkg/apiserver/conversion"
	_ "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	_ "k8s.io/apiserver/pkg/util/webhook"
	_ "k8s.io/client-go/rest"
	_ "sigs.k8s.io/controller-runtime"
	_ "sigs.k8s.io/controller-runtime/pkg/webhook/conversion"
	_ "sigs.k8s.io/randfill"

	// The imports of generated code.
	_ "github.com/webhook-gen/webhook-gen/runtime/conversion/conversiontest"
)
