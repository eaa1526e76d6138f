// SPDX-License-Identifier: Apache-2.0

package check

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/registry"
)

// policyPass checks one policy.
type policyPass struct {
	pass
	*model.Policy
	project *model.Project
}

// at reports a finding at the argument that sets the field.
func (p policyPass) at(field, format string, args ...any) *diag.Diagnostic {
	return p.report(p.Where(field), false, Finding{Policy: p.Policy, Field: field}, format, args...)
}

// bindingPass checks one binding.
type bindingPass struct {
	pass
	*model.Binding
	policy *model.Policy
}

// at reports a finding at the argument that sets the field.
func (p bindingPass) at(field, format string, args ...any) *diag.Diagnostic {
	return p.report(p.Where(field), false, Finding{Binding: p.Binding, Field: field}, format, args...)
}

// The following rules are in k8s.io/kubernetes/pkg/apis/admissionregistration/validation. The nested module upstream
// calls the real functions on the same objects and compares.

func policyMeta(p policyPass) {
	metadata(p.at, metav1.ObjectMeta{Name: p.Name})
}

func bindingMeta(p bindingPass) {
	if p.Name != p.policy.Name { // the policy's name is reported once
		metadata(p.at, metav1.ObjectMeta{Name: p.Name})
	}
}

func policyName(p policyPass) {
	if strings.HasSuffix(p.Name, reservedSuffix) {
		p.at("metadata.name", "the name %q ends in %s, which is reserved for policies in files of the API server", p.Name, reservedSuffix)
	}
	var bindings []*model.Binding
	for _, other := range p.project.Policies {
		if other == p.Policy {
			break
		}
		if other.Name == p.Name && other.Mutating == p.Mutating {
			d := p.at("metadata.name", "two %s policies are called %q", model.KindWord(p.Mutating), p.Name)
			*d = d.WithHint(`give one of them a word of its own: name: "quota"`).WithRelated(other.Where("metadata.name"), "the other is here")
			return // their bindings are the same mistake
		}
		if other.Mutating == p.Mutating {
			bindings = append(bindings, other.Bindings...)
		}
	}
	for _, b := range p.Bindings {
		bp := bindingPass{p.pass, b, p.Policy}
		if strings.HasSuffix(b.Name, reservedSuffix) && b.Name != p.Name {
			bp.at("metadata.name", "the name %q ends in %s, which is reserved for bindings in files of the API server", b.Name, reservedSuffix)
		}
		if i := slices.IndexFunc(bindings, func(other *model.Binding) bool { return other.Name == b.Name }); i >= 0 {
			d := bp.at("metadata.name", "two bindings of %s policies are called %q", model.KindWord(p.Mutating), b.Name)
			*d = d.WithHint(`give one of them a word of its own: name: "trial"`).WithRelated(bindings[i].Where("metadata.name"), "the other is here")
		}
		bindings = append(bindings, b)
	}
}

func policyFailure(p policyPass) {
	oneOf(p.at, "spec.failurePolicy", p.Spec.FailurePolicy, registry.Of("failurePolicy").Accepts()...)
}

func parameterKind(p policyPass) {
	k := p.Spec.ParamKind
	if k == nil {
		return
	}
	const at = "spec.paramKind"
	switch gv, err := schema.ParseGroupVersion(k.APIVersion); {
	case k.APIVersion == "":
		p.at(at+".apiVersion", "the parameters have no API version")
	case err != nil:
		p.at(at+".apiVersion", "%q is not a group and a version", k.APIVersion)
	default:
		if gv.Group != "" {
			invalid(p.at, at+".apiVersion", validation.IsDNS1123Subdomain(gv.Group), "group %q: %s", gv.Group)
		}
		invalid(p.at, at+".apiVersion", validation.IsDNS1035Label(gv.Version), "version %q: %s", gv.Version)
	}
	if k.Kind == "" {
		p.at(at+".kind", "the parameters have no kind")
		return
	}
	invalid(p.at, at+".kind", validation.IsDNS1035Label(strings.ToLower(k.Kind)), "kind %q: %s", k.Kind)
}

// matchPass checks the match constraints of a policy, or the match resources of a binding.
type matchPass struct {
	*admissionregistrationv1.MatchResources
	path     string
	mutating bool
	at       reporter
}

// matchResources checks the part of match constraints that is not rules.
func matchResources(p matchPass) {
	oneOf(p.at, p.path+".matchPolicy", p.MatchPolicy, registry.Of("matchPolicy").Accepts()...)
	selector(p.at, p.path+".namespaceSelector", p.NamespaceSelector)
	selector(p.at, p.path+".objectSelector", p.ObjectSelector)
}

