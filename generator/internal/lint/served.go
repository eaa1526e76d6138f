// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/gengo/v2/namer"
	"k8s.io/gengo/v2/types"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

//go:embed kubernetes.txt
var kubernetes string

// servedSince and servedUntil are the first and the last minor version of Kubernetes in the table.
const (
	servedSince = "1.25"
	servedUntil = "1.37"
)

// served is a resource or subresource that Kubernetes serves in a version.
type served struct {
	group, version, resource string
	namespaced               bool
}

// servedResources parses the table.
func servedResources() (all []served) {
	for line := range strings.Lines(kubernetes) {
		words := strings.Fields(line)
		if words[0] == "#" {
			continue
		}
		gv, _ := schema.ParseGroupVersion(words[0]) // hack/served writes the table
		all = append(all, served{gv.Group, gv.Version, words[1], words[2] == "Namespaced"})
	}
	return all
}

// Serves reports whether Kubernetes serves a kind of its own in a version, and returns the versions in which it does.
// The latter are empty for a kind that the table does not have.
func Serves(group, version, kind string) (versions []string, ok bool) {
	name := namer.NewAllLowercasePluralNamer(map[string]string{"Endpoints": "endpoints"}).Name(&types.Type{Name: types.Name{Name: kind}})
	for _, s := range servedResources() {
		if s.group == group && s.resource == name {
			versions = append(versions, s.version)
		}
	}
	return versions, slices.Contains(versions, version)
}

// ours returns the resources of Kubernetes that a rule matches, whatever its operations and scope. It is false if the
// rule names another group: nothing is known of its resources.
func (p pass) ours(rule admissionregistrationv1.RuleWithOperations) (matched []served, ok bool) {
	if !p.areBuiltin(rule.APIGroups) {
		return nil, false
	}
	for _, s := range p.served {
		if holds(rule.APIGroups, s.group) && holds(rule.APIVersions, s.version) &&
			slices.ContainsFunc(rule.Resources, func(pattern string) bool { return matchesResource(pattern, s.resource) }) {
			matched = append(matched, s)
		}
	}
	return matched, true
}

// unserved reports groups, versions and resources by which a rule matches nothing that Kubernetes serves.
func unserved(p webhookPass) {
	for i, rule := range p.Spec.Rules {
		matched, ok := p.ours(rule)
		if !ok || len(rule.Resources) == 0 {
			continue
		}
		report := func(list string, j int, words ...string) *diag.Diagnostic {
			words = slices.Clone(words)
			for k := range words {
				words[k] = strconv.Quote(words[k]) // a group may be empty
			}
			at := p.at
			// Another resource or version may be of a later Kubernetes.
			if list == "resources" && p.namesResource(rule.APIGroups, rule.Resources[j]) || list == "apiGroups" && len(matched) == 0 {
				at = p.never
			}
			return at(fmt.Sprintf("rules[%d].%s[%d]", i, list, j), "no Kubernetes from %s to %s serves anything that this rule matches by %s",
				servedSince, servedUntil, strings.Join(words, ", "))
		}
		if len(matched) == 0 { // one finding for the rule, at the words that are at fault
			groups, versions := p.servedIn(rule)
			hint := "the resources are served in " + strings.Join(versions, ", ")
			switch {
			case len(versions) == 0 && !p.isMisspelt(rule.APIGroups, rule.Resources[0]):
				report("resources", 0, rule.Resources...)
			case len(versions) == 0:
			case slices.ContainsFunc(groups, func(group string) bool { return slices.Contains(rule.APIGroups, group) }):
				report("apiVersions", 0, rule.APIVersions...).Hint = hint
			default:
				report("apiGroups", 0, slices.Concat(rule.APIGroups, rule.APIVersions)...).Hint = hint
			}
			continue
		}
		for j, group := range rule.APIGroups {
			if !slices.ContainsFunc(matched, func(s served) bool { return s.group == group }) {
				report("apiGroups", j, group)
			}
		}
		for j, version := range rule.APIVersions {
			if version != "*" && !slices.ContainsFunc(matched, func(s served) bool { return s.version == version }) {
				report("apiVersions", j, version)
			}
		}
		for j, resource := range rule.Resources {
			if !p.isMisspelt(rule.APIGroups, resource) && !slices.ContainsFunc(matched, func(s served) bool { return matchesResource(resource, s.resource) }) {
				d := report("resources", j, resource)
				if near, ok := diag.Nearest(resource, p.resources(rule)); ok {
					d.Hint = "did you mean " + near + "?"
				}
			}
		}
	}
}

