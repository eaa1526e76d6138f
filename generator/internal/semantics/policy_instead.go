// SPDX-License-Identifier: Apache-2.0

package semantics

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/registry"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/schema"
)

// replaced returns the webhook in a policy's argument insteadOf, or nil.
func (b *builder) replaced(d *declaration, args *registry.Policy) *model.Webhook {
	if !args.InsteadOf.IsSet() {
		if args.Since.IsSet() {
			b.diags.Add(diag.Errorf(args.Since.At, model.RuleNeeds, "the policy replaces no webhook, and since has no effect").
				WithHint("add insteadOf, or remove since"))
		}
		return nil
	}
	able := slices.DeleteFunc(slices.Clone(d.built), func(w *model.Webhook) bool { return w.Mutating != args.Mutating })
	word := model.KindWord(args.Mutating)
	if len(able) == 0 && !d.broken {
		b.diags.Add(diag.Errorf(args.InsteadOf.At, model.RuleBelongs, "the policy is on a declaration without a %s webhook", word).
			WithHint("write it beside the +webhook:%s that it replaces", word))
		return nil
	}
	meant := named(b, able, d.broken, args.InsteadOf, word+" webhook", "webhooks",
		func(w *model.Webhook) (string, bool) { return w.Spec.Name, w.Mutating })
	if len(meant) > 1 {
		b.diags.Add(diag.Errorf(args.InsteadOf.At, model.RuleBelongs, "%q names %d webhooks", args.InsteadOf.V, len(meant)).WithHint("insteadOf: %q", meant[0].Spec.Name))
	}
	if len(meant) != 1 {
		return nil
	}
	return meant[0]
}

// subjectOf returns the part of a policy's marker that webhooks have too. A policy that replaces a webhook has the
// webhook's type.
func subjectOf(d *declaration, at declared[*registry.Policy], w *model.Webhook) declared[*registry.Subject] {
	subject := at.marker.Subject
	for _, other := range d.webhooks {
		if w != nil && other.Range == w.Range && !subject.For.IsSet() {
			subject.For = other.marker.For
		}
	}
	return declared[*registry.Subject]{at.Range, at.name, &subject}
}

// replace copies the match of the replaced webhook to its policy. failurePolicy defaults to Fail, even if the
// webhook's is Ignore: a handler denies objects that it cannot decode, but a policy with Ignore admits objects on
// which its expressions fail.
func (b *builder) replace(p *model.Policy, w *model.Webhook, args *registry.Policy) {
	p.InsteadOf, p.Since = w, model.Serves(p.Mutating)
	if args.Since.IsSet() {
		p.Since = args.Since.V
	}
	p.At.Set("insteadOf", args.InsteadOf.At)
	p.At.Set("since", args.Since.At)
	w.Policy = cmp.Or(w.Policy, p)
	match := &admissionregistrationv1.MatchResources{
		MatchPolicy: w.Spec.MatchPolicy, NamespaceSelector: namespacesOf(w), ObjectSelector: w.Spec.ObjectSelector.DeepCopy(),
	}
	if b.options.API == "v1beta1" { // v1beta1's default differs from the policy's
		match.MatchPolicy = cmp.Or(match.MatchPolicy, new(admissionregistrationv1.Exact))
	}
	for _, r := range w.Spec.Rules {
		match.ResourceRules = append(match.ResourceRules, admissionregistrationv1.NamedRuleWithOperations{RuleWithOperations: *r.DeepCopy()})
	}
	p.Spec.MatchConstraints = match
	p.Spec.FailurePolicy = cmp.Or(p.Spec.FailurePolicy, new(admissionregistrationv1.Fail))
	if _, set := p.At["spec.reinvocationPolicy"]; p.Mutating && !set && w.Spec.ReinvocationPolicy != nil {
		p.Spec.ReinvocationPolicy = *w.Spec.ReinvocationPolicy
	}
	p.Inherited = len(w.Spec.MatchConditions)
	p.Spec.MatchConditions = slices.Clone(w.Spec.MatchConditions)
	for i := range w.Spec.MatchConditions {
		p.At.Set(fmt.Sprintf("spec.matchConditions[%d]", i), w.Where(fmt.Sprintf("matchConditions[%d].expression", i)))
	}
}

// namespacesOf returns a webhook's namespaceSelector without the namespaces excluded for its server. A policy has no
// server.
func namespacesOf(w *model.Webhook) *metav1.LabelSelector {
	selector := w.Spec.NamespaceSelector.DeepCopy()
	if w.KeptOut {
		selector.MatchExpressions = selector.MatchExpressions[:len(selector.MatchExpressions)-1]
		if len(selector.MatchExpressions)+len(selector.MatchLabels) == 0 {
			return nil
		}
	}
	return selector
}

// celLiteral matches the strings, numbers and words of a CEL expression.
var celLiteral = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[A-Za-z_][A-Za-z0-9_]*|[0-9]+(?:\.[0-9]+)?`)

// addLiterals adds the numbers and strings in a policy's expressions and in its types' schemas to the policy. Tests
// use random objects near these values to find differences between a policy and a validator.
func addLiterals(p *model.Policy, types []*resolve.Type) {
	numbers, texts := map[int64]bool{}, map[string]bool{}
	number := func(text string) {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			numbers[n] = true
		}
	}
	for _, e := range p.Spec.Expressions() {
		if !strings.HasSuffix(e.Field, ".expression") || p.Inherits(e.Field) {
			continue
		}
		for _, word := range celLiteral.FindAllString(e.Text, -1) {
			if number(word); word[0] == '"' || word[0] == '\'' {
				if text, err := strconv.Unquote(`"` + strings.ReplaceAll(word[1:len(word)-1], `\'`, `'`) + `"`); err == nil {
					texts[text] = true
				}
			}
		}
	}
	var read func(s *schema.Schema)
	read = func(s *schema.Schema) {
		if s == nil {
			return
		}
		number(s.Minimum.String())
		number(s.Maximum.String())
		for _, n := range []*int{s.MinLength, s.MaxLength, s.MinItems, s.MaxItems, s.MinProperties, s.MaxProperties} {
			if n != nil {
				numbers[int64(*n)] = true
			}
		}
		for _, raw := range s.Enum {
			var text string
			if json.Unmarshal(raw, &text) == nil {
				texts[text] = true
			}
			number(string(raw))
		}
		for _, below := range s.Properties {
			read(below)
		}
		read(s.Items)
		read(s.AdditionalProperties)
	}
	for _, t := range types {
		read(schema.Of(t))
	}
	p.Numbers, p.Texts = slices.Sorted(maps.Keys(numbers)), slices.Sorted(maps.Keys(texts))
}
