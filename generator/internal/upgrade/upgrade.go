// SPDX-License-Identifier: Apache-2.0

// Package upgrade finds the consequences of the step from one state of a project to the next for a cluster that runs
// the first one. It reports objects that are refused, values that are lost and checks that are gone, and the order of
// steps that avoids this.
//
// A State comes from markers (Of) or from manifests (OfManifests). Compare applies a table of rules to two of them.
// During a rollout, configurations and servers differ in age, and rules look at both cases: an old configuration that
// calls a new server, and a new one that calls an old server.
package upgrade

import (
	"cmp"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// Severity says what a finding means to a cluster.
type Severity int

const (
	// Breaking says that requests are refused or data is lost, unless the steps are taken in their order.
	Breaking Severity = iota
	// Careful says that something behaves otherwise than before.
	Careful
	// Safe says that there is nothing to do.
	Safe
)

func (s Severity) String() string { return [...]string{"breaking", "careful", "safe"}[s] }

// Finding is one thing that a cluster notices.
type Finding struct {
	// Range is where the cause stands, in the new state or, if InOld, in the old one.
	diag.Range
	InOld    bool
	Severity Severity
	// Rule is the id under which docs/reference/rules.md explains the finding.
	Rule string
	// Message describes the change, Effect its result in a cluster.
	Message, Effect string
	// Steps are what to do, in this order.
	Steps []string
	// Accepted is why the new state accepts it; empty where it does not.
	Accepted string
	// Lost is the enforcement that the new state lacks; nil if the change takes none away.
	Lost *Loss
}

// Compare reports what the step from one state to another means, in the order of positions.
func Compare(from, to *State) []Finding {
	s := step{from: from, to: to, policies: pairs(from.Policies, to.Policies, samePolicy)}
	s.matchWebhooks()
	s.matchKinds()
	var found []Finding
	for _, r := range Rules() {
		p := &pass{step: &s, rule: r.ID, found: &found}
		if r.find != nil {
			r.find(p)
		}
		each(p, s.webhooks, r.webhook)
		each(p, s.definitions, r.definition)
		if r.declared {
			each(p, s.declared, r.definition)
		}
		each(p, s.schemas, r.schema)
		each(p, s.versions, r.version)
		each(p, s.sides, r.side)
		each(p, s.fields, r.field)
		each(p, s.policies, r.policy)
	}
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(a.Pos.Compare(b.Pos), cmp.Compare(a.Severity, b.Severity))
	})
	return found
}

// each applies a rule, if there is one, to what both states have.
func each[T any](p *pass, both []pair[T], rule func(p *pass, old, now T)) {
	if rule == nil {
		return
	}
	for _, b := range both {
		rule(p, b.old, b.new)
	}
}

// step is what leads from one state to the other.
type step struct {
	from, to *State
	webhooks []pair[*Webhook]
	// added and removed are the webhooks of one state alone.
	added, removed []*Webhook
	definitions    []pair[*Definition]
	declared       []pair[*Definition]
	schemas        []pair[*schema]
	versions       []pair[*version]
	sides          []pair[*side]
	fields         []pair[*fieldConversion]
	policies       []pair[*model.Policy]
}

// pair is the same thing in both states.
type pair[T any] struct{ old, new T }

// pass is what a rule looks at, and where it reports.
type pass struct {
	*step
	rule  string
	found *[]Finding
}

// report adds a finding, unless another file shows it: a definition and its Go type both may.
func (p *pass) report(f Finding) {
	f.Rule = p.rule
	if slices.ContainsFunc(*p.found, func(other Finding) bool { return other.title() == f.title() && other.Pos.File != f.Pos.File }) {
		return
	}
	*p.found = append(*p.found, f)
}
