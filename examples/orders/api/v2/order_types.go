package v2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Order is what a customer wants shipped.
//
// +kubebuilder:object:root=true
// +webhook:mutating(operations: "create", reinvocationPolicy: IfNeeded)
// +webhook:validating(operations: "create;update")
type Order struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec OrderSpec `json:"spec"`
}

// OrderSpec is what the customer asks for.
type OrderSpec struct {
	// Items are the articles.
	Items []Item `json:"items"`
	// Priority is "low", "normal" or "high".
	Priority string `json:"priority,omitempty"`
	// Notes are free text for the packer.
	Notes []string `json:"notes,omitempty"`
}

// Item is an article and how many of it.
type Item struct {
	SKU      string `json:"sku"`
	Quantity int64  `json:"quantity"`
}
