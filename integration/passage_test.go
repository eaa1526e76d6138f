// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestPassage lets a group past a webhook that fails closed, and has a policy report each passage: the recipe of
// docs/guides/cookbook-rules.md. All others are still stopped, without a report.
func TestPassage(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	const inGroup = "'shop:passage' in request.userInfo.groups"
	webhook := e.validating("passage", "/from-another-release", admissionregistrationv1.Fail, admissionregistrationv1.Create)
	webhook.Webhooks[0].MatchConditions = []admissionregistrationv1.MatchCondition{{Name: "no-passage", Expression: "!(" + inGroup + ")"}}
	e.installFor(t, webhook)
	rule := webhook.Webhooks[0].Rules[0]
	e.installFor(t, &admissionregistrationv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: "passage"},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionregistrationv1.MatchResources{
				ObjectSelector: webhook.Webhooks[0].ObjectSelector,
				ResourceRules:  []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: rule}}},
			Validations: []admissionregistrationv1.Validation{{Expression: "!(" + inGroup + ")", Message: "the validation is passed by"}},
		}})
	e.installFor(t, &admissionregistrationv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: "passage"},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: "passage",
			ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Warn, admissionregistrationv1.Audit}}})

	var warnings warned
	as := func(groups ...string) client.Client {
		config := rest.CopyConfig(e.config)
		config.Impersonate = rest.ImpersonationConfig{UserName: "jane", Groups: append(groups, "system:masters")}
		config.WarningHandlerWithContext, config.WarningHandler = nil, &warnings
		c, err := client.New(config, client.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	topic := map[string]string{"topic": "passage"}
	passer, other := as("shop:passage"), as("shop:others")
	eventually(t, "the policy warns, and the webhook stops others", func() bool {
		err := other.Create(t.Context(), configMap(namespace, "probe", topic), client.DryRunAll)
		passed := passer.Create(t.Context(), configMap(namespace, "probe", topic), client.DryRunAll)
		return err != nil && passed == nil && len(warnings.texts) > 0
	})
	warnings.texts = nil
	if err := passer.Create(t.Context(), configMap(namespace, "passed", topic)); err != nil {
		t.Fatal(err)
	}
	if len(warnings.texts) != 1 || !strings.Contains(warnings.texts[0], "the validation is passed by") {
		t.Errorf("the warnings are %q", warnings.texts)
	}
	if got := e.auditAnnotations(t, namespace, "passed")["validation.policy.admission.k8s.io/validation_failure"]; !strings.Contains(got, "the validation is passed by") {
		t.Errorf("the audit annotation is %q", got)
	}
	warnings.texts = nil
	if err := other.Create(t.Context(), configMap(namespace, "stopped", topic)); err == nil || len(warnings.texts) > 0 {
		t.Errorf("another user: %v, with the warnings %q", err, warnings.texts)
	}
}
