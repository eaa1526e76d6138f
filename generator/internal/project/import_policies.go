// SPDX-License-Identifier: Apache-2.0

package project

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/check"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/manifest"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/spec"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// ImportPolicies converts the admission policies in YAML files to +webhook:policy markers in a file policies.go of
// the package in dir. It changes no other file. It fails if the markers would give other policies.
func ImportPolicies(ctx context.Context, c Config, files []string, dir string) (Result, error) {
	run := c.Resolve()
	result := Result{Result: engine.Result{Root: run.Root}}
	texts, err := load.Arguments(files, strings.NewReader(""))
	if err != nil {
		return result, err
	}
	for i, t := range texts { // as kubectl reads a block scalar at the end of a file
		texts[i].Content = append(bytes.TrimSuffix(t.Content, []byte("\n")), '\n')
	}
	contents, diags := manifest.Read(texts)
	for _, d := range append(diags, contents.Unknown...) {
		return result, fmt.Errorf("%s: %s", d.Pos.File, d.Message)
	}
	for _, b := range contents.Unbound {
		return result, fmt.Errorf("%s: the files have no policy %s, which the binding names", b.Name, b.Spec.PolicyName)
	}
	policies := contents.Policies
	if len(policies) == 0 {
		return result, errors.New("the files have no admission policies")
	}
	for _, f := range check.RefusedPolicies(&model.Project{API: "v1", Policies: policies}) {
		diags.Add(f.Diagnostic)
	}
	if diags.HasErrors() {
		result.Diagnostics = diags.Sorted()
		return result, nil
	}
	path := filepath.Join(dir, "policies.go")
	if regular.Exists(path) {
		return result, fmt.Errorf("%s exists already: name another folder", path)
	}
	var e edits
	e.Create = []output.File{{Path: path, Content: policiesFile(packageName(ctx, run, dir), policies), Owner: output.Once}}
	after := run.Read(ctx, e.Edits)
	diags.Add(after.Diagnostics...)
	if !diags.HasErrors() {
		for _, p := range policies {
			if why := differs(p, after.Project); why != "" {
				diags.Add(diag.Errorf(diag.InFile(path), "", "%s: %s; nothing was changed", p.Name, why))
			}
			if p.At["metadata.labels"].IsValid() || p.At["metadata.annotations"].IsValid() {
				diags.Add(diag.Warningf(diag.InFile(path), "", "%s: its labels and annotations are not kept", p.Name).
					WithHint("a kustomization can add them"))
			}
		}
	}
	created, found := output.Compare(run.Root, e.Create, nil)
	diags.Add(found...)
	if result.Diagnostics = diags.Sorted(); !diags.HasErrors() {
		result.Changes = created
		result.Next = append(result.Next, "webhook-gen")
	}
	return result, nil
}

// packageName returns the name of the package in a folder, from its files or else from the folder's name.
func packageName(ctx context.Context, run engine.Run, dir string) string {
	found, _ := load.Load(ctx, load.Config{Dir: run.Root, Patterns: []string{dir}, Tags: run.Tags, Markers: []string{"package "}})
	for _, p := range found.Packages {
		if p.Name != "" {
			return p.Name
		}
	}
	return strings.NewReplacer("-", "", ".", "").Replace(filepath.Base(dir))
}

// policiesFile returns a file with the policies' markers on the package.
func policiesFile(name string, policies []*model.Policy) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Package %s has admission policies.\n", name)
	for _, p := range policies {
		fmt.Fprintf(&b, "//\n%s\n", strings.Join(policyMarkers(p, len(policies) > 1), "\n"))
	}
	fmt.Fprintf(&b, "package %s\n", name)
	return b.Bytes()
}

