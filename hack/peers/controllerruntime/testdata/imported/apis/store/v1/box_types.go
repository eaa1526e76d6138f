// Package v1 has a kind in the layout of older projects, whose methods are its webhooks.
//
// +groupName=store.example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Box holds an order.
//
// +kubebuilder:object:root=true
type Box struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Size string `json:"size,omitempty"`
}
