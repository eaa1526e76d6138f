// SPDX-License-Identifier: Apache-2.0

package v2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Shipment is a parcel on its way.
//
// +kubebuilder:object:root=true
// +webhook:allow(rule: "W37")="examples/cronjob shows conversions; this example shows admission"
// +kubebuilder:resource:scope=Cluster
// +webhook:validating(operations: "create;update;delete", deleting: unchangedSpec)
type Shipment struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ShipmentSpec `json:"spec"`
}

// ShipmentSpec is where a parcel goes.
type ShipmentSpec struct {
	// Orders are the names of the orders in the parcel.
	Orders []string `json:"orders"`
	// Carrier brings it.
	// Carrier has it, once somebody has.
	Carrier Carrier `json:"carrier,omitempty"`
}

// Carrier is who brings a parcel, and how.
type Carrier struct {
	Name    string `json:"name,omitempty"`
	Express bool   `json:"express,omitempty"`
}
