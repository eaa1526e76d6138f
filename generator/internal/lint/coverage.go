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
	readsOthers   = regexp.MustCompile(`\.\??(image|securityContext|command|args|env|envFrom|volumeMounts|imagePullPolicy|stdin|tty)\b`)
	ofContainers  = regexp.MustCompile(`(?i)(^|[^a-z])(images?|containers?|registry|registries|signatures?|privileged)([^a-z]|$)`)
	ofResources   = regexp.MustCompile(`(?i)(^|[^a-z])(limits|requests|cpu|memory)([^a-z]|$)`)
	readsReplicas = regexp.MustCompile(`\bspec\.\??replicas\b`)
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
	return slices.ContainsFunc(p.Spec.Rules, r.matchedBy) ||
		slices.ContainsFunc(p.project.Webhooks(), func(w *model.Webhook) bool { return slices.ContainsFunc(w.Spec.Rules, r.matchedBy) }) ||
		slices.ContainsFunc(p.project.Policies, func(other *model.Policy) bool {
			return other.Spec.MatchConstraints != nil && slices.ContainsFunc(matching(other).Spec.Rules, r.matchedBy)
		})
}

// expressionsOf returns all expressions of a policy.
func expressionsOf(p *model.Policy) string {
	var all strings.Builder
	for _, e := range p.Spec.Expressions() {
		all.WriteString(e.Text + "\n")
	}
	return all.String()
}

// missesScale reports policies that read spec.replicas of updated objects, and that are not for the subresource scale,
// which writes that field.
func missesScale(p webhookPass) {
	if p.policy == nil || !readsReplicas.MatchString(expressionsOf(p.policy)) {
		return
	}
	for i, rule := range p.Spec.Rules {
		for j, name := range rule.Resources {
			for _, group := range rule.APIGroups {
				r := request{"UPDATE", group, name + "/scale", true}
				whole := request{"UPDATE", group, name, true}
				if whole.matchedBy(rule) && p.scales(group, name) && !p.isSeen(r) {
					p.at(fmt.Sprintf("rules[%d].resources[%d]", i, j), "the policy reads spec.replicas, which kubectl scale and autoscalers write through %s/scale", name).Hint =
						fmt.Sprintf("add %s/scale, whose objects have spec.replicas, too", name)
				}
			}
		}
	}
}

// scales reports whether a resource has the subresource scale, by Kubernetes' own resources and by definitions.
func (p pass) scales(group, name string) bool {
	return slices.Contains(p.Subresources[name+"."+group], "scale") ||
		slices.ContainsFunc(p.served, func(s served) bool { return s.group == group && s.resource == name+"/scale" })
}
