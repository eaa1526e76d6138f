// SPDX-License-Identifier: Apache-2.0

package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Harbour is where fleets lie. It has one version, and no namespace.
//
// +kubebuilder:resource:scope=Cluster
type Harbour struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec HarbourSpec `json:"spec,omitempty"`
}

// HarbourSpec is the desired state of a Harbour.
type HarbourSpec struct {
	// Berths is how many ships can lie there.
	Berths int32 `json:"berths,omitempty"`
}
