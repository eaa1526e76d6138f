// SPDX-License-Identifier: Apache-2.0

// Package loose requires no field without a marker of its own.
//
// +kubebuilder:validation:Optional
package loose

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Order is a kind.
type Order struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Note string `json:"note"`
	// +required
	SKU string `json:"sku"`
}

// DeepCopyObject makes an object of an order.
func (o *Order) DeepCopyObject() runtime.Object {
	return &Order{o.TypeMeta, o.ObjectMeta, o.Note, o.SKU}
}

// OrderValidator validates orders.
type OrderValidator struct{}

// ValidateCreate denies rude notes and the SKU none.
func (v *OrderValidator) ValidateCreate(ctx context.Context, o *Order) ([]string, error) {
	if o.Note == "rude" {
		return nil, errors.New("be polite")
	}
	if o.SKU == "none" {
		return nil, errors.New("none is no SKU")
	}
	return nil, nil
}
