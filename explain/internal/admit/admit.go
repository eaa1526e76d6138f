// SPDX-License-Identifier: Apache-2.0

// Package admit finds out which webhooks an API server calls for a request, and calls them where a program serves them.
//
// k8s.io/apiserver's own code decides: its managers order the webhooks, its generic plugin exempts requests and selects
// webhooks, and its dispatchers send the request and apply the response. The package calls its predicates once more to
// explain why a webhook is not called.
package admit

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules"

	"github.com/webhook-gen/webhook-gen/explain/internal/condition"
	"github.com/webhook-gen/webhook-gen/explain/internal/configuration"
	"github.com/webhook-gen/webhook-gen/explain/internal/served"
)

// Cluster is the state of an API server when a request comes in.
type Cluster struct {
	Configurations configuration.Set
	API            *served.API
	// Namespace is the namespace of the request; nil for a cluster-scoped request.
	Namespace *corev1.Namespace
	// Version is the version of Kubernetes; nil means the newest version that this program supports.
	Version *version.Version
	// Authorized is the authorizer's answer to matchConditions.
	Authorized Answer
}

// Verdict tells whether a webhook is called.
type Verdict string

const (
	// Called means that the webhook is called, unless one before it refuses the request.
	Called Verdict = "called"
	// Skipped means that it is not called, and the request goes on.
	Skipped Verdict = "skipped"
	// Refuses means that the request is refused in place of a call.
	Refuses Verdict = "refuses"
	// NotReached means that the request is refused before.
	NotReached Verdict = "not reached"
	// Undecided means that the inputs do not decide it.
	Undecided Verdict = "undecided"
)

// Step is the step of matching that decides.
type Step string

// The steps, in the order in which an API server takes them. But for the first, they are named for fields of webhooks.
const (
	Exemption         Step = "exemption"
	NamespaceSelector Step = "namespaceSelector"
	ObjectSelector    Step = "objectSelector"
	Rules             Step = "rules"
	MatchConditions   Step = "matchConditions"
	SideEffects       Step = "sideEffects"
)

// Webhook is the result for one webhook.
type Webhook struct {
	Configuration string `json:"configuration"`
	Name          string `json:"name"`
	// Index is its place in the configuration, from 0.
	Index int `json:"index"`
	// Position is the marker that declares it, as file:line:column; empty where no marker does.
	Position string  `json:"position,omitempty"`
	Verdict  Verdict `json:"verdict"`
	// Step is where it was decided that it is not called.
	Step Step `json:"step,omitempty"`
	// Reason explains why the webhook is not called, or a peculiarity of the call.
	Reason string `json:"reason,omitempty"`
	// Rule is the index of the rule that matches; nil if no rule matches or no rule was evaluated.
	Rule *int `json:"rule,omitempty"`
	// Converted is the resource as which the webhook gets the object, where that is another than the request's.
	Converted string `json:"converted,omitempty"`
	// Conditions are the matchConditions, if they were evaluated.
	Conditions []condition.Result `json:"conditions,omitempty"`
	// Undefaulted are fields on which the conditions' answer depends, and which an API server may set by default, which
	// is not done here.
	Undefaulted []string `json:"undefaulted,omitempty"`
	// Reinvoked reports that it may be called a second time, after another webhook changed the object.
	Reinvoked bool `json:"reinvoked,omitempty"`
}

// exemption explains why the API server calls no webhook at all.
func exemption(request admission.Attributes) string {
	if rules.IsExemptAdmissionConfigurationResource(request) {
		return fmt.Sprintf("no webhook is called for a %s, so that a bad one can be removed", request.GetKind().Kind)
	}
	return fmt.Sprintf("no webhook is called for %s since Kubernetes 1.37: it is part of how requests are authorized", request.GetResource().Resource)
}