// policyMarkers returns a policy's markers as comment lines. If a file has several policies, each member names its
// policy.
func policyMarkers(p *model.Policy, several bool) []string {
	begin := "// +webhook:policy:"
	member := func() *arguments {
		if several {
			return new(arguments).text("policy", p.Name)
		}
		return &arguments{}
	}
	head := new(arguments).text("name", p.Name)
	if k := p.Spec.ParamKind; k != nil {
		head.text("params", k.APIVersion+"/"+k.Kind)
	}
	rules := p.Spec.MatchConstraints.ResourceRules
	head.namedRule(rules[0]).match(p.Spec.MatchConstraints)
	addWord(head, "failurePolicy", p.Spec.FailurePolicy)
	if r := p.Spec.ReinvocationPolicy; r != "" {
		head.word("reinvocationPolicy", string(r))
	}
	lines := folded(begin+model.KindWord(p.Mutating)+"(", head.all)
	add := func(word string, a *arguments, expression string) {
		marker := begin + word
		if len(a.all) > 0 {
			lines = append(lines, folded(marker+"(", a.all)...)
		} else {
			lines = append(lines, marker)
		}
		if expression != "" {
			lines[len(lines)-1] += "=" + quoteExpression(expression)
		}
	}
	for _, r := range rules[1:] {
		add("rule", member().namedRule(r), "")
	}
	for _, r := range p.Spec.MatchConstraints.ExcludeResourceRules {
		add("exclude", member().namedRule(r), "")
	}
	for _, v := range p.Spec.Variables {
		add("variable", member().text("name", v.Name), v.Expression)
	}
	for _, c := range p.Spec.MatchConditions {
		add("matchCondition", member().text("name", c.Name), c.Expression)
	}
	for _, v := range p.Spec.Validations {
		a := member()
		if v.Message != "" {
			a.word("message", quoteExpression(v.Message))
		}
		if v.MessageExpression != "" {
			a.word("messageExpression", quoteExpression(v.MessageExpression))
		}
		addWord(a, "reason", v.Reason)
		add("validation", a, v.Expression)
	}
	for _, v := range p.Spec.AuditAnnotations {
		add("auditAnnotation", member().text("key", v.Key), v.ValueExpression)
	}
	for _, m := range p.Spec.Mutations {
		switch {
		case m.ApplyConfiguration != nil:
			add("mutation", member().word("type", "applyConfiguration"), m.ApplyConfiguration.Expression)
		case m.JSONPatch != nil:
			add("mutation", member().word("type", "jsonPatch"), m.JSONPatch.Expression)
		}
	}
	for _, bound := range p.Bindings {
		a := member()
		a.binding(bound, p)
		add("binding", a, "")
		if m := bound.Spec.MatchResources; m != nil {
			for _, r := range m.ResourceRules[min(1, len(m.ResourceRules)):] {
				add("rule", member().text("binding", bound.Name).namedRule(r), "")
			}
			for _, r := range m.ExcludeResourceRules {
				add("exclude", member().text("binding", bound.Name).namedRule(r), "")
			}
		}
	}
	return lines
}

// addWord adds an argument if it is set.
func addWord[T ~string](a *arguments, name string, value *T) {
	if value != nil {
		a.word(name, string(*value))
	}
}

func (a *arguments) namedRule(r admissionregistrationv1.NamedRuleWithOperations) *arguments {
	a.rule(r.RuleWithOperations)
	if len(r.ResourceNames) > 0 {
		a.list("resourceNames", r.ResourceNames)
	}
	return a
}

// match adds the arguments for match constraints other than rules. It omits empty selectors, which select everything.
func (a *arguments) match(m *admissionregistrationv1.MatchResources) {
	addWord(a, "matchPolicy", m.MatchPolicy)
	a.selector("namespaceSelector", m.NamespaceSelector)
	a.selector("objectSelector", m.ObjectSelector)
}

func (a *arguments) selector(name string, s *metav1.LabelSelector) {
	if s != nil && len(s.MatchLabels)+len(s.MatchExpressions) > 0 {
		a.text(name, selectorText(s))
	}
}

