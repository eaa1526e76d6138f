// SPDX-License-Identifier: Apache-2.0

// Package conversion tests generated conversions of the real APIs of cert-manager v1.3.0, whose v1alpha2, v1alpha3 and
// v1beta1 convert to and from v1. It compares them with the tests of cert-manager's and kubebuilder's multiversion
// tutorial's own conversions, and with the speed of conversion-gen v0.37.2.
package conversion

import (
	// The types whose conversions the tests generate.
	_ "github.com/jetstack/cert-manager/pkg/apis/acme/v1"
	_ "github.com/jetstack/cert-manager/pkg/apis/certmanager/v1"
	_ "k8s.io/apimachinery/pkg/conversion"

	// The imports of generated code.
	_ "github.com/webhook-gen/webhook-gen/runtime/conversion/conversiontest"
)
