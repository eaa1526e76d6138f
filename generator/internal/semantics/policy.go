// SPDX-License-Identifier: Apache-2.0

package semantics

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/registry"
	"github.com/webhook-gen/webhook-gen/generator/internal/schema"
)

// The field paths of match constraints in policies and in bindings.
const (
	inPolicy  = "spec.matchConstraints"
	inBinding = "spec.matchResources"
)

// addPolicies builds the policies of one declaration.
func (b *builder) addPolicies(m *packageMarkers, d *declaration) {
	subjects := map[*model.Policy]subject{}
	markers := marked[*registry.Policy](d)
	for _, at := range markers {
		if p, subject, ok := b.policy(m, d, at); ok {
			d.builtPolicies = append(d.builtPolicies, p)
			subjects[p] = subject
		}
	}
	// A policy with an error is missing here. Errors about its members would only repeat that.
	broken := m.broken || len(d.builtPolicies) < len(markers)
	members := marked[registry.PolicyMember](d)
	for _, member := range members {
		if rule, ok := member.marker.(*registry.PolicyRule); ok && rule.Binding.IsSet() {
			continue
		}
		for _, p := range b.policiesOf(d.builtPolicies, broken, member) {
			b.addMember(p, member)
		}
	}
	for _, p := range d.builtPolicies {
		if len(p.Bindings) == 0 {
			b.bind(p, declared[*registry.Binding]{Range: p.Range, marker: &registry.Binding{}})
		}
	}
	for _, member := range members {
		if rule, ok := member.marker.(*registry.PolicyRule); ok && rule.Binding.IsSet() {
			b.addBindingRule(b.policiesOf(d.builtPolicies, broken, member), broken, declared[*registry.PolicyRule]{member.Range, member.name, rule})
		}
	}
	for _, p := range d.builtPolicies {
		p.Incomplete = m.broken
		var rules []admissionregistrationv1.RuleWithOperations
		for _, r := range p.Spec.MatchConstraints.ResourceRules {
			rules = append(rules, r.RuleWithOperations)
		}
		p.Kinds = b.typedKinds(m.Module, subjects[p], rules)
		types := b.definedTypes(m.Module, p.Kinds)
		for _, t := range types {
			p.DefinitionRules = append(p.DefinitionRules, schema.Rules(t)...)
		}
		if p.InsteadOf != nil {
			addLiterals(p, types)
		}
	}
	b.policies = append(b.policies, d.builtPolicies...)
}

// policy builds the policy of one marker, without its members.
func (b *builder) policy(m *packageMarkers, d *declaration, at declared[*registry.Policy]) (*model.Policy, subject, bool) {
	args := at.marker
	before := len(b.diags)
	webhook := b.replaced(d, args)
	if args.InsteadOf.IsSet() && webhook == nil {
		return nil, subject{}, false
	}
	on := subjectOf(d, at, webhook)
	subject := b.subject(m, d, on)
	if len(b.diags) > before {
		return nil, subject, false
	}
	if !args.Operations().IsSet() && webhook == nil {
		b.diags.Add(diag.Errorf(at.Range, model.RuleNeeds, "the policy has no operations").WithHint(`add operations: "create;update"`))
	}
	if subject.kind == nil {
		var needs []need
		if webhook == nil {
			needs = needsOf(args.Matched)
		}
		b.checkNeeds(at.Range, "policy", append(needs, need{"a name", args.Name.IsSet()}))
	}
	p := &model.Policy{Source: model.Source{Range: at.Range, At: model.Positions{}}, Mutating: args.Mutating, Package: m.Path, PackageName: m.Name, Kind: subject.kind}
	if p.Name = b.name(subject, on); subject.kind == nil {
		p.Name = args.Name.V
	}
	p.At.Set("metadata.name", args.Name.At)
	settings := settingsWebhook(args.Settings, args.Mutating)
	p.Spec.FailurePolicy, p.Spec.MatchConstraints = settings.Spec.FailurePolicy, &admissionregistrationv1.MatchResources{}
	p.At.Set("spec.failurePolicy", settings.At["failurePolicy"])
	match(p.Spec.MatchConstraints, inPolicy, p.At, settings)
	if args.Mutating {
		// API servers require the field.
		p.Spec.ReinvocationPolicy = *cmp.Or(settings.Spec.ReinvocationPolicy, new(admissionregistrationv1.NeverReinvocationPolicy))
		p.At.Set("spec.reinvocationPolicy", settings.At["reinvocationPolicy"])
	}
	rule := policyRule{args.Operations(), args.ResourceNames, args.Matched}
	p.Spec.MatchConstraints.ResourceRules = []admissionregistrationv1.NamedRuleWithOperations{rule.completedBy(kindRule(subject), inPolicy+".resourceRules[0]", p.At)}
	if webhook != nil {
		b.replace(p, webhook, args)
	}
	b.parameterKind(m, p, args.Params)
	return p, subject, len(b.diags) == before
}