func policyMatch(p policyPass) {
	switch m := p.Spec.MatchConstraints; {
	case m == nil:
		p.at("spec.matchConstraints", "the policy has no match constraints")
	case len(m.ResourceRules) == 0:
		p.at("spec.matchConstraints.resourceRules", "the policy has no rules")
	}
}

// matchRules checks the rules of match constraints.
func matchRules(p matchPass) {
	for _, list := range []struct {
		name  string
		rules []admissionregistrationv1.NamedRuleWithOperations
	}{{"resourceRules", p.ResourceRules}, {"excludeResourceRules", p.ExcludeResourceRules}} {
		for i, r := range list.rules {
			at := fmt.Sprintf("%s.%s[%d]", p.path, list.name, i)
			for _, check := range []func(reporter, string, admissionregistrationv1.RuleWithOperations){operations, apiGroups, apiVersions, resources, scopes} {
				check(p.at, at, r.RuleWithOperations)
			}
			for j, name := range r.ResourceNames {
				at := fmt.Sprintf("%s.resourceNames[%d]", at, j)
				invalid(p.at, at, content.IsPathSegmentName(name), "the name %q of an object %s", name)
				if slices.Contains(r.ResourceNames[:j], name) {
					p.at(at, "the name %q is twice in the list", name)
				}
			}
		}
	}
}

// mutatingOperations reports requests whose objects nothing can change.
func mutatingOperations(p matchPass) {
	if !p.mutating {
		return
	}
	for i, r := range p.ResourceRules {
		for j, o := range r.Operations {
			if !slices.Contains([]admissionregistrationv1.OperationType{"*", "CREATE", "UPDATE", "CONNECT"}, o) {
				p.at(fmt.Sprintf("%s.resourceRules[%d].operations[%d]", p.path, i, j), "a mutating policy cannot be for %q", o).
					Hint = "operations of mutating policies are create, update, connect and *"
			}
		}
	}
}

func policyConditions(p policyPass) {
	conditions(p.at, "spec.matchConditions", "the policy", p.Spec.MatchConditions)
}

var identifier = regexp.MustCompile("^[_a-zA-Z][_a-zA-Z0-9]*$")

// celReserved are the words that CEL and API servers do not accept as names of variables.
func celReserved() []string {
	return strings.Fields("true false null in as break const continue else for function if import let loop package namespace return var void while")
}

func variables(p policyPass) {
	for i, v := range p.Spec.Variables {
		at := fmt.Sprintf("spec.variables[%d]", i)
		switch {
		case strings.TrimSpace(v.Name) == "":
			p.at(at+".name", "a variable needs a name")
		case !identifier.MatchString(v.Name), slices.Contains(celReserved(), v.Name):
			p.at(at+".name", "%q is not a CEL identifier", v.Name).Hint = "a name has letters, digits and _, and is no reserved word"
		}
		if strings.TrimSpace(v.Expression) == "" {
			p.at(at+".expression", "the expression of variable %q is empty", v.Name)
		}
	}
}

func validations(p policyPass) {
	if p.Mutating {
		return
	}
	if len(p.Spec.Validations)+len(p.Spec.AuditAnnotations) == 0 && !p.Incomplete {
		p.at("spec.validations", "the policy has neither a validation nor an audit annotation").
			Hint = `add +webhook:policy:validation(message: "...")="an expression that must be true"`
	}
	for i, v := range p.Spec.Validations {
		at := fmt.Sprintf("spec.validations[%d]", i)
		if strings.TrimSpace(v.Expression) == "" {
			p.at(at+".expression", "the expression of the validation is empty")
		}
		if v.MessageExpression != "" && strings.TrimSpace(v.MessageExpression) == "" {
			p.at(at+".messageExpression", "messageExpression is blank")
		}
		switch message := strings.TrimSpace(v.Message); {
		case v.Message != "" && message == "":
			p.at(at+".message", "the message is blank")
		case strings.ContainsAny(message, "\r\n"):
			p.at(at+".message", "the message has line breaks")
		}
		oneOf(p.at, at+".reason", v.Reason, registry.PolicyReasons()...)
	}
}

