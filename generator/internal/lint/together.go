// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

const (
	// longest is the default of timeoutSeconds.
	longest = 10
	// patience is how many seconds an API server gives a request.
	patience = 34
)

// slow reports mutating webhooks for which a request may wait too long: one by itself, and several together.
func slow(p pass) {
	for _, w := range p.project.Webhooks() {
		if t := w.Spec.TimeoutSeconds; w.Mutating && t != nil && *t > longest {
			p.report(w, w.Where("timeoutSeconds"), "every request that the webhook is for may wait %d seconds for it", *t)
		}
	}
	reported := map[*model.Webhook]bool{}
	for _, called := range p.chains() {
		var seconds int32
		for i, w := range called {
			if seconds += p.timeout(w); seconds <= patience {
				continue
			}
			if !reported[w] {
				reported[w] = true
				d := p.report(w, w.Where("timeoutSeconds"), "with those before it, %d webhooks may take %d seconds, and an API server gives a request %d, whatever their failurePolicy", i+1, seconds, patience)
				*d = d.WithRelated(called[0].Where("timeoutSeconds"), "the first is here")
			}
			break
		}
	}
}

// chains are mutating webhooks that may each be left out and are called for one request, in the order in which they
// are: for what the selectors and match conditions of one let through, those with the same, and those with none.
func (p pass) chains() (chains [][]*model.Webhook) {
	var open []*model.Webhook
	var bounds []bound
	of := map[*model.Webhook]bound{}
	for _, w := range p.project.Webhooks() {
		if !w.Mutating || p.fails(w) {
			continue
		}
		b := boundOf(w)
		open, of[w] = append(open, w), b
		if !slices.Contains(bounds, b) {
			bounds = append(bounds, b)
		}
	}
	for _, b := range bounds {
		called := slices.DeleteFunc(slices.Clone(open), func(w *model.Webhook) bool { return !of[w].isCalledFor(b) })
		chains = append(chains, together(called)...)
	}
	return chains
}

// bound is a webhook's conditions on requests besides its rules; a field is empty without conditions.
type bound struct{ namespaces, objects, conditions string }

func boundOf(w *model.Webhook) (b bound) {
	if !isEmpty(w.Spec.NamespaceSelector) {
		b.namespaces = w.Spec.NamespaceSelector.String()
	}
	if !isEmpty(w.Spec.ObjectSelector) {
		b.objects = w.Spec.ObjectSelector.String()
	}
	for _, c := range w.Spec.MatchConditions {
		b.conditions += c.Expression + "\n"
	}
	return b
}

// isCalledFor reports whether a webhook is called for what another bound lets through, for certain.
func (b bound) isCalledFor(other bound) bool {
	holds := func(mine, theirs string) bool { return mine == "" || mine == theirs }
	return holds(b.namespaces, other.namespaces) && holds(b.objects, other.objects) && holds(b.conditions, other.conditions)
}

// together returns, for each request that a webhook names, the webhooks that are called for it.
func together(webhooks []*model.Webhook) (chains [][]*model.Webhook) {
	type named struct{ group, resource string }
	byName := map[named][]int{} // indexes in webhooks
	var wild []int
	var requests []request
	seen := map[request]bool{}
	for i, w := range webhooks {
		for _, rule := range w.Spec.Rules {
			for _, r := range requestsOf(rule) {
				n := named{r.group, r.resource}
				if strings.Contains(r.group+r.resource, "*") {
					wild = append(wild, i)
				} else {
					byName[n] = append(byName[n], i)
				}
				if !seen[r] {
					seen[r] = true
					requests = append(requests, r)
				}
			}
		}
	}
	for _, r := range requests {
		candidates := slices.Concat(byName[named{r.group, r.resource}], wild)
		slices.Sort(candidates)
		var called []*model.Webhook
		for _, i := range slices.Compact(candidates) {
			if slices.ContainsFunc(webhooks[i].Spec.Rules, r.matchedBy) {
				called = append(called, webhooks[i])
			}
		}
		if len(called) > 1 {
			chains = append(chains, called)
		}
	}
	return chains
}

// requestsOf are requests that a rule matches, one for each of its operations, groups and resources. A wildcard stands
// for what only other wildcards match.
func requestsOf(rule admissionregistrationv1.RuleWithOperations) (all []request) {
	for _, o := range rule.Operations {
		for _, g := range rule.APIGroups {
			for _, r := range rule.Resources {
				all = append(all, request{o, g, r, matchesScope(rule, true)})
			}
		}
	}
	return all
}

// unvalidated reports mutating webhooks whose resources no validating webhook looks at when they are written.
func unvalidated(p pass) {
	var validating []admissionregistrationv1.RuleWithOperations
	for _, w := range p.project.Webhooks() {
		if !w.Mutating {
			validating = append(validating, w.Spec.Rules...)
		}
	}
	isSeen := func(operation admissionregistrationv1.OperationType, b model.BuiltinResource) bool {
		return slices.ContainsFunc(validating, request{operation, b.Group, b.Name, b.Namespaced}.matchedBy)
	}
	for _, w := range p.project.Webhooks() {
		if !w.Mutating || !p.fails(w) {
			continue
		}
		for i, rule := range w.Spec.Rules {
			for j, name := range rule.Resources {
				if slices.ContainsFunc(p.builtin, func(b model.BuiltinResource) bool {
					return b.Name == name && slices.Contains(rule.APIGroups, b.Group) &&
						!isSeen("CREATE", b) && !isSeen("UPDATE", b)
				}) {
					p.report(w, w.Where(fmt.Sprintf("rules[%d].resources[%d]", i, j)), "no validating webhook here sees the stored %s", name)
				}
			}
		}
	}
}

// sharedPath reports a path of one service that a mutating and a validating webhook share. It also reports two
// webhooks for different kinds that share a path, if the path names one kind.
func sharedPath(p pass) {
	first := map[string][]*model.Webhook{}
	for _, w := range p.project.Webhooks() {
		key, at := address(w)
		if key == "" {
			continue
		}
		for _, other := range first[key] {
			if w.CanShare(other) {
				continue
			}
			message := fmt.Sprintf("webhooks for %s and for %s are served at %s", strings.Join(other.Resources(), ", "), strings.Join(w.Resources(), ", "), w.ServedPath())
			if other.Mutating != w.Mutating {
				message = "a mutating and a validating webhook are served at " + w.ServedPath()
			}
			d := p.report(w, w.Where(at), "%s", message)
			*d = d.WithRelated(other.Where(at), "the other is here")
			break
		}
		first[key] = append(first[key], w)
	}
}

// address is where a webhook is called, and the field that says so; empty where nothing does.
func address(w *model.Webhook) (address, field string) {
	c := w.Spec.ClientConfig
	switch {
	case c.URL != nil:
		return *c.URL, "clientConfig.url"
	case w.Path() == "":
		return "", ""
	}
	return fmt.Sprintf("%s/%s:%d%s", c.Service.Namespace, c.Service.Name, *cmp.Or(c.Service.Port, new(int32(443))), w.Path()), "clientConfig.service.path"
}
