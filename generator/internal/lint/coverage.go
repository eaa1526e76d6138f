// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/expression"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// The words by which the name and the path of a webhook show that it is about parts of a pod, or replicas.
var (
	ofContainers = regexp.MustCompile(`(?i)(^|[^a-z])(images?|containers?|registry|registries|signatures?|privileged)([^a-z]|$)`)
	ofResources  = regexp.MustCompile(`(?i)(^|[^a-z])(limits|requests|cpu|memory)([^a-z]|$)`)
	ofReplicas   = regexp.MustCompile(`(?i)(^|[^a-z])(replicas?|scal(e|es|ing))([^a-z]|$)`)
)

// missesContainers reports rules on pods that are about containers, and that are not for a subresource by which users
// change containers: kubectl debug adds ephemeral ones, and a resize changes resources.
func missesContainers(p webhookPass) {
	i := slices.IndexFunc(p.Spec.Rules, func(r admissionregistrationv1.RuleWithOperations) bool {
		return request{"CREATE", "", "pods", true}.matchedBy(r) || request{"UPDATE", "", "pods", true}.matchedBy(r)
	})
	if i < 0 {
		return
	}
	j := slices.IndexFunc(p.Spec.Rules[i].Resources, func(name string) bool { return matchesResource(name, "pods") })
	containers, resources := p.about()
	report := func(subresource, how string) {
		if !p.isSeen(request{"UPDATE", "", subresource, true}) {
			p.at(fmt.Sprintf("rules[%d].resources[%d]", i, j), "the rule is about containers, and %s %s", how, subresource).Hint =
				"add " + subresource + ", with the operation UPDATE, to the rule"
		}
	}
	if containers {
		report("pods/ephemeralcontainers", "kubectl debug adds containers through")
	}
	if resources {
		report("pods/resize", "users change resources of running containers through")
	}
}

// about reports whether a webhook or policy on pods is about the parts that ephemeral containers have, and about
// resources. Of a webhook, it reads the name and the path.
func (p webhookPass) about() (containers, resources bool) {
	if p.policy == nil {
		words := p.Spec.Name + " " + p.Path()
		return ofContainers.MatchString(words), ofResources.MatchString(words)
	}
	reads := readsOf(p.policy)
	has := func(names ...string) bool {
		return slices.ContainsFunc(reads, func(r expression.Path) bool { return slices.Contains(names, r[len(r)-1]) })
	}
	if !has("containers", "initContainers") {
		return false, false
	}
	// The security context of a pod has the name of that of a container.
	secures := slices.ContainsFunc(reads, func(r expression.Path) bool {
		return r[len(r)-1] == "securityContext" && !endsWith(r, "spec", "securityContext")
	})
	others := has("image", "command", "args", "env", "envFrom", "volumeMounts", "volumeDevices", "workingDir", "imagePullPolicy", "stdin", "tty")
	return (others || secures) && !has("ephemeralContainers"), has("resources", "limits", "requests")
}

// isSeen reports whether the webhook, or another webhook or policy of the project, is for a request.
func (p webhookPass) isSeen(r request) bool {
	return p.policy == nil && slices.ContainsFunc(p.Spec.Rules, r.matchedBy) || p.policy != nil && r.seenBy(p.policy) || len(p.callers(r)) > 0
}

// readsOf returns the paths that the expressions of a policy read. A variable that is another name of a path is replaced
// by the path, up to a length that no field has.
func readsOf(p *model.Policy) (all []expression.Path) {
	const longest = 100
	names := map[string]expression.Path{} // of variables
	named := func(path expression.Path) expression.Path {
		if len(path) > 1 && path[0] == "variables" && names[path[1]] != nil {
			return slices.Concat(names[path[1]], path[2:])
		}
		return path
	}
	for _, v := range p.Spec.Variables { // a variable reads earlier ones
		if tree, ok := expression.Parse(v.Expression); ok {
			if path, isWhole := expression.PathOf(tree.Expr()); isWhole && len(named(path)) <= longest {
				names[v.Name] = named(path)
			}
		}
	}
	for _, e := range p.Spec.Expressions() {
		if tree, ok := expression.Parse(e.Text); ok {
			for _, path := range expression.Paths(tree) {
				all = append(all, named(path))
			}
		}
	}
	return all
}

// endsWith reports whether a path ends with the names.
func endsWith(path expression.Path, names ...string) bool {
	return len(path) >= len(names) && slices.Equal(path[len(path)-len(names):], names)
}

// missesScale reports rules for a field of updated objects that the subresource scale writes, if they are not for that
// subresource.
func missesScale(p webhookPass) {
	reads := sync.OnceValue(func() []expression.Path { return readsOf(p.policy) })
	for i, rule := range p.Spec.Rules {
		for j, name := range rule.Resources {
			for _, group := range rule.APIGroups {
				for _, of := range p.scaled(group, name) {
					whole, scale := request{"UPDATE", group, of.resource, true}, request{"UPDATE", group, of.resource + "/scale", true}
					if !whole.matchedBy(rule) || p.isSeen(scale) || !p.isAboutField(of.field, reads) {
						continue
					}
					subject := "the policy reads"
					if p.policy == nil {
						subject = "the webhook is about"
					}
					d := p.at(fmt.Sprintf("rules[%d].resources[%d]", i, j), "%s %s, which kubectl scale and autoscalers write through %s/scale", subject, of.field, of.resource)
					d.Hint = fmt.Sprintf("add %s/scale, whose objects have spec.replicas", of.resource)
					break
				}
			}
		}
	}
}

// scaledField is a field that the subresource scale of a resource writes.
type scaledField struct{ resource, field string }

// scaled returns the resources that an entry of a rule names, with the field that their subresource scale writes, by
// Kubernetes' own resources and by definitions.
func (p pass) scaled(group, entry string) (all []scaledField) {
	for name, field := range p.Scaled {
		if resource, of, _ := strings.Cut(name, "."); of == group && (entry == "*" || entry == resource) {
			all = append(all, scaledField{resource, field})
		}
	}
	for _, s := range p.served {
		resource, ok := strings.CutSuffix(s.resource, "/scale")
		if ok && s.group == group && (entry == "*" || entry == resource) {
			all = append(all, scaledField{resource, "spec.replicas"})
		}
	}
	slices.SortFunc(all, func(a, b scaledField) int { return strings.Compare(a.resource, b.resource) })
	return all
}

// isAboutField reports whether a field is among the paths that a policy reads. The name and the path of a webhook show
// whether it is about replicas.
func (p webhookPass) isAboutField(path string, reads func() []expression.Path) bool {
	if p.policy == nil {
		return ofReplicas.MatchString(p.Spec.Name + " " + p.Path())
	}
	names := strings.Split(path, ".")
	return slices.ContainsFunc(reads(), func(r expression.Path) bool { return endsWith(r, names...) })
}