func auditAnnotations(p policyPass) {
	if p.Mutating {
		return
	}
	const most, longest = 20, 5 * 1024
	if n := len(p.Spec.AuditAnnotations); n > most {
		p.at(fmt.Sprintf("spec.auditAnnotations[%d]", most), "the policy has %d audit annotations; %d are allowed", n, most)
	}
	for i, a := range p.Spec.AuditAnnotations {
		at := fmt.Sprintf("spec.auditAnnotations[%d]", i)
		name := p.Name + "/" + a.Key
		invalid(p.at, at+".key", validation.IsQualifiedName(name), "the policy's name and the key, %q: %s", name)
		if slices.ContainsFunc(p.Spec.AuditAnnotations[:i], func(other admissionregistrationv1.AuditAnnotation) bool { return other.Key == a.Key }) {
			p.at(at+".key", "the policy has two audit annotations with the key %q", a.Key)
		}
		switch expression := strings.TrimSpace(a.ValueExpression); {
		case expression == "":
			p.at(at+".valueExpression", "the expression of the audit annotation %q is empty", a.Key)
		case len(expression) > longest:
			p.at(at+".valueExpression", "the expression of the audit annotation %q has %d bytes; %d are allowed", a.Key, len(expression), longest)
		}
	}
}

func mutations(p policyPass) {
	if !p.Mutating {
		return
	}
	if len(p.Spec.Mutations) == 0 && !p.Incomplete {
		p.at("spec.mutations", "the policy changes nothing").
			Hint = `add +webhook:policy:mutation(type: applyConfiguration)="Object{...}"`
	}
	for i, m := range p.Spec.Mutations {
		at := fmt.Sprintf("spec.mutations[%d]", i)
		var apply, patch *string
		if m.ApplyConfiguration != nil {
			apply = &m.ApplyConfiguration.Expression
		}
		if m.JSONPatch != nil {
			patch = &m.JSONPatch.Expression
		}
		switch m.PatchType {
		case admissionregistrationv1.PatchTypeJSONPatch:
			union(p, at, "jsonPatch", patch, "applyConfiguration", apply)
		case admissionregistrationv1.PatchTypeApplyConfiguration:
			union(p, at, "applyConfiguration", apply, "jsonPatch", patch)
		default:
			oneOf(p.at, at+".patchType", &m.PatchType, "ApplyConfiguration", "JSONPatch")
		}
	}
}

// union checks that a mutation has the expression of its type alone.
func union(p policyPass, at, name string, expression *string, other string, second *string) {
	switch {
	case expression == nil:
		p.at(at+"."+name, "the mutation has no %s", name)
	case strings.TrimSpace(*expression) == "":
		p.at(at+"."+name+".expression", "the expression of the mutation is empty")
	}
	if second != nil {
		p.at(at+"."+other, "the mutation has %s besides %s", other, name)
	}
}

func policyReinvocation(p policyPass) {
	if p.Mutating {
		oneOf(p.at, "spec.reinvocationPolicy", &p.Spec.ReinvocationPolicy, registry.Of("reinvocationPolicy").Accepts()...)
	}
}

func boundPolicy(p bindingPass) {
	if p.Spec.PolicyName != p.policy.Name || p.Spec.PolicyName == "" { // the policy's name is reported once
		invalid(p.at, "spec.policyName", apivalidation.NameIsDNSSubdomain(p.Spec.PolicyName, false), "the name %q of the policy: %s", p.Spec.PolicyName)
	}
	r := p.Spec.ParamRef
	if r == nil {
		return
	}
	const at = "spec.paramRef"
	if r.Name != "" {
		invalid(p.at, at+".name", content.IsPathSegmentName(r.Name), "the name %q of the parameters %s", r.Name)
	}
	if r.Selector != nil {
		selector(p.at, at+".selector", r.Selector)
	}
	switch {
	case r.Name != "" && r.Selector != nil:
		p.at(at+".name", "a name and a selector of parameters exclude each other")
		p.at(at+".selector", "a name and a selector of parameters exclude each other")
	case r.Name == "" && r.Selector == nil:
		p.at(at, "the parameters have neither a name nor a selector")
	}
	// It has no default.
	action := cmp.Or(r.ParameterNotFoundAction, new(admissionregistrationv1.ParameterNotFoundActionType))
	oneOf(p.at, at+".parameterNotFoundAction", action, "Deny", "Allow")
}

func validationActions(p bindingPass) {
	if p.policy.Mutating {
		return
	}
	const at = "spec.validationActions"
	actions := p.Spec.ValidationActions
	if len(actions) == 0 {
		p.at(at, "the binding has no validation action")
	}
	for i, a := range actions {
		element := fmt.Sprintf("%s[%d]", at, i)
		oneOf(p.at, element, &a, "Deny", "Warn", "Audit")
		if slices.Contains(actions[:i], a) {
			p.at(element, "the action %q is twice in the list", a)
		}
	}
	if slices.Contains(actions, admissionregistrationv1.Deny) && slices.Contains(actions, admissionregistrationv1.Warn) {
		p.at(at, "Deny and Warn exclude each other: a denial has the message already").Hint = "write deny;audit or warn;audit"
	}
}
