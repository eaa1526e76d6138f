// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/yamltext"
)

const shop = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: shop
  annotations:
    cert-manager.io/inject-ca-from: shop/shop
webhooks:
- name: 'orders.shop.example.com' # the first
  rules:
  - operations: [CREATE, "UPDATE"]
    resources:
    - orders
  timeoutSeconds: 5
  clientConfig: {service: {name: größer, path: /orders}}
`

// TestPositions reads one configuration and checks the positions of its fields: the line, and the text there.
func TestPositions(t *testing.T) {
	for name, text := range map[string]string{
		"lines": shop, "line ends": strings.ReplaceAll(shop, "\n", "\r\n"), "byte order mark": "\ufeff" + shop,
		"second document": "# nothing\n---\n" + shop, "list": "kind: List\napiVersion: v1\nitems:\n- " + strings.ReplaceAll(shop, "\n", "\n  "),
	} {
		t.Run(name, func(t *testing.T) {
			contents, diags := Read([]load.Text{{Path: "shop.yaml", Content: []byte(text)}})
			if len(diags) > 0 || len(contents.Projects) != 1 {
				t.Fatalf("%d projects, %v", len(contents.Projects), diags)
			}
			c := contents.Projects[0].Configurations[0]
			w := c.Webhooks[0]
			for field, want := range map[string]string{
				"name": "'orders.shop.example.com'", "rules[0].operations[0]": "CREATE", "rules[0].operations[1]": `"UPDATE"`, "rules[0].operations": "operations",
				"rules[0].resources[0]": "orders", "rules[0].scope": "", "timeoutSeconds": "5", "clientConfig.service.name": "größer", "clientConfig.service.path": "/orders",
				"failurePolicy": "'orders.shop.example.com'",
			} {
				if got := at(text, w.Where(field)); got != want {
					t.Errorf("at %s stands %q, want %q", field, got, want)
				}
			}
			if got := at(text, c.Where("name")); got != "shop" {
				t.Errorf("the name stands at %q", got)
			}
		})
	}
}

// at is the text of a position.
func at(text string, r diag.Range) string {
	line := strings.Split(text, "\n")[r.Pos.Line-1]
	return line[r.Pos.Column-1 : r.End.Column-1]
}

// TestBeside reads the objects beside the configurations.
func TestBeside(t *testing.T) {
	server := `kind: Service
metadata: {name: shop, namespace: shop}
spec: {selector: {app: shop}}
---
kind: Deployment
metadata: {name: shop, namespace: shop}
spec: {template: {metadata: {labels: {app: shop, tier: web}}, spec: {serviceAccountName: shop}}}
---
kind: ClusterRoleBinding
roleRef: {kind: ClusterRole, name: shop}
subjects: [{kind: ServiceAccount, name: shop, namespace: shop}]
---
`
	readOnly := "kind: ClusterRole\nmetadata: {name: shop}\n"
	role := "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nrules:\n- {apiGroups: [%s], resources: [%s], verbs: [%s]}\n"
	for text, want := range map[string]string{
		"kind: Namespace\nmetadata: {name: shop, labels: {a: b}}": "shop a=b",
		server + readOnly: "serves",
		server:            "",
		fmt.Sprintf(role, "admissionregistration.k8s.io", "mutatingwebhookconfigurations", "get, patch"): "injects",
		fmt.Sprintf(role, "'*'", "'*'", "'*'"): "injects",
		fmt.Sprintf(role, "admissionregistration.k8s.io", "mutatingwebhookconfigurations", "get, list"):                   "",
		fmt.Sprintf(role, "apps", "'*'", "'*'"):                                                                           "",
		"kind: ClusterRole\naggregationRule: {clusterRoleSelectors: []}":                                                  "injects",
		"kind: ValidatingWebhookConfiguration\napiVersion: shop.example.com/v1":                                           "",
		"apiVersion: v1\nkind: List\nitems:\n- kind: DaemonSet\n- {kind: Namespace, metadata: {name: x}}\n- null\n- text": "x",
	} {
		contents, diags := Read([]load.Text{{Path: "x.yaml", Content: []byte(text)}})
		var got []string
		for _, name := range slices.Sorted(maps.Keys(contents.Namespaces)) {
			got = append(got, name)
			for key, value := range contents.Namespaces[name] {
				got = append(got, key+"="+value)
			}
		}
		if contents.Servers["shop/shop"] {
			got = append(got, "serves")
		}
		if contents.Injects {
			got = append(got, "injects")
		}
		if s := strings.Join(got, " "); s != want || len(diags) > 0 || len(contents.Projects) > 0 {
			t.Errorf("%q: %q, want %q; %v", text, s, want, diags)
		}
	}
}

// FuzzRead reads anything without a panic, and never invents a position.
func FuzzRead(f *testing.F) {
	head := "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingWebhookConfiguration\n"
	for _, seed := range []string{
		shop, head + "webhooks: null", head + "webhooks: text", head + "webhooks: [null, {}]", head + "x: &x\n  webhooks: [{name: a}]\n<<: *x", head + "webhooks: &x [*x]",
		"---\n---\n", head + "webhooks:\n- &a {name: a, rules: [{operations: [CREATE]}]}\n- *a", "{{ x }}: y", head + "metadata: []", head + "1: 2\n? [a]\n: b",
	} {
		f.Add(seed)
	}
	schema := "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {versions: [{name: v1, schema: {openAPIV3Schema: %s}}]}"
	for _, seed := range []string{
		"{properties: {spec: {default: {1: [a]}, items: {type: string}}}}", "&x {properties: {a: *x}}", "{properties: [a], items: [b], additionalProperties: true}", "null",
	} {
		f.Add(fmt.Sprintf(schema, seed))
	}
	f.Fuzz(func(t *testing.T, text string) {
		contents, diags := Read([]load.Text{{Path: "x.yaml", Content: []byte(text)}})
		lines := len(yamltext.Lines([]byte(text)))
		check := func(r diag.Range) {
			if r.Pos.File != "x.yaml" || r.Pos.Line > lines {
				t.Errorf("position %v in %d lines", r, lines)
			}
		}
		for _, d := range diags {
			check(d.Range)
		}
		for _, p := range contents.Projects {
			for _, w := range p.Webhooks() {
				check(w.Range)
				check(w.Where("rules[0].operations[0]"))
			}
		}
		for _, d := range contents.Definitions {
			for _, v := range d.Versions {
				if v.Schema == nil {
					continue
				}
				for _, field := range v.Schema.Properties() {
					check(field.Range)
				}
			}
		}
	})
}
