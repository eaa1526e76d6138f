// SPDX-License-Identifier: Apache-2.0

package semantics

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/registry"
	"github.com/webhook-gen/webhook-gen/generator/internal/spec"
)

// webhook builds the webhook of one +webhook:mutating or +webhook:validating marker.
func (b *builder) webhook(m *packageMarkers, d *declaration, at declared[*registry.Webhook]) (*model.Webhook, subject, bool) {
	args := at.marker
	if args.URL.IsSet() && args.Service().IsSet() {
		b.exclusive("url", args.URL.At, "service", args.Service().At)
	}
	args.Settings = args.Settings.Over(m.defaults)
	before := len(b.diags)
	subject := b.subject(m, d, subjectMarker(at))
	if len(b.diags) > before {
		return nil, subject, false
	}
	if !args.Operations().IsSet() {
		b.diags.Add(diag.Errorf(at.Range, model.RuleNeeds, "the webhook has no operations").
			WithHint(`add operations: "create;update", here or in +webhook:defaults`))
	}
	if subject.kind == nil {
		b.checkNeeds(at.Range, "webhook", append(needsOf(args.Matched),
			need{`its name in full (name: "what.it.does.example.com")`, strings.Contains(args.Name.V, ".")},
			need{"a path or a url", args.Path.IsSet() || args.URL.IsSet()}))
	}
	w := &model.Webhook{
		Source: model.Source{Range: at.Range, At: model.Positions{}}, Mutating: args.Mutating, Package: m.Path, Kind: subject.kind,
		Order: args.Order.V, Options: args.Options,
	}
	w.Spec.Name = b.name(subject, subjectMarker(at))
	w.At.Set("name", args.Name.At)
	rule := ruleOver(kindRule(subject), args.Operations(), args.Matched, "rules[0]", w.At)
	if !args.Resources.IsSet() { // in other groups, the resource has the kind's scope too
		rule.Scope = scope(args.Scope, subject.kind)
	}
	w.Spec.Rules = []admissionregistrationv1.RuleWithOperations{rule}
	w.Spec.ClientConfig = b.clientConfig(w, m, subject, at)
	args.Settings.Apply(w, b.options.API)
	w.Configuration = b.object(m, at)
	return w, subject, len(b.diags) == before
}

// subjectMarker returns the part of a webhook's marker that policies have too.
func subjectMarker(at declared[*registry.Webhook]) declared[*registry.Subject] {
	return declared[*registry.Subject]{at.Range, at.name, &at.marker.Subject}
}

// need is a required argument of a webhook or policy without a type.
type need struct {
	name  string
	given bool
}

func needsOf(m registry.Matched) []need {
	return []need{{"groups", m.Groups.IsSet()}, {"versions", m.Versions.IsSet()}, {"resources", m.Resources.IsSet()}}
}

// checkNeeds reports missing arguments of a webhook or policy on a package.
func (b *builder) checkNeeds(at diag.Range, what string, needs []need) {
	var names []string
	for _, n := range needs {
		if !n.given {
			names = append(names, n.name)
		}
	}
	if len(names) > 0 {
		b.diags.Add(diag.Errorf(at, model.RuleNeeds, "a %s on a package needs %s", what, strings.Join(names, ", ")).
			WithHint("add the arguments, or put the marker on the type it is for"))
	}
}

// clientConfig returns the URL or service through which the API server calls the webhook.
func (b *builder) clientConfig(w *model.Webhook, m *packageMarkers, subject subject, at declared[*registry.Webhook]) (c admissionregistrationv1.WebhookClientConfig) {
	args := at.marker
	if args.URL.IsSet() {
		if args.Path.IsSet() {
			b.exclusive("path", args.Path.At, "url", args.URL.At)
		}
		c.URL = &args.URL.V
		w.At.Set("clientConfig.url", args.URL.At)
		return c
	}
	s := serviceOf(m.service, b.options.Service)
	field := func(name string, f diag.Range) { w.At.Set("clientConfig.service."+name, f) }
	field("name", m.service.Name.At)
	field("namespace", m.service.Namespace.At)
	field("port", m.service.Port.At)
	if f := args.Service(); f.IsSet() {
		s.Namespace, s.Name, s.Port = f.V.Namespace, f.V.Name, f.V.Port
		for _, name := range []string{"name", "namespace", "port"} {
			field(name, f.At)
		}
	}
	if s.Path = &args.Path.V; !args.Path.IsSet() {
		s.Path = new(webhookPath(subject, &at.marker.Subject))
	}
	field("path", args.Path.At)
	c.Service = &s
	return c
}

// kindRule returns the rule that matches the kind of a webhook or a policy.
func kindRule(s subject) (rule admissionregistrationv1.RuleWithOperations) {
	if k := s.kind; k != nil {
		rule.APIGroups, rule.APIVersions, rule.Resources = []string{k.Group}, []string{k.Version}, []string{k.Plural}
		rule.Scope = scope(diag.Sourced[string]{}, k)
	}
	return rule
}

