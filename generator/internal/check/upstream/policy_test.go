// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/admissionregistration"
	registrationv1 "k8s.io/kubernetes/pkg/apis/admissionregistration/v1"
	"k8s.io/kubernetes/pkg/apis/admissionregistration/validation"

	"github.com/webhook-gen/webhook-gen/generator/internal/check"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/render"
)

// TestRandomPolicies compares the results on policies and bindings whose every field is drawn from good and bad values.
// All expressions compile, because upstream compiles them and check does not.
func TestRandomPolicies(t *testing.T) {
	const rounds = 3000
	r := rand.New(rand.NewPCG(3, 4))
	refused, broken := 0, map[string]int{}
	for range rounds {
		p := randomPolicy(r)
		if comparePolicy(t, p, broken) {
			refused++
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%d policies with bindings, of which upstream refuses %d; by rule: %v", rounds, refused, broken)
	if refused < rounds/10 || refused > rounds*9/10 {
		t.Errorf("the mix is too one-sided to prove anything")
	}
	for i := 1; i <= 15; i++ {
		if id := fmt.Sprintf("P%d", i); broken[id] == 0 && id != "P2" {
			t.Errorf("no policy breaks %s", id)
		}
	}
}

// comparePolicy reports whether upstream refuses the policy or a binding. It fails the test if our findings differ from
// upstream's in any field.
func comparePolicy(t *testing.T, p *model.Policy, broken map[string]int) (refused bool) {
	t.Helper()
	findings := check.Findings(&model.Project{API: "v1", Policies: []*model.Policy{p}})
	differ := func(name string, want []string, errors field.ErrorList, ours func(check.Finding) bool) {
		t.Helper()
		got := []string{}
		for _, f := range findings {
			// P2 is a rule of the registry's strategy, not of the validation. Rules from P16 on are our own, but upstream
			// refuses the expressions of P24 as well.
			if !ours(f) || f.Rule == "P2" || len(f.Rule) == 3 && f.Rule > "P15" && f.Rule != "P24" {
				continue
			}
			broken[f.Rule]++
			path := f.Field
			if before, _, ok := strings.Cut(path, ".resourceRules["); ok && f.Rule == "P7" { // upstream's error names no index
				path = before + ".resourceRules.operations"
			}
			got = append(got, path)
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, slices.Compact(got)); diff != "" {
			t.Errorf("%s: (-upstream +check)\n%s\n%v", name, diff, errors)
		}
		refused = refused || len(want) > 0
	}
	errors := policyErrors(t, render.PolicyObject(p))
	differ(p.Name, policyFields(errors), errors, func(f check.Finding) bool { return f.Policy == p })
	for i, object := range render.BindingObjects(p) {
		b := p.Bindings[i]
		errors := policyErrors(t, object)
		// The name of the policy is reported once.
		want := slices.DeleteFunc(policyFields(errors), func(f string) bool {
			return f == "metadata.name" && b.Name == p.Name || f == "spec.policyName" && b.Spec.PolicyName == p.Name
		})
		differ(b.Name, want, errors, func(f check.Finding) bool { return f.Binding == b })
	}
	return refused
}

func policyErrors(t *testing.T, object any) field.ErrorList {
	t.Helper()
	switch o := object.(type) {
	case *admissionregistrationv1.ValidatingAdmissionPolicy:
		o = o.DeepCopy()
		registrationv1.SetObjectDefaults_ValidatingAdmissionPolicy(o)
		var internal admissionregistration.ValidatingAdmissionPolicy
		if err := registrationv1.Convert_v1_ValidatingAdmissionPolicy_To_admissionregistration_ValidatingAdmissionPolicy(o, &internal, nil); err != nil {
			t.Fatal(err)
		}
		return validation.ValidateValidatingAdmissionPolicy(&internal)
	case *admissionregistrationv1.MutatingAdmissionPolicy:
		o = o.DeepCopy()
		registrationv1.SetObjectDefaults_MutatingAdmissionPolicy(o)
		var internal admissionregistration.MutatingAdmissionPolicy
		if err := registrationv1.Convert_v1_MutatingAdmissionPolicy_To_admissionregistration_MutatingAdmissionPolicy(o, &internal, nil); err != nil {
			t.Fatal(err)
		}
		return validation.ValidateMutatingAdmissionPolicy(&internal)
	case *admissionregistrationv1.ValidatingAdmissionPolicyBinding:
		o = o.DeepCopy()
		registrationv1.SetObjectDefaults_ValidatingAdmissionPolicyBinding(o)
		var internal admissionregistration.ValidatingAdmissionPolicyBinding
		if err := registrationv1.Convert_v1_ValidatingAdmissionPolicyBinding_To_admissionregistration_ValidatingAdmissionPolicyBinding(o, &internal, nil); err != nil {
			t.Fatal(err)
		}
		return validation.ValidateValidatingAdmissionPolicyBinding(&internal)
	case *admissionregistrationv1.MutatingAdmissionPolicyBinding:
		o = o.DeepCopy()
		registrationv1.SetObjectDefaults_MutatingAdmissionPolicyBinding(o)
		var internal admissionregistration.MutatingAdmissionPolicyBinding
		if err := registrationv1.Convert_v1_MutatingAdmissionPolicyBinding_To_admissionregistration_MutatingAdmissionPolicyBinding(o, &internal, nil); err != nil {
			t.Fatal(err)
		}
		return validation.ValidateMutatingAdmissionPolicyBinding(&internal)
	}
	panic("unreachable")
}

// policyFields lists the fields with upstream errors, under the names that our findings use.
func policyFields(errors field.ErrorList) []string {
	list := []string{}
	for _, e := range errors {
		f := e.Field
		switch {
		case f == "spec.matchConditions" && e.Type == field.ErrorTypeTooMany:
			f += "[64]" // our findings are at the first element beyond the limit
		case f == "spec.auditAnnotations" && e.Type == field.ErrorTypeInvalid:
			f += "[20]"
		case f == "spec.auditAnnotations" && e.Type == field.ErrorTypeRequired:
			continue // the same mistake is reported at spec.validations
		}
		list = append(list, f)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func randomPolicy(r *rand.Rand) *model.Policy {
	p := &model.Policy{Mutating: r.IntN(2) == 0, Name: mostly(r, "limits.shop.example.com", "Limits", "", "a_b", strings.Repeat("a", 254))}
	s := &p.Spec
	if r.IntN(2) == 0 {
		s.FailurePolicy = value[admissionregistrationv1.FailurePolicyType](mostly(r, pick(r, "Fail", "Ignore"), "fail", ""))
	}
	if r.IntN(4) == 0 {
		s.ParamKind = &admissionregistrationv1.ParamKind{
			APIVersion: mostly(r, pick(r, "v1", "shop.example.com/v1"), "", "/", "a/b/c", "Shop/v1", "shop/V1", "shop/"),
			Kind:       mostly(r, "ConfigMap", "", "Config_Map", "1"),
		}
	}
	if r.IntN(odd) > 0 {
		s.MatchConstraints = randomMatch(r)
		if r.IntN(odd) > 0 {
			s.MatchConstraints.ResourceRules = append(s.MatchConstraints.ResourceRules, randomNamedRule(r))
		}
	}
	for i := range pick(r, 0, 0, 0, 0, 0, 1, 1, 2, int(number(r, 3, 64, 65))) {
		s.MatchConditions = append(s.MatchConditions, admissionregistrationv1.MatchCondition{Name: fmt.Sprintf("c%d", i), Expression: "true"})
		if i < 3 {
			s.MatchConditions[i] = admissionregistrationv1.MatchCondition{
				Name:       mostly(r, fmt.Sprintf("c%d", i), "", "c0", "a b", "a/b", "a/b/c"),
				Expression: mostly(r, "request.operation == 'CREATE'", "", " \n"),
			}
		}
	}
	for i := range r.IntN(3) {
		s.Variables = append(s.Variables, admissionregistrationv1.Variable{
			Name:       mostly(r, fmt.Sprintf("v%d", i), "", " ", fmt.Sprintf("%da", i), "a-b", "true", "namespace", "in"),
			Expression: mostly(r, "1", "", " "),
		})
	}
	if p.Mutating {
		s.ReinvocationPolicy = admissionregistrationv1.ReinvocationPolicyType(mostly(r, pick(r, "Never", "IfNeeded"), "Always", ""))
		for range 1 + r.IntN(2) {
			s.Mutations = append(s.Mutations, randomMutation(r))
		}
		if r.IntN(odd) == 0 {
			s.Mutations = nil
		}
	} else {
		randomValidations(r, s)
	}
	for range 1 + r.IntN(2) {
		p.Bindings = append(p.Bindings, randomBinding(r, p.Mutating))
	}
	return p
}

func randomMutation(r *rand.Rand) admissionregistrationv1.Mutation {
	apply := &admissionregistrationv1.ApplyConfiguration{Expression: mostly(r, "Object{}", "", " ")}
	patch := &admissionregistrationv1.JSONPatch{Expression: mostly(r, "[JSONPatch{op: 'remove', path: '/spec'}]", "", " ")}
	m := admissionregistrationv1.Mutation{PatchType: admissionregistrationv1.PatchTypeApplyConfiguration, ApplyConfiguration: apply}
	if r.IntN(2) == 0 {
		m = admissionregistrationv1.Mutation{PatchType: admissionregistrationv1.PatchTypeJSONPatch, JSONPatch: patch}
	}
	switch r.IntN(odd) {
	case 0:
		m.ApplyConfiguration, m.JSONPatch = apply, patch
	case 1:
		m.ApplyConfiguration, m.JSONPatch = nil, nil
	case 2:
		m.PatchType = pick(r, admissionregistrationv1.PatchType(""), "Merge")
	}
	return m
}

func randomValidations(r *rand.Rand, s *model.PolicySpec) {
	for range r.IntN(3) {
		v := admissionregistrationv1.Validation{
			Expression:        mostly(r, "true", "", " "),
			Message:           mostly(r, pick(r, "", "no"), " ", "a\nb", "a\rb", "a\n"),
			MessageExpression: mostly(r, pick(r, "", "'no'"), " ", "\n"),
		}
		if r.IntN(2) == 0 {
			v.Reason = value[metav1.StatusReason](mostly(r, pick(r, "Forbidden", "Invalid", "RequestEntityTooLarge"), "Unauthorized", "invalid", ""))
		}
		s.Validations = append(s.Validations, v)
	}
	for i := range pick(r, 0, 0, 1, 2, int(number(r, 3, 20, 21))) {
		a := admissionregistrationv1.AuditAnnotation{
			Key:             mostly(r, fmt.Sprintf("k%d", i), "", "k0", "a b", "a/b", strings.Repeat("a", 64)),
			ValueExpression: mostly(r, "'x'", "", " ", "'"+strings.Repeat("x", 5*1024)+"'", "'"+strings.Repeat("x", 5*1024-2)+"'"),
		}
		s.AuditAnnotations = append(s.AuditAnnotations, a)
	}
}

func randomBinding(r *rand.Rand, mutating bool) *model.Binding {
	b := &model.Binding{Name: mostly(r, "limits-binding", "Limits-Binding", "a_binding")}
	b.Spec.PolicyName = mostly(r, "other.shop.example.com", "", "Other", "other_b")
	if !mutating {
		b.Spec.ValidationActions = list[admissionregistrationv1.ValidationAction](r, "Deny", "Audit", "Deny", "Audit", "Warn", "deny", "")
		if r.IntN(4) > 0 {
			b.Spec.ValidationActions = []admissionregistrationv1.ValidationAction{pick[admissionregistrationv1.ValidationAction](r, "Deny", "Warn", "Audit")}
		}
	}
	if r.IntN(2) == 0 {
		b.Spec.ParamRef = &admissionregistrationv1.ParamRef{
			Name: mostly(r, "limits", "", ".", "..", "a/b", "a%b"), Namespace: pick(r, "", "shop"),
			ParameterNotFoundAction: value[admissionregistrationv1.ParameterNotFoundActionType](mostly(r, pick(r, "Deny", "Allow"), "deny", "")),
		}
		switch r.IntN(odd) {
		case 0:
			b.Spec.ParamRef.ParameterNotFoundAction = nil
		case 1:
			b.Spec.ParamRef.Selector = &metav1.LabelSelector{}
		default:
			if r.IntN(3) == 0 {
				b.Spec.ParamRef.Name, b.Spec.ParamRef.Selector = "", randomSelector(r)
			}
		}
	}
	if r.IntN(3) == 0 {
		b.Spec.MatchResources = randomMatch(r)
	}
	return b
}

func randomMatch(r *rand.Rand) *admissionregistrationv1.MatchResources {
	m := &admissionregistrationv1.MatchResources{}
	if r.IntN(3) == 0 {
		m.MatchPolicy = value[admissionregistrationv1.MatchPolicyType](mostly(r, pick(r, "Exact", "Equivalent"), "exact", ""))
		m.NamespaceSelector, m.ObjectSelector = randomSelector(r), randomSelector(r)
	}
	for range r.IntN(3) {
		rule := randomNamedRule(r)
		if r.IntN(3) == 0 {
			m.ExcludeResourceRules = append(m.ExcludeResourceRules, rule)
		} else {
			m.ResourceRules = append(m.ResourceRules, rule)
		}
	}
	return m
}

func randomNamedRule(r *rand.Rand) admissionregistrationv1.NamedRuleWithOperations {
	var rule admissionregistrationv1.NamedRuleWithOperations
	rule.Operations = list[admissionregistrationv1.OperationType](r, "CREATE", "UPDATE", "CONNECT", "CREATE", "*", "DELETE", "create", "")
	rule.APIGroups = list[string](r, "", "apps", "batch", "shop.example.com", "*", "Any Thing")
	rule.APIVersions = list[string](r, "v1", "v2", "v1beta1", "v3", "*", "")
	rule.Resources = list[string](r, "pods", "pods/status", "services", "deployments/scale", "*", "*/*", "pods/*", "*/status", "", "Pods", "a/b/c", "pods/")
	if r.IntN(2) == 0 {
		rule.Scope = value[admissionregistrationv1.ScopeType](mostly(r, pick(r, "*", "Cluster", "Namespaced"), "cluster", ""))
	}
	for i := range pick(r, 0, 0, 0, 1, 2) {
		rule.ResourceNames = append(rule.ResourceNames, mostly(r, fmt.Sprintf("n%d", i), "n0", "a/b", ".", "a%", ""))
	}
	return rule
}
