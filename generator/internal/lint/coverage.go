// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// The subresources that change the containers of a pod, and the words by which expressions, names and paths show that a
// rule is about these parts.
var (
	readsContainers = regexp.MustCompile(`\b(initContainers|containers)\b`)
	readsResources  = regexp.MustCompile(`\.\??(resources|limits|requests)\b`)
	// readsOthers are parts of a container that an ephemeral one has, too.
	readsOthers  = regexp.MustCompile(`\.\??(image|securityContext|command|args|env|envFrom|volumeMounts|imagePullPolicy|stdin|tty)\b`)
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
	text := expressionsOf(p.policy)
	if !readsContainers.MatchString(text) {
		return false, false
	}
	return readsOthers.MatchString(text) && !strings.Contains(text, "ephemeralContainers"), readsResources.MatchString(text)
}

// isSeen reports whether the webhook, or another webhook or policy of the project, is for a request.
func (p webhookPass) isSeen(r request) bool {
	return slices.ContainsFunc(p.Spec.Rules, r.matchedBy) || len(p.callers(r)) > 0
}

// expressionsOf returns all expressions of a policy.
func expressionsOf(p *model.Policy) string {
	var all strings.Builder
	for _, e := range p.Spec.Expressions() {
		all.WriteString(e.Text + "\n")
	}
	return all.String()
}

// missesScale reports rules for a field of updated objects that the subresource scale writes, if they are not for that
// subresource.
func missesScale(p webhookPass) {
	for i, rule := range p.Spec.Rules {
		for j, name := range rule.Resources {
			for _, group := range rule.APIGroups {
				for _, of := range p.scaled(group, name) {
					whole, scale := request{"UPDATE", group, of.resource, true}, request{"UPDATE", group, of.resource + "/scale", true}
					if !whole.matchedBy(rule) || p.isSeen(scale) || !p.isAboutField(of.field) {
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

// isAboutField reports whether the expressions of a policy read a field, by dots, brackets or optional fields. The name
// and the path of a webhook show whether it is about replicas.
func (p webhookPass) isAboutField(path string) bool {
	if p.policy == nil {
		return ofReplicas.MatchString(p.Spec.Name + " " + p.Path())
	}
	const next = `(["']\s*\])?\s*(\.\??\s*|\[\??\s*["'])`
	names := strings.Split(path, ".")
	for i, name := range names {
		names[i] = regexp.QuoteMeta(name)
	}
	read, err := regexp.Compile(`\b` + strings.Join(names, next) + `\b`)
	return err == nil && read.MatchString(expressionsOf(p.policy))
}
