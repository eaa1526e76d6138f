// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// Steps that several rules recommend.
const (
	serversFirst = "roll out the servers, and wait until all old ones are gone: kubectl rollout status"
	thenApply    = "apply the configuration"
	applyFirst   = "apply the configuration, while the old servers run"
	thenServers  = "roll out the servers"
)

func failsClosed(p *pass, old, now *Webhook) {
	if old.failsClosed() || !now.failsClosed() {
		return
	}
	p.report(Finding{Range: now.Where("failurePolicy"), Severity: Breaking,
		Message: fmt.Sprintf("webhook %s fails closed: failurePolicy Ignore becomes Fail", now.Spec.Name),
		Effect:  fmt.Sprintf("Calls that failed unseen now refuse the request: %s, while no server answers within %d seconds.", matched(now), *now.Spec.TimeoutSeconds),
		Steps: []string{
			"look at what fails now: the audit annotation failed-open.validating.webhook.admission.k8s.io or ...mutating..., the API server's metric apiserver_admission_webhook_fail_open_count",
			"have two servers or more, behind a PodDisruptionBudget, and their own namespace outside of the namespaceSelector",
			thenApply,
		}})
}

func failsOpen(p *pass, old, now *Webhook) {
	if old.failsClosed() && !now.failsClosed() {
		p.report(Finding{Range: now.Where("failurePolicy"), Severity: Careful, Lost: now.loss("failurePolicy Fail becomes Ignore"),
			Message: fmt.Sprintf("webhook %s fails open: failurePolicy Fail becomes Ignore", now.Spec.Name),
			Effect:  "Requests pass it by while its servers cannot be called. Its rules no longer hold at all times: code that relies on them has to check.",
			Steps:   []string{"alert on apiserver_admission_webhook_fail_open_count"}})
	}
}

func newWebhook(p *pass) {
	for _, w := range p.added {
		f := Finding{Range: w.Range, Severity: w.severity(),
			Message: fmt.Sprintf("%s webhook %s is new, and old servers do not have %s", model.KindWord(w.Mutating), w.Spec.Name, w.path()),
			Effect: fmt.Sprintf("It is called for %s from the moment that the configuration is applied. Until a server has its path, calls fail (404, or no connection), and %s.",
				matched(w), w.outcome()),
			Steps: []string{serversFirst, thenApply}}
		if w.failsClosed() {
			f.Steps = []string{serversFirst, `apply the configuration with failurePolicy: "Ignore"`, `look at what it denies and how it answers, then say "Fail"`}
		}
		p.report(f)
	}
}

func goneWebhook(p *pass) {
	for _, w := range p.removed {
		effect := unchecked(w.Mutating)
		if w.Policy != nil && slices.ContainsFunc(p.to.Policies, func(other *model.Policy) bool { return samePolicy(other, w.Policy) }) {
			effect = fmt.Sprintf("Policy %s stays, from Kubernetes 1.%d on. On older clusters neither is there. %s", w.Policy.Name, w.Policy.Since, effect)
		}
		p.report(Finding{Range: w.Range, InOld: true, Severity: Careful, Lost: w.loss(""),
			Message: fmt.Sprintf("%s webhook %s is gone", model.KindWord(w.Mutating), w.Spec.Name), Effect: effect})
	}
}

func pathGone(p *pass) {
	gone := func(old *Webhook) bool {
		if old.path() != "" && p.to.Registers != nil && p.to.Registers(old.path()) {
			return false
		}
		return old.path() != "" && !slices.ContainsFunc(p.to.Webhooks, func(w *Webhook) bool { return w.path() == old.path() })
	}
	for _, w := range p.webhooks {
		if gone(w.old) {
			p.report(Finding{Range: w.new.Where("clientConfig.service.path"), Severity: worse(w).severity(),
				Message: fmt.Sprintf("webhook %s is served at %s and no longer at %s", w.new.Spec.Name, w.new.path(), w.old.path()),
				Effect: fmt.Sprintf("During the rollout the old configuration calls new servers, which lack %s, and the new one old servers, which lack %s. The answer is 404, and %s.",
					w.old.path(), w.new.path(), worse(w).outcome()),
				Steps: []string{
					fmt.Sprintf("keep the path, if nothing speaks against it: path: %q", w.old.path()),
					fmt.Sprintf("otherwise have the servers serve both for one release, with the same handler at %s, and roll them out", w.old.path()),
					thenApply, "take the old path away in the next release"}})
		}
	}
	for _, old := range p.removed {
		if gone(old) {
			p.report(Finding{Range: old.Where("clientConfig.service.path"), InOld: true, Severity: old.severity(),
				Message: fmt.Sprintf("%s, the path of webhook %s, vanishes before its configuration", old.path(), old.Spec.Name),
				Effect:  fmt.Sprintf("New servers answer 404 to the configuration that is still in the cluster, and %s.", old.outcome()),
				Steps:   []string{applyFirst + "; what kubectl apply does not remove, kubectl delete does", thenServers}})
		}
	}
}

