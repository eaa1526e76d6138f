// SPDX-License-Identifier: Apache-2.0

package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Order is what a customer wants shipped.
//
// +kubebuilder:object:root=true
// +webhook:mutating(operations: "create")
// +webhook:validating(operations: "create;update", deleting: unchangedSpec, ratchet: true)
// +webhook:matchCondition(name: "not-the-gc")="request.userInfo.username != 'system:serviceaccount:kube-system:generic-garbage-collector'"
//
// Newer clusters have the default from a policy, and do not call the defaulter.
//
// +webhook:policy:mutating(insteadOf: mutating)
// +webhook:policy:matchCondition(name: "no-priority")=`object.spec.?priority.orValue("") == ""`
// +webhook:policy:mutation(type: applyConfiguration)="Object{spec: Object.spec{priority: 'normal'}}"
type Order struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   OrderSpec   `json:"spec"`
	Status OrderStatus `json:"status,omitempty"`
}

// OrderSpec is the desired state of an Order.
type OrderSpec struct {
	// SKU is the article.
	SKU string `json:"sku"`
	// Quantity is how many of it.
	Quantity int64 `json:"quantity"`
	// Priority is low, normal or high. The default is normal.
	Priority Priority `json:"priority,omitempty"`
	// Note is free text for the packer. It is deprecated: v2 has notes.
	Note string `json:"note,omitempty"`
}

// Priority is how soon an order is packed.
type Priority string

// The priorities there are.
const (
	PriorityLow    Priority = "low"
	PriorityNormal Priority = "normal"
	PriorityHigh   Priority = "high"
)

// OrderStatus is how far the order has come.
type OrderStatus struct {
	Phase string `json:"phase,omitempty"`
}