// settingsWebhook returns a webhook with the arguments that webhooks and policies share.
func settingsWebhook(s registry.Settings, mutating bool) *model.Webhook {
	w := &model.Webhook{Source: model.Source{At: model.Positions{}}, Mutating: mutating}
	s.Apply(w, "")
	return w
}

// match sets the fields of match constraints other than rules. path is the path of the constraints.
func match(m *admissionregistrationv1.MatchResources, path string, at model.Positions, settings *model.Webhook) {
	m.MatchPolicy, m.NamespaceSelector, m.ObjectSelector = settings.Spec.MatchPolicy, settings.Spec.NamespaceSelector, settings.Spec.ObjectSelector
	for _, field := range []string{"matchPolicy", "namespaceSelector", "objectSelector"} {
		at.Set(path+"."+field, settings.At[field])
	}
}

// policyRule holds the arguments of a marker that set a rule.
type policyRule struct {
	operations, resourceNames diag.Sourced[[]string]
	matched                   registry.Matched
}

// isSet reports whether the marker sets a part of a rule.
func (r policyRule) isSet() bool {
	m := r.matched
	return r.operations.IsSet() || r.resourceNames.IsSet() || m.Groups.IsSet() || m.Versions.IsSet() || m.Resources.IsSet() || m.Subresource.IsSet() || m.Scope.IsSet()
}

// completedBy returns the rule at path. It takes missing arguments from base, except for resource names.
func (r policyRule) completedBy(base admissionregistrationv1.RuleWithOperations, path string, at model.Positions) admissionregistrationv1.NamedRuleWithOperations {
	at.SetList(path+".resourceNames", r.resourceNames)
	return admissionregistrationv1.NamedRuleWithOperations{
		ResourceNames: r.resourceNames.V, RuleWithOperations: ruleOver(base, r.operations, r.matched, path, at),
	}
}

// parameterKind sets the kind of a policy's parameters.
func (b *builder) parameterKind(m *packageMarkers, p *model.Policy, target diag.Sourced[registry.Target]) {
	if !target.IsSet() {
		return
	}
	kind, known := target.V.Builtin()
	switch {
	case known && model.IsBuiltinGroup(kind.Group):
		if kind.Plural, _ = plurals(kind.Kind); !b.hasBuiltin(m.Module, kind) {
			b.unknownBuiltin(target, kind)
			return
		}
		p.ParamKind = &model.TypedKind{Group: kind.Group, Version: kind.Version, Kind: kind.Kind, Type: BuiltinType(kind)}
	case known: // a kind of another project, named by group and version
	default:
		_, t, gv, ok := b.locate(m.Module, target, `, or name the kind: params: "group/version/Kind"`)
		if !ok {
			return
		}
		kind = model.Kind{Group: gv.group.V, Version: gv.version.V, Kind: t.Spec.Name.Name}
		if !gv.group.IsSet() || !gv.version.IsSet() {
			b.diags.Add(diag.Errorf(target.At, model.RuleGroupVersion, "the API group and version of %s are not known", kind.Kind).
				WithHint(`add comments +groupName and +versionName above its package clause, or name the kind: params: "group/version/Kind"`))
			return
		}
		p.ParamKind = &model.TypedKind{Group: kind.Group, Version: kind.Version, Kind: kind.Kind, Type: model.GoType{Path: target.V.ImportPath, Name: target.V.Type}}
	}
	p.Spec.ParamKind = &admissionregistrationv1.ParamKind{APIVersion: kind.APIVersion(), Kind: kind.Kind}
	p.At.Set("spec.paramKind", target.At)
}

// policiesOf finds the policies that a member belongs to.
func (b *builder) policiesOf(policies []*model.Policy, broken bool, member declared[registry.PolicyMember]) []*model.Policy {
	only := ""
	switch m := member.marker.(type) {
	case *registry.Validation:
		only = model.KindWord(false)
	case *registry.PolicyExpression:
		if m.Kind == registry.PolicyAnnotation {
			only = model.KindWord(false)
		}
	case *registry.Mutation:
		only = model.KindWord(true)
	}
	able := slices.DeleteFunc(slices.Clone(policies), func(p *model.Policy) bool { return only != "" && model.KindWord(p.Mutating) != only })
	if len(able) == 0 && !broken {
		kind, hint := "a policy", "write it beside a +webhook:policy:mutating or +webhook:policy:validating"
		if only != "" {
			kind, hint = "a "+only+" policy", "write it beside a +webhook:policy:"+only
		}
		b.diags.Add(diag.Errorf(member.Range, model.RuleBelongs, "+%s is on a declaration without %s", member.name, kind).WithHint("%s", hint))
		return nil
	}
	what := strings.TrimPrefix(only+" policy", " ")
	return named(b, able, broken, member.marker.Of(), what, "policies", func(p *model.Policy) (string, bool) { return p.Name, p.Mutating })
}