// worse is the side of a webhook whose calls may not fail.
func worse(w pair[*Webhook]) *Webhook {
	if w.new.failsClosed() {
		return w.new
	}
	return w.old
}

func matchesMore(p *pass, old, now *Webhook) {
	_, gained := p.covered(old, now, true)
	gained = slices.DeleteFunc(gained, func(r request) bool { return p.undefined(r.group, r.resource) }) // G34 reports them
	if len(gained) > 0 {
		p.report(Finding{Range: now.Where(now.ruleOf(gained[0])), Severity: now.severity(),
			Message: fmt.Sprintf("webhook %s matches more: %s", now.Spec.Name, describe(gained)),
			Effect: fmt.Sprintf("Old servers may not know such requests: a generated handler answers 400 to an operation or a kind that it is not for, and %s. New ones may deny what passed.",
				now.outcome()),
			Steps: []string{serversFirst, thenApply}})
	}
	more, _ := selection(old, now)
	for _, c := range more {
		p.report(Finding{Range: now.Where(c.field), Severity: Careful,
			Message: fmt.Sprintf("webhook %s matches more: %s", now.Spec.Name, c.text),
			Effect:  "It is called for objects that it never saw, and may deny what passed, updates of objects that exist among it.",
			Steps:   []string{"look for objects in the cluster that it denies: kubectl apply --dry-run=server of them", thenApply}})
	}
}

// ruleOf is the field that lets a request through: the operations of a rule.
func (w *Webhook) ruleOf(r request) string {
	r.scope = cmp.Or(r.scope, other)
	if i := slices.IndexFunc(w.Spec.Rules, r.matches); i >= 0 {
		return fmt.Sprintf("rules[%d].operations", i)
	}
	return "rules"
}

func matchesLess(p *pass, old, now *Webhook) {
	report := func(field, text string) {
		effect := "These requests are no longer checked."
		if now.Mutating {
			effect = "These requests are no longer changed: what the webhook filled in stays open."
		}
		p.report(Finding{Range: now.Where(field), Severity: Careful, Lost: now.loss(text),
			Message: fmt.Sprintf("webhook %s matches less: %s", now.Spec.Name, text), Effect: effect,
			Steps: []string{applyFirst, thenServers}})
	}
	if lost, _ := p.covered(old, now, true); len(lost) > 0 {
		report("rules[0].operations", "no longer "+describe(lost))
	}
	_, less := selection(old, now)
	for _, c := range less {
		report(c.field, c.text)
	}
}

func otherVersions(p *pass, old, now *Webhook) {
	lost, gained := p.covered(old, now, false)
	inBoth := func(requests []request) []request { // those whose resource is matched before and after
		return slices.DeleteFunc(slices.Clone(requests), func(r request) bool {
			r.version = ""
			return !r.matchedBy(old.Spec.Rules) || !r.matchedBy(now.Spec.Rules)
		})
	}
	lost, gained = inBoth(lost), inBoth(gained)
	var effect string
	severity := now.severity()
	equivalent := *old.Spec.MatchPolicy == admissionregistrationv1.Equivalent && *now.Spec.MatchPolicy == admissionregistrationv1.Equivalent
	switch {
	case old.path() != now.path() && equivalent:
		return // old servers do not have the path, and no request passes by
	case len(gained) > 0:
		effect = fmt.Sprintf("Old servers get objects in a version that they are not for: a generated handler answers 400, and %s.", now.outcome())
	case len(lost) > 0 && equivalent:
		severity, effect = Careful, "With matchPolicy Equivalent, requests in the other versions are converted to the versions that the rules name."
	case len(lost) > 0:
		severity, effect = Careful, "With matchPolicy Exact, requests in the other versions pass the webhook by."
	default:
		return
	}
	var texts []string
	if len(gained) > 0 {
		texts = append(texts, "now "+describe(gained))
	}
	if len(lost) > 0 {
		texts = append(texts, "no longer "+describe(lost))
	}
	f := Finding{Range: now.Where("rules[0].apiVersions"), Severity: severity,
		Message: fmt.Sprintf("webhook %s is for other versions: %s", now.Spec.Name, strings.Join(texts, ", ")),
		Effect:  effect, Steps: []string{serversFirst, thenApply}}
	if len(lost) > 0 && !equivalent {
		f.Lost = now.loss("no longer " + describe(lost))
	}
	p.report(f)
}

