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
	readsOthers = regexp.MustCompile(`\.\??(image|securityContext|command|args|env|envFrom|volumeMounts|volumeDevices|workingDir|imagePullPolicy|stdin|tty)\b`)
	// ofPod is the security context of a pod, which has the name of that of a container.
	ofPod        = regexp.MustCompile(`\bspec\.\??securityContext\b`)
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
	text := ofPod.ReplaceAllString(expressionsOf(p.policy), "")
	if !readsContainers.MatchString(text) {
		return false, false
	}
	return readsOthers.MatchString(text) && !strings.Contains(text, "ephemeralContainers"), readsResources.MatchString(text)
}

// isSeen reports whether the webhook, or another webhook or policy of the project, is for a request.
func (p webhookPass) isSeen(r request) bool {
	return p.policy == nil && slices.ContainsFunc(p.Spec.Rules, r.matchedBy) || p.policy != nil && r.seenBy(p.policy) || len(p.callers(r)) > 0
}

// dotted matches the expression of a variable that is another name of a field, and indexed the text before an index.
var (
	dotted  = regexp.MustCompile(`^[\w.?]+$`)
	indexed = regexp.MustCompile(`[\w)\]]$`)
)

// expressionsOf returns all expressions of a policy in the form of plain. It replaces variables that are other names of
// fields by the fields.
func expressionsOf(p *model.Policy) string {
	var all strings.Builder
	for _, e := range p.Spec.Expressions() {
		all.WriteString(plain(e.Text) + "\n")
	}
	text := all.String()
	for _, v := range slices.Backward(p.Spec.Variables) { // a variable reads earlier ones
		if of := plain(strings.TrimSpace(v.Expression)); dotted.MatchString(of) {
			text = regexp.MustCompile(`\bvariables\.`+regexp.QuoteMeta(v.Name)+`\b`).ReplaceAllLiteralString(text, of)
		}
	}
	return text
}

// plain returns an expression without its comments and texts, and with names in brackets as fields: a["b"] is a.b.
func plain(expression string) string {
	var out strings.Builder
	for rest := expression; rest != ""; {
		if strings.HasPrefix(rest, "//") {
			_, rest, _ = strings.Cut(rest, "\n")
			out.WriteByte('\n')
			continue
		}
		text, n := literal(rest)
		if n == 0 {
			out.WriteByte(rest[0])
			rest = rest[1:]
			continue
		}
		rest = rest[n:]
		before := strings.TrimRight(out.String(), " \t\n")
		object, isIndex := strings.CutSuffix(strings.TrimSuffix(before, "?"), "[")
		after, ends := strings.CutPrefix(strings.TrimLeft(rest, " \t\n"), "]")
		isIndex = isIndex && ends && indexed.MatchString(object) && dotted.MatchString(text)
		if !isIndex {
			out.WriteString(`""`)
			continue
		}
		dot := "."
		if strings.HasSuffix(before, "?") {
			dot = ".?"
		}
		out.Reset()
		out.WriteString(object + dot + text)
		rest = after
	}
	return out.String()
}

// literal returns the text of the literal that an expression begins with, and the literal's length; 0 without one.
func literal(expression string) (text string, length int) {
	for _, quote := range []string{`"""`, "'''", `"`, "'"} {
		body, ok := strings.CutPrefix(expression, quote)
		if !ok {
			continue
		}
		for i := 0; i < len(body); i++ {
			switch {
			case body[i] == '\\':
				i++
			case strings.HasPrefix(body[i:], quote):
				return body[:i], len(quote)*2 + i
			}
		}
		return body, len(expression)
	}
	return "", 0
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

// isAboutField reports whether the expressions of a policy read a field. The name and the path of a webhook show
// whether it is about replicas.
func (p webhookPass) isAboutField(path string) bool {
	if p.policy == nil {
		return ofReplicas.MatchString(p.Spec.Name + " " + p.Path())
	}
	const next = `\s*\.\??\s*`
	names := strings.Split(path, ".")
	for i, name := range names {
		names[i] = regexp.QuoteMeta(name)
	}
	read, err := regexp.Compile(`\b` + strings.Join(names, next) + `\b`)
	return err == nil && read.MatchString(expressionsOf(p.policy))
}
