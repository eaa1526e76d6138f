// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/spec"
)

// Object is what a cluster enforces: a kind of object, and a name.
type Object struct {
	Of   ObjectKind
	Name string
}

// ObjectKind is a kind of Object.
type ObjectKind int

const (
	// MutatingWebhook is a webhook of a MutatingWebhookConfiguration.
	MutatingWebhook ObjectKind = iota
	// ValidatingWebhook is a webhook of a ValidatingWebhookConfiguration.
	ValidatingWebhook
	// MutatingPolicy is a MutatingAdmissionPolicy, or a part of one.
	MutatingPolicy
	// ValidatingPolicy is a ValidatingAdmissionPolicy, or a part of one.
	ValidatingPolicy
	// Binding is a binding of a policy.
	Binding
	// Defined is a CustomResourceDefinition, or a version of one.
	Defined
	// Conversion is the conversion webhook of a CustomResourceDefinition.
	Conversion
)

// Loss is enforcement of the old state that the new one lacks.
type Loss struct {
	Object
	// Part is the lost part, in words. It is empty if the whole object is lost.
	Part string
	// Group, Version and Resource are of the first rule, or of the definition.
	Group, Version, Resource string
	// Instead is the only new object that does for the same or another version, for another resource of the group, or for
	// the resource in another group what the lost object did. It is empty without one, or with several. Moved is true if
	// the resource is the same. Else several losses may have the same object: it replaces the one whose type has gone.
	Instead string
	Moved   bool
}

func (l Loss) String() string {
	name := l.Name
	switch {
	case l.Of == Defined && l.Part == "":
		name = "the definition " + name
	case l.Of == Conversion:
		name = "the conversion of " + name
	case l.Of == Binding:
		name = "the binding " + name
	case l.Of == MutatingPolicy, l.Of == ValidatingPolicy:
		name = "the policy " + name
	}
	if l.Part != "" {
		return name + ": " + l.Part
	}
	return name
}

// Lost returns the enforcement that the new state lacks: webhooks, policies, bindings, definitions, versions and
// conversions that go, apply to fewer requests or fail open. They are findings of Compare.
func Lost(from, to *State) (lost []Loss) {
	for _, f := range Compare(from, to) {
		if f.Lost != nil && !slices.Contains(lost, *f.Lost) {
			lost = append(lost, *f.Lost)
		}
	}
	instead(lost, from, to)
	return lost
}

// instead finds the new webhooks and policies that may replace lost ones: first for the same resource in any version,
// then for another resource.
func instead(lost []Loss, from, to *State) {
	before := from.matching()
	added := only(to.matching(), before, func(a, b matcher) bool { return a.Object == b.Object })
	for _, moved := range []bool{true, false} {
		var taken []Object
		for i := range lost {
			l := &lost[i]
			old, ok := find(before, func(m matcher) bool { return m.Object == l.Object })
			if !ok || l.Part != "" || l.Instead != "" {
				continue
			}
			var candidates []matcher
			for _, now := range added {
				if now.Of == old.Of && old.alike(now) && (now.resource() == old.resource()) == moved {
					candidates = append(candidates, now)
				}
			}
			if len(candidates) == 1 {
				l.Instead, l.Moved = candidates[0].Name, moved
				taken = append(taken, candidates[0].Object)
			}
		}
		added = slices.DeleteFunc(added, func(m matcher) bool { return slices.Contains(taken, m.Object) })
	}
}

// matcher is a webhook or a policy, with the part of it that a rename leaves alone.
type matcher struct {
	Object
	rules []admissionregistrationv1.RuleWithOperations
	// same has everything but the rules that decides what is enforced: selectors, conditions, failure policies and the
	// expressions of a policy.
	same string
}

// matching returns the webhooks and policies of a state.
func (s *State) matching() (all []matcher) {
	text := func(parts ...any) string {
		plain, _ := json.Marshal(parts) // of API types
		return string(plain)
	}
	for _, w := range s.Webhooks {
		all = append(all, matcher{objectOf(w), w.Spec.Rules,
			text(w.Spec.MatchPolicy, w.Spec.FailurePolicy, w.Spec.NamespaceSelector, w.Spec.ObjectSelector, w.Spec.MatchConditions)})
	}
	for _, p := range s.Policies {
		var same []any
		for _, v := range p.Spec.Validations {
			same = append(same, v.Expression)
		}
		for _, m := range p.Spec.Mutations {
			same = append(same, mutationText(m))
		}
		for _, b := range p.Bindings {
			bound := b.Spec
			bound.PolicyName = ""
			if bound.MatchResources != nil {
				bound.MatchResources = spec.DefaultedMatch(bound.MatchResources)
			}
			same = append(same, bound)
		}
		plain := spec.DefaultedMatch(p.Spec.MatchConstraints)
		all = append(all, matcher{policyObject(p), plainRules(p.Spec.MatchConstraints),
			text(same, cmp.Or(p.Spec.FailurePolicy, new(admissionregistrationv1.Fail)), p.Spec.MatchConditions, plain.NamespaceSelector, plain.ObjectSelector)})
	}
	return all
}

func (m matcher) resource() string {
	if len(m.rules) == 0 {
		return ""
	}
	return strings.Join(slices.Concat(m.rules[0].APIGroups, m.rules[0].Resources), ",")
}