func otherServer(p *pass, old, now *Webhook) {
	before, then := endpoint(old.Spec.ClientConfig), endpoint(now.Spec.ClientConfig)
	if before == then {
		return
	}
	field := "clientConfig.service.name"
	if now.Spec.ClientConfig.URL != nil {
		field = "clientConfig.url"
	}
	p.report(Finding{Range: now.Where(field), Severity: now.severity(),
		Message: fmt.Sprintf("webhook %s is called at %s in place of %s", now.Spec.Name, then, before),
		Effect:  fmt.Sprintf("While nothing answers there with a certificate for that name, calls fail, and %s.", now.outcome()),
		Steps: []string{
			"have " + then + " lead to servers whose certificate has its name, beside " + before,
			thenApply, "take " + before + " away when the configuration is in place"}})
}

// endpoint names whom an API server calls, the path left out.
func endpoint(c admissionregistrationv1.WebhookClientConfig) string {
	if s := c.Service; s != nil {
		return fmt.Sprintf("Service %s/%s:%d", s.Namespace, s.Name, *cmp.Or(s.Port, new(int32(443))))
	}
	if c.URL != nil {
		return strings.TrimSuffix(*c.URL, servedAt(c))
	}
	return "nowhere"
}

func noAuthority(p *pass, old, now *Webhook) {
	before, then := old.Spec.ClientConfig.CABundle, now.Spec.ClientConfig.CABundle
	f := Finding{Range: now.Where("clientConfig.caBundle"), Severity: now.severity()}
	switch {
	case old.injector() != "" && now.injector() == "" && len(then) == 0:
		f.Range = cmp.Or(now.In.Where("annotations"), now.Range)
		f.Message = fmt.Sprintf("the caBundle of webhook %s is no longer injected: %s is gone", now.Spec.Name, old.injector())
		f.Effect = fmt.Sprintf("The injected authority stays until the configuration is replaced, and fits until the authority changes. From then on calls fail (x509: certificate signed by unknown authority), and %s.", now.outcome())
		f.Steps = []string{"have something else put the caBundle there, then remove the annotation"}
	case len(before) > 0 && len(then) == 0 && now.injector() == "":
		f.Message = fmt.Sprintf("webhook %s has no caBundle any more, and nothing that injects one", now.Spec.Name)
		f.Effect = fmt.Sprintf("The API server trusts its own roots alone. Calls fail (x509: certificate signed by unknown authority), and %s.", now.outcome())
		f.Steps = []string{"keep the caBundle, or have something inject it"}
	case len(before) > 0 && len(then) > 0 && !strings.Contains(string(then), strings.TrimSpace(string(before))):
		f.Message = fmt.Sprintf("webhook %s trusts another authority, and no longer the old one", now.Spec.Name)
		f.Effect = fmt.Sprintf("Servers whose certificate the old authority signed are not trusted, and %s.", now.outcome())
		f.Steps = []string{"apply a caBundle with both authorities", "roll out servers with certificates of the new one", "take the old one out of the caBundle"}
	default:
		return
	}
	p.report(f)
}

// injector is the annotation that has a caBundle injected; empty without the annotation.
func (w *Webhook) injector() string {
	name, _ := find([]string{
		"cert-manager.io/inject-ca-from", "cert-manager.io/inject-ca-from-secret", "cert-manager.io/inject-apiserver-ca",
		"service.beta.openshift.io/inject-cabundle",
	}, func(name string) bool { return w.In.Annotations[name] != "" })
	return name
}