func (b *builder) addMember(p *model.Policy, member declared[registry.PolicyMember]) {
	s := &p.Spec
	switch m := member.marker.(type) {
	case *registry.PolicyRule:
		addRule(s.MatchConstraints, inPolicy, s.MatchConstraints.ResourceRules[0].RuleWithOperations, p.At, member.Range, m)
	case *registry.PolicyExpression:
		addExpression(p, member.Range, m)
	case *registry.Validation:
		path := p.Element("validations", len(s.Validations), member.Range)
		v := admissionregistrationv1.Validation{Expression: m.Expression.V, Message: m.Message.V, MessageExpression: m.MessageExpression.V}
		if m.Reason.IsSet() {
			v.Reason = new(metav1.StatusReason(m.Reason.V))
		}
		s.Validations = append(s.Validations, v)
		p.Text(path+".expression", m.Expression)
		p.Text(path+".messageExpression", m.MessageExpression)
		p.At.Set(path+".message", m.Message.At)
		p.At.Set(path+".reason", m.Reason.At)
	case *registry.Mutation:
		path := p.Element("mutations", len(s.Mutations), member.Range)
		mutation := admissionregistrationv1.Mutation{PatchType: admissionregistrationv1.PatchTypeJSONPatch, JSONPatch: &admissionregistrationv1.JSONPatch{Expression: m.Expression.V}}
		if m.Type.V == "applyConfiguration" {
			mutation = admissionregistrationv1.Mutation{PatchType: admissionregistrationv1.PatchTypeApplyConfiguration, ApplyConfiguration: &admissionregistrationv1.ApplyConfiguration{Expression: m.Expression.V}}
		}
		s.Mutations = append(s.Mutations, mutation)
		p.At.Set(path+".patchType", m.Type.At)
		p.Text(path+"."+m.Type.V+".expression", m.Expression)
	case *registry.Binding:
		b.bind(p, declared[*registry.Binding]{member.Range, member.name, m})
	}
}

// addRule adds a rule to match constraints at a path. It takes missing arguments from base.
func addRule(to *admissionregistrationv1.MatchResources, path string, base admissionregistrationv1.RuleWithOperations, positions model.Positions, at diag.Range, m *registry.PolicyRule) {
	list, field := &to.ResourceRules, path+".resourceRules"
	if m.Exclude {
		list, field = &to.ExcludeResourceRules, path+".excludeResourceRules"
	}
	path = fmt.Sprintf("%s[%d]", field, len(*list))
	positions[path] = at
	rule := policyRule{m.Operations, m.ResourceNames, m.Matched}
	*list = append(*list, rule.completedBy(base, path, positions))
}

// addBindingRule adds a rule to the bindings that its marker names: by their names, or by the first part of these.
func (b *builder) addBindingRule(policies []*model.Policy, broken bool, at declared[*registry.PolicyRule]) {
	said := at.marker.Binding
	var names []string
	found := false
	for _, name := range []func(string) string{func(name string) string { return name }, firstLabel} {
		for _, p := range policies {
			for _, binding := range p.Bindings {
				if names = append(names, binding.Name); name(binding.Name) != said.V {
					continue
				}
				found = true
				s := &binding.Spec
				s.MatchResources = cmp.Or(s.MatchResources, &admissionregistrationv1.MatchResources{})
				addRule(s.MatchResources, inBinding, p.Spec.MatchConstraints.ResourceRules[0].RuleWithOperations, binding.At, at.Range, at.marker)
			}
		}
		if found {
			return
		}
	}
	if !broken && len(policies) > 0 {
		names = slices.Compact(slices.Sorted(slices.Values(names)))
		b.diags.Add(diag.Errorf(said.At, model.RuleBelongs, "no binding of this declaration is called %q", said.V).
			WithHint("its bindings: %s", strings.Join(names, ", ")).WithNearest(said.V, names))
	}
}

func firstLabel(name string) string {
	label, _, _ := strings.Cut(name, ".")
	return label
}

