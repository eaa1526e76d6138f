package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Order is what a customer wants shipped.
//
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +webhook:mutating(operations: "create")
// +webhook:validating(operations: "create;update")
// +webhook:policy:validating(operations: "create;update")
// +webhook:policy:validation(message: "an order is for at most 100 pieces")="object.?spec.pieces.orValue(0) <= 100"
// +webhook:conversion:spoke
type Order struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec OrderSpec `json:"spec,omitempty"`
}

// OrderSpec is the desired state of an Order.
type OrderSpec struct {
	// SKU names the article.
	//
	// +webhook:conversion:to="article"
	SKU string `json:"sku,omitempty"`
	// Pieces is how many of it to pack.
	Pieces int32 `json:"pieces,omitempty"`
	// Priority is low, normal or high. The default is normal.
	Priority string `json:"priority,omitempty"`
}

// OrderList is a list of orders.
//
// +kubebuilder:object:root=true
type OrderList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Order `json:"items"`
}

func init() {
	SchemeBuilder.Register(func(s *runtime.Scheme) error {
		s.AddKnownTypes(GroupVersion, &Order{}, &OrderList{})
		return nil
	})
}
