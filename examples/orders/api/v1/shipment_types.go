// SPDX-License-Identifier: Apache-2.0

package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Shipment is a parcel on its way.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster
// +webhook:validating(operations: "create;update;delete", objectSelector: "shop.example.com/unchecked!=true", deleting: unchangedSpec, ratchet: true)
// +webhook:allow(rule: "W23")="unchecked is for imports, and nobody but the importer may create shipments"
//
// A rule about the object alone is a policy: it holds while no webhook is served, and for unchecked parcels, too.
//
// +webhook:policy:validating(operations: "create;update")
// +webhook:policy:validation(message: "spec.orders: at most 20 orders in a parcel")="size(object.spec.orders) <= 20"
type Shipment struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ShipmentSpec `json:"spec"`
}

// ShipmentSpec is where a parcel goes.
type ShipmentSpec struct {
	// Orders are the names of the orders in the parcel.
	Orders []string `json:"orders"`
	// Carrier has it, once somebody has.
	Carrier string `json:"carrier,omitempty"`
}
