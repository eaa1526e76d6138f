// SPDX-License-Identifier: Apache-2.0

package v2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Order is what a customer wants shipped.
//
// +kubebuilder:object:root=true
// +webhook:allow(rule: "W37")="examples/cronjob shows conversions; this example shows admission"
// +webhook:mutating(operations: "create", reinvocationPolicy: IfNeeded)
// +webhook:validating(operations: "create;update", deleting: unchangedSpec, ratchet: true)
type Order struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec OrderSpec `json:"spec"`
}

// OrderSpec is the desired state of an Order.
type OrderSpec struct {
	// Items are the articles, each of them once.
	Items []Item `json:"items"`
	// Priority is low, normal or high. The default is normal.
	Priority Priority `json:"priority,omitempty"`
	// Notes are free text for the packer.
	Notes []string `json:"notes,omitempty"`
}

// Item is an article and how many of it.
type Item struct {
	SKU      string `json:"sku"`
	Quantity int64  `json:"quantity"`
}

// Priority is how soon an order is packed.
type Priority string

// The priorities there are.
const (
	PriorityLow    Priority = "low"
	PriorityNormal Priority = "normal"
	PriorityHigh   Priority = "high"
)
