// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// futileSubresources reports subresources that a kind does not have, and operations that never happen to the
// subresources of a rule.
func futileSubresources(p webhookPass) {
	for i, rule := range p.Spec.Rules {
		lacks := false
		for j, resource := range rule.Resources {
			name, sub, isSub := strings.Cut(resource, "/")
			has, known := p.subresources(rule.APIGroups, name)
			if resource == "pods/log" && slices.Equal(rule.APIGroups, []string{""}) {
				p.never(fmt.Sprintf("rules[%d].resources[%d]", i, j), "%s is only read, so that %s for it", resource, p.unused()).Hint = "remove it"
			}
			if !isSub || sub == "*" || !known || slices.Contains(has, sub) {
				continue
			}
			lacks = true
			d := p.never(fmt.Sprintf("rules[%d].resources[%d]", i, j), "%s has no subresource %s, so that %s for it", name, sub, p.unused())
			near, ok := diag.Nearest(sub, []string{"status", "scale"})
			switch {
			case ok && slices.Contains(has, near):
				d.Hint = "did you mean " + near + "?"
			case ok && near == "scale":
				d.Hint = "add +kubebuilder:subresource:scale to the type, with specpath and statuspath, or name the resource itself"
			case ok:
				d.Hint = fmt.Sprintf("add +kubebuilder:subresource:%s to the type, and name %s; or name the resource itself", near, near)
			case len(has) > 0:
				d.Hint = "it has " + strings.Join(has, " and ")
			default:
				d.Hint = "custom resources have status and scale, if markers on the type declare them: +kubebuilder:subresource:status"
			}
		}
		futile := false
		neverHappens := func(o admissionregistrationv1.OperationType) bool {
			return !lacks && o != "*" && len(rule.Resources) > 0 &&
				!slices.ContainsFunc(rule.Resources, func(r string) bool { return p.mayHappen(o, rule.APIGroups, r) })
		}
		for j, o := range rule.Operations {
			if neverHappens(o) {
				futile = true
				report := p.never
				if others := slices.ContainsFunc(rule.Operations, func(o admissionregistrationv1.OperationType) bool { return !neverHappens(o) }); others && p.policy != nil {
					report = p.at // the rule works for the others, and a policy has no code for this one
				}
				report(fmt.Sprintf("rules[%d].operations[%d]", i, j), "%s never happens to %s", o, strings.Join(rule.Resources, ", ")).Hint =
					"name the operations that happen: " + cmp.Or(strings.ToLower(string(happens(rule.Resources[0]))), "create, update and delete")
			}
		}
		for j, r := range rule.Resources {
			only := happens(r)
			if !lacks && !futile && only != "" && len(rule.Operations) > 0 && !holds(rule.Operations, only) {
				p.never(fmt.Sprintf("rules[%d].resources[%d]", i, j), "the only operation on %s is %s, which the rule does not name, so that %s for it", r, only, p.unused()).Hint =
					fmt.Sprintf("add %s, or remove %s", only, r)
			}
		}
	}
}

// subresources returns the subresources of a resource that is not Kubernetes' own, as far as its type or its definition
// tells.
func (p webhookPass) subresources(groups []string, name string) (has []string, known bool) {
	if k := p.Kind; k != nil && k.Subresources != nil && name == k.Plural && slices.Equal(groups, []string{k.Group}) {
		return k.Subresources, true
	}
	if len(groups) != 1 || p.areBuiltin(groups) {
		return nil, false
	}
	has, known = p.Subresources[name+"."+groups[0]]
	return has, known
}

// mayHappen reports whether an operation may happen to a resource or subresource of a rule. All subresources of a
// resource include the resource itself.
func (p webhookPass) mayHappen(o admissionregistrationv1.OperationType, groups []string, resource string) bool {
	name, sub, _ := strings.Cut(resource, "/")
	if sub == "*" && name != "*" && o == admissionregistrationv1.Connect {
		return !p.neverConnects(groups, name)
	}
	only := happens(resource)
	return only == "" || only == o
}

// neverConnects reports resources of which no subresource is connected to, by definitions and by Kubernetes' own.
func (p webhookPass) neverConnects(groups []string, name string) bool {
	if _, custom := p.subresources(groups, name); custom {
		return true
	}
	return p.areBuiltin(groups) && p.namesResource(groups, name) && !slices.ContainsFunc(p.served, func(s served) bool {
		return slices.Contains(groups, s.group) && strings.HasPrefix(s.resource, name+"/") && happens(s.resource) == admissionregistrationv1.Connect
	})
}

// happens returns the only operation on a subresource, by its name: API servers have it in the resource's storage
// (k8s.io/kubernetes/pkg/registry). It is empty for resources themselves, and for unknown subresources.
func happens(resource string) admissionregistrationv1.OperationType {
	switch _, sub, _ := strings.Cut(resource, "/"); sub {
	case "status", "scale", "approval", "finalize", "resize", "ephemeralcontainers":
		return admissionregistrationv1.Update
	case "binding", "eviction", "token":
		return admissionregistrationv1.Create
	case "exec", "attach", "portforward", "proxy":
		return admissionregistrationv1.Connect
	}
	return ""
}

// unconverted reports kinds with several versions and without a conversion between them.
func unconverted(p pass) {
	for _, k := range p.Unconverted {
		d := diag.Diagnostic{Range: k.Range, Severity: p.rule.Severity, Rule: p.rule.ID,
			Message: fmt.Sprintf("%s of %s has the versions %s, and nothing converts %s: the API server changes nothing but apiVersion, and drops fields that the other version lacks",
				k.Kind, k.Group, strings.Join(k.Versions, ", "), k.Version),
			Hint: fmt.Sprintf("webhook-gen create version --group %s --version %s --kind %s declares the conversion", k.Group, k.Version, k.Kind)}
		if k.Same {
			d.Severity = diag.Note
		}
		f := Finding{Diagnostic: d}
		for _, w := range p.project.Webhooks() { // a +webhook:allow on a version of the kind
			if w.Kind != nil && w.Kind.Group == k.Group && w.Kind.Kind == k.Kind {
				f.Allowed = append(f.Allowed, w.Allowed...)
			}
		}
		*p.found = append(*p.found, f)
	}
}

// Unconverted is a kind with several versions, and a version that nothing converts.
type Unconverted struct {
	diag.Range
	Group, Kind string
	Versions    []string
	// Version is not converted.
	Version string
	// Same is true if its type has the text of another version's.
	Same bool
}