// ruleOver returns the rule of a marker. It takes missing arguments from base. path is the rule's field path.
func ruleOver(base admissionregistrationv1.RuleWithOperations, ops diag.Sourced[[]string], m registry.Matched, path string, at model.Positions) admissionregistrationv1.RuleWithOperations {
	rule := *base.DeepCopy()
	if ops.IsSet() {
		rule.Operations = nil
		for _, o := range ops.V {
			rule.Operations = append(rule.Operations, admissionregistrationv1.OperationType(strings.ToUpper(o)))
		}
	}
	if m.Groups.IsSet() {
		rule.APIGroups = nil
		for _, g := range m.Groups.V {
			rule.APIGroups = append(rule.APIGroups, registry.GroupName(g))
		}
	}
	if m.Versions.IsSet() {
		rule.APIVersions = m.Versions.V
	}
	main, subs := split(rule.Resources)
	if m.Resources.IsSet() {
		main = m.Resources.V
	}
	if m.Subresource.IsSet() {
		subs = m.Subresource.V
	}
	rule.Resources = subresources(main, subs)
	if m.Scope.IsSet() {
		rule.Scope = scope(m.Scope, nil)
	} else if m.Resources.IsSet() || m.Groups.IsSet() {
		rule.Scope = nil // another resource may have another scope
	}
	at.SetList(path+".operations", ops)
	at.SetList(path+".apiGroups", m.Groups)
	at.SetList(path+".apiVersions", m.Versions)
	at.SetList(path+".resources", m.Resources)
	at.Set(path+".resources", m.Subresource.At)
	at.Set(path+".scope", m.Scope.At)
	return rule
}

func addMatchCondition(w *model.Webhook, m *registry.MatchCondition) {
	at := fmt.Sprintf("matchConditions[%d]", len(w.Spec.MatchConditions))
	w.Spec.MatchConditions = append(w.Spec.MatchConditions, admissionregistrationv1.MatchCondition{
		Name: m.Name.V, Expression: m.Expression.V,
	})
	w.At.Set(at+".name", m.Name.At)
	w.Text(at+".expression", m.Expression)
}

func (b *builder) exclusive(a string, atA diag.Range, other string, atOther diag.Range) {
	b.diags.Add(diag.Errorf(atA, model.RuleExclusive, "%s and %s exclude each other", a, other).WithRelated(atOther, "%s is here", other))
}

// object returns the name of the webhook's configuration.
func (b *builder) object(m *packageMarkers, at declared[*registry.Webhook]) string {
	args := at.marker
	var names, quoted []string
	for _, c := range m.configurations {
		if c.marker.Holds(args.Mutating) {
			name := b.objectName(c.marker, args.Mutating)
			names, quoted = append(names, name), append(quoted, strconv.Quote(name))
		}
	}
	own := b.options.NamePrefix + model.DefaultObjectName(args.Mutating)
	switch {
	case args.Configuration().IsSet():
		return args.Configuration().V
	case len(names) == 1:
		return names[0]
	case len(names) > 1 && !slices.Contains(names, own):
		b.diags.Add(diag.Errorf(at.Range, model.RuleConfiguration, "the package declares several %s configurations, and the webhook names none of them", model.KindWord(args.Mutating)).
			WithHint("add configuration: %s", strings.Join(quoted, " or ")))
	}
	return own
}

// subresources joins each main resource with each name: pods/status. If names is empty, it returns the resources
// unchanged.
func subresources(resources, names []string) []string {
	if len(names) == 0 {
		return resources
	}
	var all []string
	for _, r := range resources {
		if strings.Contains(r, "/") {
			all = append(all, r)
			continue
		}
		for _, s := range names {
			all = append(all, r+"/"+s)
		}
	}
	return all
}

// split separates resources and subresources without duplicates. It returns a list with a main resource unchanged.
func split(resources []string) (main, subs []string) {
	for _, r := range resources {
		resource, sub, ok := strings.Cut(r, "/")
		if !ok {
			return resources, nil
		}
		main, subs = union(main, []string{resource}), union(subs, []string{sub})
	}
	return main, subs
}

func scope(f diag.Sourced[string], kind *model.Kind) *admissionregistrationv1.ScopeType {
	switch {
	case f.IsSet():
		return new(admissionregistrationv1.ScopeType(f.V))
	case kind != nil && kind.Scope != "":
		return new(admissionregistrationv1.ScopeType(kind.Scope))
	}
	return nil
}

// patch applies a +webhook:patch to the finished webhook. The patch becomes the source of each field that it changes.
func patch(w *model.Webhook, text diag.Sourced[string]) error {
	patched, problems := spec.Patch(w.Spec, w.Mutating, text.V)
	for _, field := range spec.Changed(w.Spec, patched) {
		w.At[field] = text.At
		delete(w.Expressions, field)
	}
	w.Spec = patched
	return errors.Join(problems...)
}
