// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	strict "sigs.k8s.io/yaml"
)

// shipped are admission policies of projects and of Kubernetes' own tests.
type shipped struct {
	module, version string
	// file is below the module's folder. With a chart, helm renders it with the values.
	file, chart string
	values      []string
	// byProject is true for a policy that a project ships, not a test.
	byProject bool
}

func policies() []shipped {
	const (
		gateway, kyverno = "sigs.k8s.io/gateway-api", "github.com/kyverno/kyverno"
		istio, istioAt   = "istio.io/istio", "v0.0.0-20260827124520-eed52ebb66ad"
		cli              = "test/cli/test-"
	)
	return []shipped{
		// Projects ship these.
		{module: gateway, version: "v1.6.0", file: "config/crd/standard/gateway.networking.k8s.io_vap_safeupgrades.yaml", byProject: true},
		{module: gateway, version: "v1.6.0", file: "config/crd/experimental/gateway.networking.k8s.io_vap_safeupgrades.yaml", byProject: true},
		{module: istio, version: istioAt, chart: "manifests/charts/base", file: "templates/defaultrevision-validatingadmissionpolicy.yaml",
			values: []string{"experimental.stableValidationPolicy=true", "defaultRevision=default"}, byProject: true},
		{module: istio, version: istioAt, chart: "manifests/charts/istio-control/istio-discovery", file: "templates/validatingadmissionpolicy.yaml",
			values: []string{"experimental.stableValidationPolicy=true"}, byProject: true},
		{module: "github.com/cilium/cilium", version: "v1.20.2", chart: "install/kubernetes/cilium", file: "templates/cilium-gateway-api-validating-admission-policy.yaml",
			values: []string{"gatewayAPI.enabled=true", "gatewayAPI.gatewayClass.create=true", "kubeProxyReplacement=true"}, byProject: true},
		// Kubernetes' own tests and examples.
		{module: "k8s.io/kubernetes", version: "v1.37.2", file: "test/e2e/auth/e2edata/per_node_validatingadmissionpolicy.yaml"},
		{module: "k8s.io/kubernetes", version: "v1.37.2", file: "test/e2e/dra/test-driver/deploy/example/plugin-permissions.yaml"},
		// These are forms: mutations, parameters, bindings, conditions.
		{module: kyverno, version: "v1.19.1", file: cli + "mutating-admission-policy/with-json-patch/policy.yaml"},
		{module: kyverno, version: "v1.19.1", file: cli + "mutating-admission-policy/with-apply-configuration/policy.yaml"},
		{module: kyverno, version: "v1.19.1", file: cli + "mutating-admission-policy/with-match-conditions/policy.yaml"},
		{module: kyverno, version: "v1.19.1", file: cli + "mutating-admission-policy/with-binding-match-resources/policy.yaml"},
		{module: kyverno, version: "v1.19.1", file: cli + "mutating-admission-policy/specify-namespace-selector/policy.yaml"},
		{module: kyverno, version: "v1.19.1", file: cli + "validating-admission-policy/check-user-info/policy.yaml"},
		{module: kyverno, version: "v1.19.1", file: cli + "validating-admission-policy/with-namespaceObject-1/policy.yaml"},
		{module: kyverno, version: "v1.19.1", file: cli + "validating-admission-policy/with-bindings-3/policy.yaml"},
	}
}

// TestPolicies writes the policies as markers, and generates them again: the specifications are equal after an API
// server's defaults.
func TestPolicies(t *testing.T) {
	binaries := t.TempDir()
	at := func(name string) string { return filepath.Join(binaries, name) }
	run(t, root, "go", "build", "-o", at("webhook-gen"), "./cmd/webhook-gen")
	run(t, ".", "go", "build", "-o", at("helm"), "helm.sh/helm/v4/cmd/helm")
	all, byProjects := map[string]bool{}, map[string]bool{}
	for _, p := range policies() {
		t.Run(filepath.Base(p.module)+"/"+p.chart+p.file, func(t *testing.T) {
			dir := download(t, project{module: p.module, version: p.version})
			text := func() []byte {
				if p.chart == "" {
					return read(t, dir, []string{p.file})
				}
				args := []string{"template", "release", p.chart, "--show-only", p.file}
				for _, v := range p.values {
					args = append(args, "--set", v)
				}
				return run(t, dir, at("helm"), args...)
			}()
			refusal, want, got := reproduced(t, at("webhook-gen"), text)
			if refusal != "" {
				t.Fatal(refusal)
			}
			if len(want) == 0 {
				t.Error("there is no policy")
			}
			compareSpecs(t, want, got)
			for name, spec := range want {
				if isBinding(name) {
					continue
				}
				all[spec] = true
				if p.byProject {
					byProjects[spec] = true
				}
			}
		})
	}
	t.Logf("%d different policies, %d of them shipped by projects", len(all), len(byProjects))
	if !t.Failed() && (len(all) < 10 || len(byProjects) < 5) {
		t.Error("these are fewer than 10, or projects ship fewer than 5")
	}
}

