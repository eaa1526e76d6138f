// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPolicies has helm and kustomize build the policies of a project as clusters serve them: as v1, as v1beta1, and
// not at all, which is an error unless values allow it.
func TestPolicies(t *testing.T) {
	t.Parallel()
	p := delivered(t, "testdata/policies.txtar")
	p.run(p.webhookGen)

	const group = "admissionregistration.k8s.io/"
	none := group + "v1/ValidatingWebhookConfiguration" // as every API server serves
	leaveOut := map[string]any{"policies/required": false}
	for _, c := range []struct {
		name   string
		flags  []string
		values map[string]any
		// validating and mutating are the versions in the objects; empty where they are left out.
		validating, mutating, fails string
	}{
		{"helm template", nil, nil, "v1", "v1", ""},
		{"of 1.34", []string{"--kube-version=1.34.0"}, nil, "v1", "v1beta1", ""},
		{"of 1.33", []string{"--kube-version=1.33.0"}, nil, "", "", "the cluster serves no MutatingAdmissionPolicy"},
		{"of 1.33, not required", []string{"--kube-version=1.33.0"}, leaveOut, "v1", "", ""},
		{"served", []string{"--api-versions=" + none + "," + group + "v1/ValidatingAdmissionPolicy," + group + "v1/MutatingAdmissionPolicy"}, nil, "v1", "v1", ""},
		{"beta", []string{"--api-versions=" + none + "," + group + "v1/ValidatingAdmissionPolicy," + group + "v1beta1/MutatingAdmissionPolicy"}, nil, "v1", "v1beta1", ""},
		{"not served", []string{"--api-versions=" + none}, nil, "", "", "the cluster serves no MutatingAdmissionPolicy"},
		{"not served, not required", []string{"--api-versions=" + none}, leaveOut, "", "", ""},
	} {
		out, err := p.helmWith(p.with(map[string]any{}, c.values), append([]string{"template", "release"}, c.flags...)...)
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: wanted %q, got %v", c.name, c.fails, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for kind, version := range map[string]string{"ValidatingAdmissionPolicy": c.validating, "MutatingAdmissionPolicy": c.mutating} {
			p.wantVersion(c.name, out, kind, version)
			p.wantVersion(c.name, out, kind+"Binding", version)
		}
		if c.validating != "" && !strings.Contains(out, "message: not {{ .Release.Name }}") {
			t.Errorf("%s: the message of the validation is not as written\n%s", c.name, out)
		}
	}

	p.wantVersion("kustomize", p.run(p.kustomize, "build", "config/default"), "MutatingAdmissionPolicy", "v1")
	p.write("config/default/kustomization.yaml", p.read("config/default/kustomization.yaml")+"components: [../policies-v1beta1]\n")
	out := p.run(p.kustomize, "build", "config/default")
	for kind, version := range map[string]string{"ValidatingAdmissionPolicy": "v1", "MutatingAdmissionPolicy": "v1beta1", "MutatingAdmissionPolicyBinding": "v1beta1"} {
		p.wantVersion("the component", out, kind, version)
	}
}

// TestPoliciesAlone has helm and kustomize build a project of policies alone. It has no other objects, and nothing is
// left of an earlier server.
func TestPoliciesAlone(t *testing.T) {
	t.Parallel()
	p := delivered(t, "testdata/policies.txtar")
	p.run(p.webhookGen)
	// The user's files, of a server.
	for _, file := range []string{"charts/shop/Chart.yaml", "charts/shop/values.yaml", "config/default/kustomization.yaml"} {
		if err := os.Remove(filepath.Join(p.dir, file)); err != nil {
			t.Fatal(err)
		}
	}
	p.write("api/v1/order.go", strings.Replace(p.read("api/v1/order.go"), "// +webhook:validating(operations: \"create\")\n", "", 1))
	p.run(p.webhookGen)

	chart, err := p.helmWith(map[string]any{}, "template", "release")
	if err != nil {
		t.Fatal(err)
	}
	for name, objects := range map[string]string{"helm": chart, "kustomize": p.run(p.kustomize, "build", "config/default")} {
		var kinds []string
		for line := range strings.Lines(objects) {
			if kind, ok := strings.CutPrefix(line, "kind: "); ok {
				kinds = append(kinds, strings.TrimSpace(kind))
			}
		}
		slices.Sort(kinds)
		want := []string{"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"}
		if !slices.Equal(kinds, want) {
			t.Errorf("%s: the objects are %v", name, kinds)
		}
	}
}

