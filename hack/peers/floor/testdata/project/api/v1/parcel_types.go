// Package v1 is an API with one kind and one webhook.
//
// +groupName=parcels.example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Parcel is a kind.
//
// +kubebuilder:object:root=true
// +webhook:validating(operations: "create")
type Parcel struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ParcelSpec `json:"spec"`
}

// ParcelSpec is a desired parcel.
type ParcelSpec struct {
	Weight int32 `json:"weight"`
}