func isBinding(name string) bool { return strings.Contains(name, "Binding ") }

// compareSpecs compares the policies that markers make with the imported ones.
func compareSpecs(t *testing.T, want, got map[string]string) {
	t.Helper()
	bound := slices.ContainsFunc(slices.Collect(maps.Keys(want)), isBinding)
	for name := range got {
		// A policy without a binding in its file gets one for everything.
		if want[name] == "" && (bound || !isBinding(name)) {
			t.Errorf("%s is not in the file", name)
		}
	}
	for name, spec := range want {
		if got[name] != spec {
			t.Errorf("%s is\n%s\nwant\n%s", name, got[name], spec)
		}
	}
}

// reproduced imports policies into a new module and generates them. It returns the specifications of the imported and
// of the generated ones, or what import or generate refuses.
func reproduced(t *testing.T, webhookGen string, text []byte) (refusal string, want, got map[string]string) {
	t.Helper()
	module := t.TempDir()
	for name, content := range map[string]string{"go.mod": "module example.com/imported\n\ngo 1.26\n", "from.yaml": string(text)} {
		if err := os.WriteFile(filepath.Join(module, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"import", "--skip-tidy", "--policies", "from.yaml", "./policies"}, nil} {
		c := exec.Command(webhookGen, args...)
		c.Dir = module
		if out, err := c.CombinedOutput(); err != nil {
			return string(out), nil, nil
		}
		if args == nil {
			break
		}
		written, err := os.ReadFile(filepath.Join(module, "policies/policies.go"))
		if err != nil {
			t.Fatal(err)
		}
		run(t, module, "gofmt", "-w", "policies/policies.go")
		if formatted, err := os.ReadFile(filepath.Join(module, "policies/policies.go")); err != nil || !bytes.Equal(formatted, written) {
			t.Errorf("gofmt changes the markers: %v\n%s", err, written)
		}
	}
	generated, err := os.ReadFile(filepath.Join(module, "config/webhook/policies.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return "", specs(t, text), specs(t, generated)
}

// specs are the specifications of policies and bindings by kind and name, as JSON, after the defaults of
// k8s.io/kubernetes/pkg/apis/admissionregistration/v1.
func specs(t *testing.T, text []byte) map[string]string {
	t.Helper()
	all := map[string]string{}
	for documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text))); ; {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		var known metav1.PartialObjectMetadata
		if err := strict.Unmarshal(document, &known); err != nil {
			t.Fatal(err)
		}
		var spec any
		switch known.Kind {
		case "ValidatingAdmissionPolicy":
			var o v1.ValidatingAdmissionPolicy
			spec = decoded(t, document, &o, func() any { defaults(&o.Spec.FailurePolicy, &o.Spec.MatchConstraints); return o.Spec })
		case "MutatingAdmissionPolicy":
			var o v1.MutatingAdmissionPolicy
			spec = decoded(t, document, &o, func() any { defaults(&o.Spec.FailurePolicy, &o.Spec.MatchConstraints); return o.Spec })
		case "ValidatingAdmissionPolicyBinding":
			var o v1.ValidatingAdmissionPolicyBinding
			spec = decoded(t, document, &o, func() any { defaults(nil, &o.Spec.MatchResources); return o.Spec })
		case "MutatingAdmissionPolicyBinding":
			var o v1.MutatingAdmissionPolicyBinding
			spec = decoded(t, document, &o, func() any {
				defaults(nil, &o.Spec.MatchResources)
				if ref := o.Spec.ParamRef; ref != nil && ref.ParameterNotFoundAction == nil && strings.HasSuffix(known.APIVersion, "/v1alpha1") {
					ref.ParameterNotFoundAction = new(v1.DenyAction)
				}
				return o.Spec
			})
		default:
			continue
		}
		text, err := json.MarshalIndent(spec, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		all[fmt.Sprint(known.Kind, " ", known.Name)] = string(text)
	}
}

func decoded(t *testing.T, document []byte, into any, spec func() any) any {
	t.Helper()
	if err := strict.UnmarshalStrict(document, into); err != nil {
		t.Fatal(err)
	}
	return spec()
}

func defaults(failure **v1.FailurePolicyType, match **v1.MatchResources) {
	if failure != nil && *failure == nil {
		*failure = new(v1.Fail)
	}
	m := *match
	if m == nil {
		return
	}
	if m.MatchPolicy == nil {
		m.MatchPolicy = new(v1.Equivalent)
	}
	for _, s := range []**metav1.LabelSelector{&m.NamespaceSelector, &m.ObjectSelector} {
		if *s == nil {
			*s = &metav1.LabelSelector{}
		}
		for i := range (*s).MatchExpressions {
			slices.Sort((*s).MatchExpressions[i].Values)
		}
	}
	for _, rules := range [][]v1.NamedRuleWithOperations{m.ResourceRules, m.ExcludeResourceRules} {
		for i := range rules {
			if rules[i].Scope == nil {
				rules[i].Scope = new(v1.AllScopes)
			}
		}
	}
}