func addExpression(p *model.Policy, at diag.Range, m *registry.PolicyExpression) {
	s := &p.Spec
	var path string
	name, expression := ".name", ".expression"
	switch m.Kind {
	case registry.PolicyVariable:
		path = p.Element("variables", len(s.Variables), at)
		s.Variables = append(s.Variables, admissionregistrationv1.Variable{Name: m.Name.V, Expression: m.Expression.V})
	case registry.PolicyCondition:
		path = p.Element("matchConditions", len(s.MatchConditions), at)
		s.MatchConditions = append(s.MatchConditions, admissionregistrationv1.MatchCondition{Name: m.Name.V, Expression: m.Expression.V})
	case registry.PolicyAnnotation:
		path = p.Element("auditAnnotations", len(s.AuditAnnotations), at)
		s.AuditAnnotations = append(s.AuditAnnotations, admissionregistrationv1.AuditAnnotation{Key: m.Name.V, ValueExpression: m.Expression.V})
		name, expression = ".key", ".valueExpression"
	}
	p.At.Set(path+name, m.Name.At)
	p.Text(path+expression, m.Expression)
}

func (b *builder) bind(p *model.Policy, at declared[*registry.Binding]) {
	args := *at.marker
	binding := &model.Binding{Source: model.Source{Range: at.Range, At: model.Positions{}}, Name: p.Name}
	switch {
	case strings.Contains(args.Name.V, "."), args.Name.IsSet() && p.Kind == nil: // a name on a package is complete
		binding.Name = args.Name.V
	case args.Name.IsSet():
		binding.Name = args.Name.V + "." + p.Name
	}
	binding.At.Set("metadata.name", args.Name.At)
	s := &binding.Spec
	s.PolicyName = p.Name
	switch {
	case !p.Mutating && !args.ValidationActions.IsSet():
		s.ValidationActions = []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny}
	case !p.Mutating:
		for _, action := range args.ValidationActions.V {
			s.ValidationActions = append(s.ValidationActions, admissionregistrationv1.ValidationAction(action))
		}
		binding.At.SetList("spec.validationActions", args.ValidationActions)
	case args.ValidationActions.IsSet():
		b.diags.Add(diag.Errorf(args.ValidationActions.At, model.RuleBelongs, "%s is a mutating policy, whose bindings have no validationActions", p.Name).
			WithHint("remove the argument, or name the validating policy: policy: validating"))
	}
	b.parameterReference(binding, &args)
	settings := settingsWebhook(args.Settings, p.Mutating)
	rule := policyRule{args.Operations, args.ResourceNames, args.Matched}
	if rule.isSet() || len(settings.At) > 0 {
		s.MatchResources = &admissionregistrationv1.MatchResources{}
		match(s.MatchResources, inBinding, binding.At, settings)
	}
	if rule.isSet() {
		s.MatchResources.ResourceRules = []admissionregistrationv1.NamedRuleWithOperations{
			rule.completedBy(p.Spec.MatchConstraints.ResourceRules[0].RuleWithOperations, inBinding+".resourceRules[0]", binding.At),
		}
	}
	p.Bindings = append(p.Bindings, binding)
}

// parameterReference sets the paramRef of a binding.
func (b *builder) parameterReference(binding *model.Binding, args *registry.Binding) {
	if !args.Params.IsSet() && !args.ParamSelector.IsSet() {
		if args.ParameterNotFound.IsSet() {
			b.diags.Add(diag.Errorf(args.ParameterNotFound.At, model.RuleNeeds, "the binding has no parameters").WithHint("add params or paramSelector, or remove parameterNotFound"))
		}
		return
	}
	switch {
	case args.Params.V.Name != "" && args.ParamSelector.IsSet():
		b.diags.Add(diag.Errorf(args.ParamSelector.At, model.RuleExclusive, "params and paramSelector exclude each other").
			WithHint(`to select in one namespace, write params: "namespace/*"`).WithRelated(args.Params.At, "params is here"))
		args.ParamSelector = diag.Sourced[*metav1.LabelSelector]{}
	case args.Params.IsSet() && args.Params.V.Name == "" && !args.ParamSelector.IsSet():
		b.diags.Add(diag.Errorf(args.Params.At, model.RuleNeeds, "namespace/* needs paramSelector").WithHint(`add paramSelector, or name the object: params: "namespace/name"`))
		args.ParamSelector.V = &metav1.LabelSelector{}
	}
	// API servers require the field.
	missing := cmp.Or(admissionregistrationv1.ParameterNotFoundActionType(args.ParameterNotFound.V), admissionregistrationv1.DenyAction)
	binding.Spec.ParamRef = &admissionregistrationv1.ParamRef{
		Name: args.Params.V.Name, Namespace: args.Params.V.Namespace, Selector: args.ParamSelector.V, ParameterNotFoundAction: &missing,
	}
	binding.At.Set("spec.paramRef", args.Params.Or(diag.Sourced[registry.ObjectName]{At: args.ParamSelector.At}).At)
	binding.At.Set("spec.paramRef.name", args.Params.At)
	binding.At.Set("spec.paramRef.selector", args.ParamSelector.At)
	binding.At.Set("spec.paramRef.parameterNotFoundAction", args.ParameterNotFound.At)
}
