// Package v1 has the kinds of a project in kubebuilder's layout.
//
// +groupName=shop.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the group and version of the kinds.
var GroupVersion = schema.GroupVersion{Group: "shop.example.com", Version: "v1"}

// AddToScheme registers the kinds.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion, &Order{}, &Cart{}, &Backup{})
	return nil
}

// Order is what a customer wants shipped.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster
type Order struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Size string `json:"size,omitempty"`
}

// DeepCopyObject copies the object.
func (o *Order) DeepCopyObject() runtime.Object {
	return &Order{o.TypeMeta, *o.ObjectMeta.DeepCopy(), o.Size}
}

// Cart holds what a customer may order.
//
// +kubebuilder:object:root=true
type Cart struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Size string `json:"size,omitempty"`
}

// DeepCopyObject copies the object.
func (c *Cart) DeepCopyObject() runtime.Object {
	return &Cart{c.TypeMeta, *c.ObjectMeta.DeepCopy(), c.Size}
}

// Backup holds a copy of an order.
//
// +kubebuilder:object:root=true
type Backup struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Size string `json:"size,omitempty"`
}

// DeepCopyObject copies the object.
func (b *Backup) DeepCopyObject() runtime.Object {
	return &Backup{b.TypeMeta, *b.ObjectMeta.DeepCopy(), b.Size}
}
