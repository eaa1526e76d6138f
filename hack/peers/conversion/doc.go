// SPDX-License-Identifier: Apache-2.0

// Package conversion tests generated conversions of the real APIs of cert-manager v1.3.0, whose v1alpha2, v1alpha3 and
// v1beta1 convert to and from v1. It compares them with the tests of cert-manager's and kubebuilder's multiversion
// tutorial's own conversions, and with the speed of conversion-gen v0.37.2. testdata has the versions of
// cert-manager's dependencies.
package conversion