// alike reports whether two matchers differ in no more than the name and the resource, its group, or the version of a
// resource whose objects are converted.
func (m matcher) alike(other matcher) bool {
	if len(m.rules) == 0 || len(m.rules) != len(other.rules) || m.same != other.same {
		return false
	}
	for i, r := range m.rules {
		o := other.rules[i]
		sub := func(r admissionregistrationv1.RuleWithOperations) (all []string) {
			for _, resource := range r.Resources {
				_, s, _ := strings.Cut(resource, "/")
				all = append(all, s)
			}
			return all
		}
		if !slices.Equal(r.Operations, o.Operations) || !slices.Equal(sub(r), sub(o)) {
			return false
		}
		var differ int
		for _, isSame := range []bool{slices.Equal(r.APIGroups, o.APIGroups), slices.Equal(r.APIVersions, o.APIVersions), slices.Equal(r.Resources, o.Resources)} {
			if !isSame {
				differ++
			}
		}
		if differ > 1 {
			return false
		}
	}
	return true
}

// objectOf returns the object of a webhook.
func objectOf(w *Webhook) Object {
	if w.Mutating {
		return Object{MutatingWebhook, w.Spec.Name}
	}
	return Object{ValidatingWebhook, w.Spec.Name}
}

// policyObject returns the object of a policy.
func policyObject(p *model.Policy) Object {
	if p.Mutating {
		return Object{MutatingPolicy, p.Name}
	}
	return Object{ValidatingPolicy, p.Name}
}

// loss is the loss of a webhook, or a part of it.
func (w *Webhook) loss(part string) *Loss { return lossOf(objectOf(w), w.Spec.Rules, part) }

// policyLoss is the loss of a policy, or a part of it.
func policyLoss(p *model.Policy, part string) *Loss {
	return lossOf(policyObject(p), plainRules(p.Spec.MatchConstraints), part)
}

func lossOf(o Object, rules []admissionregistrationv1.RuleWithOperations, part string) *Loss {
	l := &Loss{Object: o, Part: part}
	if len(rules) > 0 {
		first := func(list []string) string { return strings.Join(list[:min(1, len(list))], "") }
		l.Group, l.Version = first(rules[0].APIGroups), first(rules[0].APIVersions)
		l.Resource, _, _ = strings.Cut(first(rules[0].Resources), "/")
	}
	return l
}

// loss is the loss of a definition, or a version of it.
func (d *Definition) loss(version, part string) *Loss {
	group := cmp.Or(d.Group, d.Name[strings.IndexByte(d.Name, '.')+1:])
	plural, _, _ := strings.Cut(d.Name, ".")
	return &Loss{Object: Object{Defined, d.Name}, Part: part, Group: group, Version: version, Resource: cmp.Or(d.Plural, plural)}
}

// plainRules returns the rules of match constraints with the defaults of API servers.
func plainRules(m *admissionregistrationv1.MatchResources) (rules []admissionregistrationv1.RuleWithOperations) {
	for _, r := range spec.DefaultedMatch(m).ResourceRules {
		rules = append(rules, r.RuleWithOperations)
	}
	return rules
}

// matchesFewer describes the requests that match resources no longer match; empty without any. It compares each part
// by itself. Without match resources, everything is matched.
func (s *step) matchesFewer(old, now *admissionregistrationv1.MatchResources) string {
	before, then := spec.DefaultedMatch(old), spec.DefaultedMatch(now)
	webhook := func(m *admissionregistrationv1.MatchResources, rules []admissionregistrationv1.NamedRuleWithOperations) *Webhook {
		w := &Webhook{Spec: admissionregistrationv1.MutatingWebhook{MatchPolicy: m.MatchPolicy, NamespaceSelector: m.NamespaceSelector, ObjectSelector: m.ObjectSelector}}
		for _, r := range rules {
			w.Spec.Rules = append(w.Spec.Rules, r.RuleWithOperations)
		}
		return w
	}
	was, is := webhook(before, before.ResourceRules), webhook(then, then.ResourceRules)
	if len(then.ResourceRules) > 0 && len(before.ResourceRules) == 0 {
		return "no longer all resources"
	}
	var texts []string
	exact := *before.MatchPolicy == admissionregistrationv1.Exact || *then.MatchPolicy == admissionregistrationv1.Exact
	if lost, _ := s.covered(was, is, !exact); len(lost) > 0 && len(then.ResourceRules) > 0 {
		texts = append(texts, "no longer "+describe(lost))
	}
	if _, more := s.covered(webhook(before, before.ExcludeResourceRules), webhook(then, then.ExcludeResourceRules), !exact); len(more) > 0 {
		texts = append(texts, "no longer "+describe(more))
	}
	named := func(m *admissionregistrationv1.MatchResources) bool {
		return slices.ContainsFunc(m.ResourceRules, func(r admissionregistrationv1.NamedRuleWithOperations) bool { return len(r.ResourceNames) > 0 })
	}
	if named(then) && !named(before) {
		texts = append(texts, "only objects of some names")
	}
	_, less := selection(was, is)
	for _, c := range less {
		texts = append(texts, c.text)
	}
	return strings.Join(texts, "; ")
}

// conversionLoss is the loss of a definition's conversion webhook.
func (d *Definition) conversionLoss() *Loss {
	l := d.loss("", "")
	l.Of = Conversion
	return l
}