// selectorText returns a selector in the syntax of kubectl's --selector. For a selector of all objects, it returns
// "", but metav1.FormatLabelSelector returns <none>.
func selectorText(s *metav1.LabelSelector) string {
	if len(s.MatchLabels)+len(s.MatchExpressions) == 0 {
		return ""
	}
	return metav1.FormatLabelSelector(s)
}

// binding adds the arguments of a binding, with the first of its rules.
func (a *arguments) binding(b *model.Binding, p *model.Policy) {
	if b.Name != p.Name {
		a.text("name", b.Name)
	}
	if actions := b.Spec.ValidationActions; len(actions) > 0 {
		a.list("validationActions", lower(actions))
	}
	if ref := b.Spec.ParamRef; ref != nil {
		if ref.Name != "" || ref.Namespace != "" {
			a.text("params", strings.TrimPrefix(ref.Namespace+"/"+cmp.Or(ref.Name, "*"), "/"))
		}
		if ref.Selector != nil {
			a.text("paramSelector", selectorText(ref.Selector))
		}
		addWord(a, "parameterNotFound", ref.ParameterNotFoundAction)
	}
	if m := b.Spec.MatchResources; m != nil {
		if len(m.ResourceRules) > 0 {
			a.namedRule(m.ResourceRules[0])
		}
		a.match(m)
	}
}

// quoteExpression returns a Go string literal that gofmt keeps in a doc comment. gofmt replaces two single quotes or
// two backquotes by a typographic quote.
func quoteExpression(text string) string {
	if !strings.Contains(text, "''") {
		return quote(text)
	}
	return strings.ReplaceAll(strings.ReplaceAll(strconv.Quote(text), "''", `'\x27`), "``", "`\\x60")
}

// differs describes the difference from the project's policy with the same name, or returns "". It ignores fields
// that API servers default.
func differs(p *model.Policy, project *model.Project) string {
	i := slices.IndexFunc(project.Policies, func(o *model.Policy) bool { return o.Mutating == p.Mutating && o.Name == p.Name })
	if i < 0 {
		return "the markers make no such policy"
	}
	made := project.Policies[i]
	if got, want := defaulted(made.Spec), defaulted(p.Spec); got != want {
		return "the markers make another policy: " + got + " instead of " + want
	}
	got, want := defaultedBindings(made), defaultedBindings(p)
	if len(want) > 0 && !maps.Equal(want, got) {
		return fmt.Sprintf("the markers make other bindings: %v instead of %v", got, want)
	}
	return ""
}

// defaulted returns a policy as JSON with an API server's defaults
// (k8s.io/kubernetes/pkg/apis/admissionregistration/v1).
func defaulted(s model.PolicySpec) string {
	s.FailurePolicy = cmp.Or(s.FailurePolicy, new(admissionregistrationv1.Fail))
	s.MatchConstraints = defaultedMatch(s.MatchConstraints)
	return asJSON(s)
}

// defaultedBindings returns the policy's bindings as JSON with defaults, by name.
func defaultedBindings(p *model.Policy) map[string]string {
	all := map[string]string{}
	for _, b := range p.Bindings {
		s := b.Spec
		if s.MatchResources != nil {
			s.MatchResources = defaultedMatch(s.MatchResources)
		}
		all[b.Name] = asJSON(s)
	}
	return all
}

// defaultedMatch returns match constraints with an API server's defaults. The values of a requirement are a set, so it
// sorts them.
func defaultedMatch(m *admissionregistrationv1.MatchResources) *admissionregistrationv1.MatchResources {
	m = spec.DefaultedMatch(m)
	for _, selector := range []*metav1.LabelSelector{m.NamespaceSelector, m.ObjectSelector} {
		for i := range selector.MatchExpressions {
			slices.Sort(selector.MatchExpressions[i].Values)
		}
	}
	return m
}

// asJSON returns the JSON of a Kubernetes type, which can always be marshaled.
func asJSON(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}
