// SPDX-License-Identifier: Apache-2.0

// Package admit finds out which webhooks an API server calls for a request.
//
// k8s.io/apiserver's own code decides: its managers order the webhooks, and its generic plugin exempts requests and
// selects webhooks. The package calls its predicates once more to explain why a webhook is not called.
package admit

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/webhook"
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
	Conditions []Condition `json:"conditions,omitempty"`
	// Undefaulted are fields on which the conditions' answer depends, and which an API server may set by default, which
	// is not done here.
	Undefaulted []string `json:"undefaulted,omitempty"`
	// Reinvoked reports that it may be called a second time, after another webhook changed the object.
	Reinvoked bool `json:"reinvoked,omitempty"`
}

// Condition is the result of one matchCondition.
type Condition struct {
	Name string `json:"name"`
	// Result is "true", "false" or an error.
	Result string `json:"result"`
}

// Result has the results for all webhooks, in the API server's order. It calls mutating webhooks one after the other,
// and then validating webhooks all at once.
type Result struct {
	Mutating   []Webhook `json:"mutating"`
	Validating []Webhook `json:"validating"`
}

// Request is a request as both kinds of webhooks see it.
type Request struct {
	Mutating, Validating admission.Attributes
	// Defaulted reports that the objects already have an API server's defaults.
	Defaulted bool
}

// Explain returns the result of each webhook for the request. It assumes that no webhook changes the object or refuses
// the request.
func Explain(ctx context.Context, c Cluster, request Request) (Result, error) {
	compiler, err := condition.NewCompiler(nil)
	if err != nil {
		return Result{}, err
	}
	mutating, err := c.phase(ctx, compiler, request, true)
	if err != nil {
		return Result{}, err
	}
	refused := false
	for i := range mutating {
		switch {
		case refused:
			mutating[i] = notReached(mutating[i])
		case mutating[i].Verdict == Refuses:
			refused = true
		}
	}
	validating, err := c.phase(ctx, compiler, request, false)
	if err != nil {
		return Result{}, err
	}
	// An API server matches all webhooks before it calls any; side effects matter only in the calls.
	refusedAt := len(validating)
	for i, w := range validating {
		if w.Verdict == Refuses && w.Step != SideEffects {
			refusedAt = i
			break
		}
	}
	for i, w := range validating {
		skippedBefore := i < refusedAt && w.Verdict == Skipped
		if refused || refusedAt < len(validating) && i != refusedAt && !skippedBefore {
			validating[i] = notReached(w)
		}
	}
	return Result{Mutating: mutating, Validating: validating}, nil
}

func notReached(w Webhook) Webhook {
	return Webhook{
		Configuration: w.Configuration, Name: w.Name, Index: w.Index, Position: w.Position,
		Verdict: NotReached, Reason: "the request is refused before",
	}
}

// phase explains the webhooks of one kind.
func (c Cluster) phase(ctx context.Context, compiler *condition.Compiler, both Request, mutating bool) ([]Webhook, error) {
	request := both.Validating
	if mutating {
		request = both.Mutating
	}
	p, err := newPlugin(c, mutating)
	if err != nil {
		return nil, err
	}
	d := &decider{p, newObjects(c.API, request), compiler, both.Defaulted}
	indexes := map[string]int{} // by configuration
	describe := func(h webhook.WebhookAccessor) Webhook {
		i := indexes[h.GetConfigurationName()]
		indexes[h.GetConfigurationName()]++
		return Webhook{Configuration: h.GetConfigurationName(), Name: h.GetName(), Index: i}
	}
	explained := []Webhook{}
	dispatched := false
	p.dispatch = func(hooks []webhook.WebhookAccessor) {
		dispatched = true
		for _, h := range hooks {
			w := describe(h)
			d.decide(ctx, h, &w)
			explained = append(explained, w)
		}
	}
	if err := p.Dispatch(ctx, request, d.objects); err != nil {
		return nil, fmt.Errorf("the API server's code refuses the request: %w", err)
	}
	if dispatched {
		return explained, nil
	}
	for _, h := range p.source.Webhooks() {
		w := describe(h)
		w.Verdict, w.Step, w.Reason = Skipped, Exemption, exemption(request)
		explained = append(explained, w)
	}
	return explained, nil
}

// exemption explains why the API server calls no webhook at all.
func exemption(request admission.Attributes) string {
	if rules.IsExemptAdmissionConfigurationResource(request) {
		return fmt.Sprintf("no webhook is called for a %s, so that a bad one can be removed", request.GetKind().Kind)
	}
	return fmt.Sprintf("no webhook is called for %s since Kubernetes 1.37: it is part of how requests are authorized", request.GetResource().Resource)
}