func otherTimeout(p *pass, old, now *Webhook) {
	before, then := *old.Spec.TimeoutSeconds, *now.Spec.TimeoutSeconds
	f := Finding{Range: now.Where("timeoutSeconds"), Severity: Careful, Message: fmt.Sprintf("webhook %s has %d seconds in place of %d", now.Spec.Name, then, before)}
	switch {
	case then < before:
		f.Effect = fmt.Sprintf("A call that takes longer fails, and %s.", now.outcome())
		f.Steps = []string{"compare with the API server's apiserver_admission_webhook_admission_duration_seconds of the webhook"}
	case then > before && now.Mutating:
		f.Effect = "Mutating webhooks are called one after the other, and the request has one deadline for all: where they use it up, it fails whatever failurePolicy says."
		f.Steps = []string{"keep the sum over a request's mutating webhooks well below the 34 seconds that a request has"}
	case then > before:
		f.Severity, f.Effect = Safe, "Requests wait longer for a server that does not answer."
	default:
		return
	}
	p.report(f)
}

func otherSideEffects(p *pass, old, now *Webhook) {
	silent := func(c admissionregistrationv1.SideEffectClass) bool {
		return c == admissionregistrationv1.SideEffectClassNone || c == admissionregistrationv1.SideEffectClassNoneOnDryRun
	}
	before, then := *old.Spec.SideEffects, *now.Spec.SideEffects
	f := Finding{Range: now.Where("sideEffects"), Message: fmt.Sprintf("webhook %s has sideEffects %s in place of %s", now.Spec.Name, then, before)}
	switch {
	case before == then:
		return
	case silent(before) && !silent(then):
		f.Severity, f.Effect = Breaking, "The API server refuses requests with dryRun that the webhook matches (400, does not support dry run), whatever failurePolicy says: kubectl diff and --dry-run=server among them."
		f.Steps = []string{"let the webhook do nothing where the request has dryRun, and declare NoneOnDryRun"}
	case !silent(before):
		f.Severity, f.Effect = Careful, "Requests with dryRun, which were refused, are sent: servers that do not look at dryRun do for them what they do for others."
		f.Steps = []string{serversFirst, thenApply}
	default:
		f.Severity, f.Effect = Safe, "Requests with dryRun are sent as before."
	}
	p.report(f)
}

func otherReviews(p *pass, old, now *Webhook) {
	// An API server sends the first version that it knows: k8s.io/apiserver/pkg/admission/plugin/webhook/request,
	// CreateAdmissionObjects.
	sent := func(w *Webhook) string {
		version, _ := find(w.Spec.AdmissionReviewVersions, func(v string) bool { return v == "v1" || v == "v1beta1" })
		return version
	}
	before, then := sent(old), sent(now)
	if before == then {
		return
	}
	f := Finding{Range: now.Where("admissionReviewVersions"), Severity: now.severity(),
		Message: fmt.Sprintf("webhook %s gets AdmissionReviews of %s in place of %s", now.Spec.Name, then, before),
		Effect:  fmt.Sprintf("Old servers never said that they read %s. One that cannot fails the call, and %s.", then, now.outcome()),
		Steps:   []string{serversFirst, thenApply}}
	if slices.Contains(old.Spec.AdmissionReviewVersions, then) || old.Handler != nil {
		f.Severity, f.Effect, f.Steps = Safe, "Old servers read both.", nil
	}
	p.report(f)
}

func renamed(p *pass, old, now *Webhook) {
	if old.Spec.Name == now.Spec.Name {
		return
	}
	f := Finding{Range: now.Where("name"), Severity: Careful,
		Message: fmt.Sprintf("webhook %s is called %s", old.Spec.Name, now.Spec.Name),
		Effect:  "The entry of the old name goes and one of the new name comes. Metrics, audit annotations and messages have that.",
		Steps:   []string{"keep the name; otherwise change alerts and kustomize patches that have it"}, Lost: old.loss("")}
	f.Lost.Instead, f.Lost.Moved = now.Spec.Name, true
	if len(now.Spec.ClientConfig.CABundle) == 0 {
		f.Severity = now.severity()
		f.Effect += fmt.Sprintf(" A caBundle that has been injected goes with the old entry: until it is injected again, calls fail (x509: certificate signed by unknown authority), and %s. "+
			"Where the injector uses server-side apply, and so do you, the API server refuses the configuration: the injector's fields stay, as an entry that is not a valid webhook.", now.outcome())
		f.Steps = append(f.Steps, `apply it with failurePolicy: "Ignore", wait until caBundle is there, then set the former failurePolicy`)
	}
	p.report(f)
}

