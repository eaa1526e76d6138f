// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
)

// request is what rules match. other stands for everything that no rule of either state names.
type request struct{ operation, group, version, resource, subresource, scope string }

const other = "*"

// covered compares which requests the rules of a webhook match. anyVersion leaves the versions of objects out of it.
func (s *step) covered(old, now *Webhook, anyVersion bool) (lost, gained []request) {
	before, after := old.Spec.Rules, now.Spec.Rules
	groups, versions, resources, subresources := candidates(slices.Concat(before, after))
	if anyVersion {
		versions = []string{""}
	}
	for _, group := range groups {
		for _, resource := range resources {
			known := s.scopeOf(group, resource)
			scopes := []string{"Namespaced", "Cluster"}
			if known != "" {
				scopes = []string{known}
			}
			for _, subresource := range subresources {
				for _, version := range versions {
					for _, scope := range scopes {
						for _, operation := range allOperations() {
							r := request{operation, group, version, resource, subresource, scope}
							was, is := r.matchedBy(before), r.matchedBy(after)
							if known != "" {
								r.scope = "" // it says nothing
							}
							switch {
							case was && !is:
								lost = append(lost, r)
							case is && !was:
								gained = append(gained, r)
							}
						}
					}
				}
			}
		}
	}
	return lost, gained
}

func allOperations() []string { return []string{"CREATE", "UPDATE", "DELETE", "CONNECT"} }

// scopeOf is the scope of a resource whose definition is known.
func (s *step) scopeOf(group, resource string) string {
	for _, d := range slices.Concat(s.from.Definitions, s.to.Definitions) {
		if d.Group == group && d.Plural == resource && d.Scope != "" {
			return d.Scope
		}
	}
	return ""
}

// candidates are the values that tell requests apart.
func candidates(rules []admissionregistrationv1.RuleWithOperations) (groups, versions, resources, subresources []string) {
	groups, versions, resources, subresources = []string{other}, []string{other}, []string{other}, []string{"", other}
	for _, r := range rules {
		groups = append(groups, r.APIGroups...)
		versions = append(versions, r.APIVersions...)
		for _, pattern := range r.Resources {
			resource, subresource, _ := strings.Cut(pattern, "/")
			resources = append(resources, resource)
			subresources = append(subresources, subresource)
		}
	}
	for _, list := range []*[]string{&groups, &versions, &resources, &subresources} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return groups, versions, resources, subresources
}

// matchedBy reports whether one of the rules matches the request.
func (r request) matchedBy(rules []admissionregistrationv1.RuleWithOperations) bool {
	return slices.ContainsFunc(rules, r.matches)
}

// matches decides as k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules, Matcher.Matches.
func (r request) matches(rule admissionregistrationv1.RuleWithOperations) bool {
	return slices.ContainsFunc(rule.Operations, matching(admissionregistrationv1.OperationType(r.operation))) &&
		slices.ContainsFunc(rule.APIGroups, matching(r.group)) &&
		(r.version == "" || slices.ContainsFunc(rule.APIVersions, matching(r.version))) &&
		matching(r.scope)(string(*rule.Scope)) && slices.ContainsFunc(rule.Resources, func(pattern string) bool {
		resource, subresource, _ := strings.Cut(pattern, "/")
		return matching(r.resource)(resource) && matching(r.subresource)(subresource)
	})
}

// matching tells the patterns of a rule that match a value.
func matching[T ~string](value T) func(pattern T) bool {
	return func(pattern T) bool { return pattern == "*" || pattern == value }
}

// describe names the requests in words. It leaves out requests that no rule names if there are others that rules name.
func describe(requests []request) string {
	for _, value := range []func(request) string{
		func(r request) string { return r.group },
		func(r request) string { return r.resource },
		func(r request) string { return r.subresource },
		func(r request) string { return r.version },
	} {
		if slices.ContainsFunc(requests, func(r request) bool { return value(r) != other }) {
			requests = slices.DeleteFunc(slices.Clone(requests), func(r request) bool { return value(r) == other })
		}
	}
	scopes := map[string]map[string][]string{} // of requests that differ in nothing else, by subject and operation
	for _, r := range requests {
		if scopes[r.subject()] == nil {
			scopes[r.subject()] = map[string][]string{}
		}
		scopes[r.subject()][r.operation] = append(scopes[r.subject()][r.operation], r.scope)
	}
	subjects := map[string][]string{} // by operations and scope
	for _, subject := range slices.Sorted(maps.Keys(scopes)) {
		byScope := map[string][]string{}
		for _, operation := range allOperations() {
			if found := scopes[subject][operation]; len(found) > 0 {
				byScope[inScope(found)] = append(byScope[inScope(found)], operation)
			}
		}
		for _, scope := range slices.Sorted(maps.Keys(byScope)) {
			verbs := strings.Join(byScope[scope], ", ") + " of " + scope
			subjects[verbs] = append(subjects[verbs], subject)
		}
	}
	var parts []string
	for _, verbs := range slices.Sorted(maps.Keys(subjects)) {
		parts = append(parts, verbs+several(subjects[verbs]))
	}
	return strings.Join(parts, "; ")
}

// inScope says in words that requests are for one scope; empty where they are for any.
func inScope(scopes []string) string {
	switch only := scopes[0]; {
	case len(scopes) > 1 || only == "":
		return ""
	case only == "Cluster":
		return "cluster-scoped "
	}
	return "namespaced "
}

// subject names what a request is about: "orders/status.shop.example.com/v1".
func (r request) subject() string {
	name := cmp.Or(strings.TrimSuffix(r.resource, other), "resources")
	if r.subresource != "" {
		name += "/" + r.subresource
	}
	if r.group != "" && r.group != other {
		name += "." + r.group
	}
	if r.version != "" {
		name += "/" + r.version
	}
	return name
}

// several lists some of many.
func several(names []string) string {
	const most = 4
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
