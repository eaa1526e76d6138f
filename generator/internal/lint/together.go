package lint

import (
	"fmt"
	"maps"
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
func slow(p projectPass) {
	for _, w := range p.Project.Webhooks() {
		if t := w.Spec.TimeoutSeconds; w.Mutating && t != nil && *t > longest {
			p.report(w, w.Where("timeoutSeconds"), "every request that the webhook is for may wait %d seconds for it", *t)
		}
	}
	reported := map[*model.Webhook]bool{}
	for _, called := range p.chains() {
		seconds := int32(0)
		for i, w := range called {
			if seconds += p.timeout(w); seconds <= patience || reported[w] {
				continue
			}
			d := p.report(w, w.Where("timeoutSeconds"), "with those before it, %d webhooks may take %d seconds, and an API server gives a request %d, whatever their failurePolicy", i+1, seconds, patience)
			*d = d.WithRelated(called[0].Where("timeoutSeconds"), "the first is here")
			reported[w] = true
			break
		}
	}
}

// chains are mutating webhooks that may each be left out and are called for one request, in the order in which they
// are. Those with match conditions may never be called together, nor those with different selectors.
func (p projectPass) chains() (chains [][]*model.Webhook) {
	bySelectors := map[string][]*model.Webhook{}
	for _, w := range p.Project.Webhooks() {
		if w.Mutating && !p.fails(w) && len(w.Spec.MatchConditions) == 0 {
			key := w.Spec.NamespaceSelector.String() + w.Spec.ObjectSelector.String()
			bySelectors[key] = append(bySelectors[key], w)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(bySelectors)) {
		chains = append(chains, together(bySelectors[key])...)
	}
	return chains
}

// together are those of the webhooks that are called for one request, for each request that one of them names.
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
			if slices.ContainsFunc(webhooks[i].Spec.Rules, func(rule admissionregistrationv1.RuleWithOperations) bool { return matches(rule, r) }) {
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

// unvalidated reports mutating webhooks whose resources no validating webhook looks at.
func unvalidated(p projectPass) {
	validated := map[[2]string]bool{}
	everything := false
	for _, w := range p.Project.Webhooks() {
		if w.Mutating {
			continue
		}
		for _, rule := range w.Spec.Rules {
			for _, g := range rule.APIGroups {
				for _, r := range rule.Resources {
					validated[[2]string{g, r}] = true
					everything = everything || g == "*" || strings.HasPrefix(r, "*")
				}
			}
		}
	}
	for _, w := range p.Project.Webhooks() {
		if !w.Mutating || !p.fails(w) || everything {
			continue
		}
		for i, rule := range w.Spec.Rules {
			for j, r := range rule.Resources {
				if slices.ContainsFunc(rule.APIGroups, func(g string) bool {
					return slices.ContainsFunc(p.builtin, func(b resource) bool { return b.group == g && b.name == r }) && !validated[[2]string{g, r}]
				}) {
					p.report(w, w.Where(fmt.Sprintf("rules[%d].resources[%d]", i, j)), "no validating webhook here sees what is stored of %s", r)
				}
			}
		}
	}
}

// sharedPath reports a path of one service that a mutating and a validating webhook share, or two webhooks for
// different kinds, if the path says that it is for one kind.
func sharedPath(p projectPass) {
	first := map[string][]*model.Webhook{}
	for _, w := range p.Project.Webhooks() {
		key, at := address(w)
		if key == "" {
			continue
		}
		for _, other := range first[key] {
			var message string
			switch {
			case other.Mutating != w.Mutating:
				message = "a mutating and a validating webhook are served at " + w.ServedPath()
			case !w.CanShare(other):
				message = fmt.Sprintf("webhooks for %s and for %s are served at %s", strings.Join(other.Resources(), ", "), strings.Join(w.Resources(), ", "), w.ServedPath())
			default:
				continue
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
	case c.Service.Port == nil:
		return fmt.Sprintf("%s/%s:443%s", c.Service.Namespace, c.Service.Name, w.Path()), "clientConfig.service.path"
	}
	return fmt.Sprintf("%s/%s:%d%s", c.Service.Namespace, c.Service.Name, *c.Service.Port, w.Path()), "clientConfig.service.path"
}