func configurationGone(p *pass) {
	same := func(a, b *model.Configuration) bool { return a.Mutating == b.Mutating && a.Name == b.Name }
	for _, c := range only(p.from.Configurations, p.to.Configurations, same) {
		f := Finding{Range: c.Range, InOld: true, Severity: Careful, Message: fmt.Sprintf("the configuration %s is gone", c.Name),
			Effect: "kubectl apply leaves it in the cluster, and its webhooks are called."}
		if !f.IsValid() {
			f.Range = c.Webhooks[0].Range
		}
		object := fmt.Sprintf("kubectl delete %swebhookconfiguration %s", model.KindWord(c.Mutating), c.Name)
		f.Steps = []string{"delete it: " + object}
		if moved, ok := find(p.webhooks, func(w pair[*Webhook]) bool { return w.old.In == c }); ok {
			f.Message = fmt.Sprintf("webhooks of the configuration %s are in %s", c.Name, moved.new.In.Name)
			f.Effect += " Until it is deleted they are called twice for each request, by both."
			f.Steps = []string{"apply the new configuration", "delete the old one, not before: " + object}
		}
		p.report(f)
	}
}

// changedOver returns the first two mutating webhooks that are called in another order than before and may both be
// called for one request.
func (s *step) changedOver() (first, second *Webhook, ok bool) {
	places := func(state *State) map[*Webhook]int { // in the API server's order: by configuration, then as listed
		of := map[*Webhook]int{}
		for i, w := range slices.SortedStableFunc(slices.Values(state.Webhooks), func(a, b *Webhook) int { return strings.Compare(a.In.Name, b.In.Name) }) {
			of[w] = i
		}
		return of
	}
	was, is := places(s.from), places(s.to)
	mutating := slices.DeleteFunc(slices.Clone(s.webhooks), func(w pair[*Webhook]) bool { return !w.old.Mutating })
	slices.SortFunc(mutating, func(a, b pair[*Webhook]) int { return cmp.Compare(is[a.new], is[b.new]) })
	for i, one := range mutating {
		for _, another := range mutating[i+1:] {
			if was[another.old] < was[one.old] && meet(one.new, another.new) {
				return one.new, another.new, true
			}
		}
	}
	return nil, nil, false
}

func otherOrder(p *pass) {
	if first, second, ok := p.changedOver(); ok {
		p.report(Finding{Range: first.Where("order"), Severity: Careful,
			Message: fmt.Sprintf("webhook %s is called before %s", first.Spec.Name, second.Spec.Name),
			Effect:  "Each mutating webhook sees what those before it made of the object: where two of them touch the same fields, the result is another one.",
			Steps:   []string{"have webhooks not depend on their order, which other configurations in the cluster decide with theirs"}})
	}
	for _, w := range p.webhooks {
		if before, then := *w.old.Spec.ReinvocationPolicy, *w.new.Spec.ReinvocationPolicy; w.new.Mutating && before != then {
			f := Finding{Range: w.new.Where("reinvocationPolicy"), Severity: Careful,
				Message: fmt.Sprintf("webhook %s has reinvocationPolicy %s in place of %s", w.new.Spec.Name, then, before),
				Effect:  "It may be called a second time for the same request, with what it made of the object and others went on with.",
				Steps:   []string{"have it be idempotent: old servers too, or roll the servers out before the configuration"}}
			if then == admissionregistrationv1.NeverReinvocationPolicy {
				f.Effect = "It does not see what webhooks after it change."
				f.Steps = []string{"check the final object in a validating webhook"}
			}
			p.report(f)
		}
	}
}

// matched says in words what a webhook is called for.
func matched(w *Webhook) string {
	var parts []string
	for _, r := range w.Spec.Rules {
		if len(r.APIGroups) == 0 {
			continue // it matches nothing
		}
		var verbs, resources []string
		for _, o := range r.Operations {
			verbs = append(verbs, string(o))
		}
		for _, name := range r.Resources {
			if group := r.APIGroups[0]; group != "" && group != "*" {
				name += "." + group
			}
			resources = append(resources, name)
		}
		parts = append(parts, strings.Join(verbs, ", ")+" of "+several(resources))
	}
	if len(parts) == 0 {
		return "nothing, as no rule matches any request"
	}
	return several(parts)
}
