// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"strings"
	"testing"
)

// TestReplacing has helm and kustomize build webhooks and the policies that replace them on newer clusters: each
// cluster gets one of the two.
func TestReplacing(t *testing.T) {
	t.Parallel()
	p := delivered(t, "testdata/replacing.txtar")
	p.run(p.webhookGen)

	const group = "admissionregistration.k8s.io/"
	const none = group + "v1/ValidatingWebhookConfiguration" // as every API server serves
	const validating, mutating = group + "v1/ValidatingAdmissionPolicy", group + "v1/MutatingAdmissionPolicy"
	for _, c := range []struct {
		name  string
		flags []string
		// validating and mutating say whether the policy is there, in place of the webhook.
		validating, mutating bool
	}{
		{"of 1.37", []string{"--kube-version=1.37.0"}, true, true},
		{"of 1.35 of a vendor", []string{"--kube-version=1.35.2-gke.100"}, true, false},
		{"of 1.31", []string{"--kube-version=1.31.0"}, true, false},
		{"of 1.30", []string{"--kube-version=1.30.9"}, false, false},
		{"of 1.28", []string{"--kube-version=1.28.0"}, false, false},
		{"served", []string{"--kube-version=1.37.0", "--api-versions=" + none + "," + validating + "," + mutating}, true, true},
		{"turned off", []string{"--kube-version=1.37.0", "--api-versions=" + none + "," + validating}, true, false},
		{"served early", []string{"--kube-version=1.30.0", "--api-versions=" + none + "," + validating}, false, false},
	} {
		out, err := p.helmWith(map[string]any{}, append([]string{"template", "release"}, c.flags...)...)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		decodeStrictly(t, out)
		p.wantOne(c.name, out, "Validating", "validate.orders.v1.shop.example.com", c.validating)
		p.wantOne(c.name, out, "Mutating", "mutate.orders.v1.shop.example.com", c.mutating)
		if !strings.Contains(out, "  - name: quota.validate.orders.v1.shop.example.com\n") {
			t.Errorf("%s: a webhook without a policy is gone\n%s", c.name, out)
		}
		if c.mutating != strings.Contains(out, "webhooks: []\n") {
			t.Errorf("%s: the configuration without webhooks is not as expected\n%s", c.name, out)
		}
	}
	for name, values := range map[string]map[string]any{
		"values for all":             {"namespaceSelector": map[string]any{"matchLabels": map[string]any{"team": "a"}}},
		"values for one, and a warn": {"webhooks": map[string]any{"validate.orders.v1.shop.example.com": map[string]any{"enforcement": "warn", "namespaceSelector": map[string]any{"matchLabels": map[string]any{"team": "a"}}}}},
	} {
		out, err := p.helmWith(values, "template", "release", "--kube-version=1.37.0")
		if err != nil {
			t.Fatal(err)
		}
		_, policy, _ := strings.Cut(out, "kind: ValidatingAdmissionPolicy\n")
		if !strings.Contains(policy, `namespaceSelector: {"matchLabels":{"team":"a"}}`) || strings.Contains(policy, `validationActions: ["Warn"]`) != strings.HasSuffix(name, "warn") {
			t.Errorf("%s: the policy has other settings than the webhook\n%s", name, policy)
		}
	}

	build := func() string { return p.run(p.kustomize, "build", "config/default") }
	p.wantOne("kustomize", build(), "Validating", "validate.orders.v1.shop.example.com", false)
	p.wantOne("kustomize", build(), "Mutating", "mutate.orders.v1.shop.example.com", false)
	overlay := p.read("config/default/kustomization.yaml")
	p.write("config/default/kustomization.yaml", overlay+"components: [../webhook/policies-1.31]\n")
	p.wantOne("kustomize, 1.31", build(), "Validating", "validate.orders.v1.shop.example.com", true)
	p.wantOne("kustomize, 1.31", build(), "Mutating", "mutate.orders.v1.shop.example.com", false)
	p.write("config/default/kustomization.yaml", overlay+"namePrefix: my-\ncomponents: [../webhook/policies-1.31, ../webhook/policies-1.36]\n")
	decodeStrictly(t, build())
	p.wantOne("kustomize, 1.36", build(), "Validating", "validate.orders.v1.shop.example.com", true)
	p.wantOne("kustomize, 1.36", build(), "Mutating", "mutate.orders.v1.shop.example.com", true)
	if out := build(); !strings.Contains(out, "  name: quota.validate.orders.v1.shop.example.com\n") {
		t.Errorf("a webhook without a policy is gone\n%s", out)
	}
}

// wantOne checks that the objects have either the webhook of a name or the policy with its binding.
func (p project) wantOne(name, objects, kind, webhook string, policy bool) {
	p.Helper()
	has := map[string]bool{}
	for document := range strings.SplitSeq("\n"+objects, "\n---\n") {
		for _, of := range []string{"WebhookConfiguration", "AdmissionPolicy", "AdmissionPolicyBinding"} {
			if strings.Contains(document+"\n", "\nkind: "+kind+of+"\n") || strings.HasPrefix(document, "kind: "+kind+of+"\n") {
				has[of] = has[of] || strings.Contains(document, "name: "+webhook+"\n") || strings.Contains(document, "name: my-"+webhook+"\n")
			}
		}
	}
	if has["WebhookConfiguration"] == policy || has["AdmissionPolicy"] != policy || has["AdmissionPolicyBinding"] != policy {
		p.Errorf("%s: %s is there as %v; a policy is wanted: %t\n%s", name, webhook, has, policy, objects)
	}
}