// TestPoliciesEnforced installs examples/policies with its chart and with kustomize. The API server denies a cache with
// more replicas than the limit, and gives another cache a default. Uninstalled, there is nothing that was not there
// before.
func TestPoliciesEnforced(t *testing.T) {
	c := startCluster(t)
	p := project{T: t, tools: buildTools(t), dir: "../../examples/policies"}
	p.env = append(os.Environ(), c.env[len(c.env)-1])
	before := c.settled(t)
	for _, way := range []struct {
		name    string
		install func(p project)
		remove  func(p project)
	}{
		{"helm", func(p project) {
			p.run(p.helm, "install", "caches", "charts/caches", "--namespace", "default")
		}, func(p project) {
			c.must(p, "", "delete", "crd", "--selector", "app.kubernetes.io/instance=caches")
			p.run(p.helm, "uninstall", "caches", "--namespace", "default")
		}},
		{"kustomize", func(p project) {
			c.must(p, p.run(p.kustomize, "build", "config/default"), "apply", "--server-side")
		}, func(p project) {
			c.must(p, "", "delete", "--kustomize", "config/default")
		}},
	} {
		t.Run(way.name, func(t *testing.T) {
			p := p.in(t)
			way.install(p)
			c.must(p, "", "wait", "--for=condition=Established", "crd/caches.caches.example.com", "crd/limits.caches.example.com", "--timeout=30s")
			c.must(p, "apiVersion: caches.example.com/v1\nkind: Limits\nmetadata: {name: caches}\nspec: {replicas: 3}\n", "create")
			cache := func(spec string) string {
				return "apiVersion: caches.example.com/v1\nkind: Cache\nmetadata: {name: first, namespace: default}\nspec: {tier: small, size: 1Gi" + spec + "}\n"
			}
			eventually(t, func() error { // the API server reads policies and parameters a moment later
				_, err := c.kubectl(p, cache(", replicas: 4"), "create", "--dry-run=server")
				if err == nil || !strings.Contains(err.Error(), "spec.replicas: at most 3, not 4") {
					return fmt.Errorf("too many replicas: %w", err)
				}
				return nil
			})
			eventually(t, func() error {
				got, err := c.kubectl(p, cache(""), "create", "--dry-run=server", "--output", "jsonpath={.spec.replicas}")
				if err != nil || got != "1" {
					return fmt.Errorf("by default there are %q replicas: %w", got, err)
				}
				return nil
			})
			c.must(p, cache(", replicas: 3"), "create")
			way.remove(p)
			c.same(t, before)
		})
	}
}

// wantVersion checks the version of the only object of a kind of admissionregistration.k8s.io; empty for no object.
func (p project) wantVersion(name, objects, kind, want string) {
	p.Helper()
	var got []string
	for document := range strings.SplitSeq(objects, "\n---\n") {
		lines := strings.Split(document, "\n")
		if !slices.Contains(lines, "kind: "+kind) {
			continue
		}
		for _, line := range lines {
			if version, ok := strings.CutPrefix(line, "apiVersion: admissionregistration.k8s.io/"); ok {
				got = append(got, version)
			}
		}
	}
	if strings.Join(got, " ") != want {
		p.Errorf("%s: the versions of %s are %v, not %q", name, kind, got, want)
	}
}