// servedIn returns the groups that serve a rule's resources, and their versions, as apps/v1.
func (p pass) servedIn(rule admissionregistrationv1.RuleWithOperations) (groups, versions []string) {
	for _, s := range p.served {
		version := strings.TrimPrefix(s.group+"/"+s.version, "/")
		if !slices.Contains(versions, version) && slices.Contains(rule.Resources, s.resource) {
			groups, versions = append(groups, s.group), append(versions, version)
		}
	}
	return groups, versions
}

// resources returns the resources in a rule's groups and versions.
func (p pass) resources(rule admissionregistrationv1.RuleWithOperations) (names []string) {
	for _, s := range p.served {
		if holds(rule.APIGroups, s.group) && holds(rule.APIVersions, s.version) {
			names = append(names, s.resource)
		}
	}
	return names
}

// otherScope reports a scope that none of a rule's resources has.
func otherScope(p webhookPass) {
	for i, rule := range p.Spec.Rules {
		if rule.Scope == nil || *rule.Scope == admissionregistrationv1.AllScopes {
			continue
		}
		matched, ok := p.ours(rule)
		if !ok {
			matched = p.definedScopes(rule)
		}
		if len(matched) == 0 || slices.ContainsFunc(matched, func(s served) bool { return matchesScope(rule, s.namespaced) }) {
			continue
		}
		other := "Cluster"
		if matched[0].namespaced {
			other = "Namespaced"
		}
		p.never(fmt.Sprintf("rules[%d].scope", i), "every resource of the rule has the scope %s, so that the rule matches nothing", other)
	}
}

// definedScopes returns the resources of a rule if all of them have definitions, or are the type's own.
func (p webhookPass) definedScopes(rule admissionregistrationv1.RuleWithOperations) (all []served) {
	for _, group := range rule.APIGroups {
		for _, entry := range rule.Resources {
			resource, _, _ := strings.Cut(entry, "/")
			scope := p.Scopes[resource+"."+group]
			if k := p.Kind; k != nil && k.Subresources != nil && k.Group == group && k.Plural == resource {
				scope = cmp.Or(k.Scope, "Namespaced") // controller-gen's default
			}
			if scope == "" {
				return nil
			}
			all = append(all, served{group: group, resource: entry, namespaced: scope == "Namespaced"})
		}
	}
	return all
}

// unlabelled reports an objectSelector for requests whose objects have no metadata.
func unlabelled(p webhookPass) {
	isOther := func(rule admissionregistrationv1.RuleWithOperations) bool {
		return len(rule.Operations) != 1 || rule.Operations[0] != "CONNECT"
	}
	if isEmpty(p.Spec.ObjectSelector) || len(p.Spec.Rules) == 0 || slices.ContainsFunc(p.Spec.Rules, isOther) {
		return
	}
	p.at("objectSelector", "the object of CONNECT has no labels, such as PodExecOptions, so that %s", strings.Replace(p.unused(), "not", "never", 1))
}

// patient reports validating webhooks that let a request wait longer than by default.
func patient(p webhookPass) {
	if !p.Mutating && p.Spec.TimeoutSeconds != nil && *p.Spec.TimeoutSeconds > 10 {
		p.at("timeoutSeconds", "each request waits up to %d seconds for the webhook", *p.Spec.TimeoutSeconds)
	}
}

// unreconciled reports side effects in a project without a reconciler.
func unreconciled(p webhookPass) {
	class := p.Spec.SideEffects
	if p.Reconciles != nil && class != nil && *class == admissionregistrationv1.SideEffectClassNoneOnDryRun && !p.Reconciles() {
		p.at("sideEffects", "the handler may write for a request that is rejected later, and the module has no reconciler")
	}
}
