// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
)

// TestRefusedPolicies has an API server refuse the forms of policies that `import --policies` refuses in modules:
// refusals of hack/peers/manifests. It accepts the forms of bindings that import reads.
func TestRefusedPolicies(t *testing.T) {
	server := onAPIServer(t)
	admin, err := dynamic.NewForConfig(server.config)
	if err != nil {
		t.Fatal(err)
	}
	const (
		policy  = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: refused}\n"
		binding = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: refused}\n"
	)
	for _, c := range []struct{ name, text, want string }{
		{"a pattern of a test", policy + "spec: {\"(matchConditions[?name == 'check-name'])\": [{expression: 'true'}]}",
			`strict decoding error: unknown field "spec.(matchConditions[?name == 'check-name'])"`},
		{"an empty specification", policy + "spec: {}", "spec.matchConstraints: Required value"},
		{"a rule without operations", policy + "spec: {validations: [{expression: 'true'}], " +
			"matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], resources: [namespaces]}]}}",
			"spec.matchConstraints.resourceRules[0].operations: Required value"},
		{"a binding without actions", binding + "spec: {policyName: refused, paramRef: {name: a}}", "spec.validationActions: Required value"},
		{"params without an action", binding + "spec: {policyName: refused, validationActions: [Deny], paramRef: {name: a}}",
			"spec.paramRef.parameterNotFoundAction: Required value"},
		{"exclusions of a binding", binding + "spec: {policyName: refused, validationActions: [Deny], matchResources: {excludeResourceRules: " +
			"[{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}}", ""},
		{"operations that never happen", policy + "spec: {validations: [{expression: 'true'}], matchConstraints: {resourceRules: " +
			"[{apiGroups: [''], apiVersions: [v1], operations: [CREATE, CONNECT], resources: [pods/exec]}]}}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := parse(t, c.text)
			options := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}, FieldValidation: metav1.FieldValidationStrict}
			_, err := admin.Resource(registration(o)).Create(t.Context(), o, options)
			if got := ""; err == nil && c.want != "" || err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)) {
				if err != nil {
					got = err.Error()
				}
				t.Errorf("the API server says %q, want %q", got, c.want)
			}
		})
	}
}
