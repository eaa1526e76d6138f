// SPDX-License-Identifier: Apache-2.0

package deprecations

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// Letter has a validating webhook, which warns.
//
// +kubebuilder:object:root=true
type Letter struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec Spec `json:"spec,omitempty"`
}

// Bundle has no webhook, so a policy warns.
//
// +kubebuilder:object:root=true
type Bundle struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec Spec `json:"spec,omitempty"`
}

// Spec is the desired state of both.
type Spec struct {
	// Note is for the postman.
	//
	// +webhook:deprecated="use spec.notes"
	Note string `json:"note,omitempty"`
	Mode Mode   `json:"mode,omitempty"`
	// Sheets are what is in it.
	Sheets []Sheet `json:"sheets,omitempty"`
	// ByName are further sheets.
	ByName map[string]Sheet `json:"byName,omitempty"`
}

// Mode is how it is sent.
type Mode string

// The modes there are.
const (
	// ModeFast is for hurried people.
	//
	// +webhook:deprecated="use Express"
	ModeFast    Mode = "Fast"
	ModeExpress Mode = "Express"
)

// Sheet is a part of a letter.
type Sheet struct {
	Text string `json:"text,omitempty"`
	// Grams is the weight.
	//
	// +webhook:deprecated="remove it"
	Grams *int64 `json:"grams,omitempty"`
	Modes []Mode `json:"modes,omitempty"`
}

// LetterCheck is the validator of Letters.
//
// +webhook:validating(for: "github.com/webhook-gen/webhook-gen/integration/deprecations.Letter", operations: "create;update")
type LetterCheck struct{}

// ValidateCreate allows.
func (LetterCheck) ValidateCreate(context.Context, *admission.CreateRequest[Letter]) error {
	return nil
}

// ValidateUpdate allows.
func (LetterCheck) ValidateUpdate(context.Context, *admission.UpdateRequest[Letter]) error {
	return nil
}
