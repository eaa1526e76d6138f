// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// refusals are the reasons why API servers refuse policies of modules, by a part of the path of their files: the words
// of import, and those of kube-apiserver 1.37.2. integration/explain has the server refuse a policy of each form.
func refusals() []refusal {
	const noField, noSpec = "unknown field", "the policy has no match constraints"
	return []refusal{
		// Files of tests that compare them with a cluster's objects: not policies, but patterns of them.
		{"/with-multiple-exceptions/", noField, `strict decoding error: unknown field "spec.(matchConditions[?name == 'check-name'])"`},
		{"/skip-generate/", noSpec, "spec.matchConstraints: Required value"},
		{"/generation-config/", noSpec, "spec.matchConstraints: Required value"},
		{"/autogen-enabled/", noSpec, "spec.matchConstraints: Required value"},
		// Policies for kyverno's command, which runs them without a cluster.
		{"/test-validating-admission-policy/match-namespaces/", "a rule needs an operation", "spec.matchConstraints.resourceRules[0].operations: Required value"},
		{"/test-validating-admission-policy/with-params/", "the binding has no validation action", "spec.validationActions: Required value"},
	}
}

type refusal struct{ path, ours, servers string }

// TestPoliciesOfModules imports and generates every policy in YAML files of modules. What is refused is what an API
// server refuses, too.
func TestPoliciesOfModules(t *testing.T) {
	webhookGen := filepath.Join(t.TempDir(), "webhook-gen")
	run(t, root, "go", "build", "-o", webhookGen, "./cmd/webhook-gen")
	policy := regexp.MustCompile(`(?m)^kind: (Validating|Mutating)AdmissionPolicy$`)
	validating, mutating, used := 0, 0, map[refusal]int{}
	for _, m := range []project{
		{module: "github.com/kyverno/kyverno", version: "v1.19.1"}, {module: "sigs.k8s.io/kueue", version: "v0.19.2"},
		{module: "istio.io/istio", version: "v0.0.0-20260827124520-eed52ebb66ad"}, {module: "sigs.k8s.io/gateway-api", version: "v1.6.0"},
	} {
		dir := download(t, m)
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".yaml") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			found := policy.FindAll(text, -1)
			if len(found) == 0 || bytes.Contains(text, []byte("{{")) { // TestPolicies renders the templates
				return nil
			}
			for _, f := range found {
				if bytes.Contains(f, []byte("Mutating")) {
					mutating++
				} else {
					validating++
				}
			}
			t.Run(filepath.Base(m.module)+strings.TrimPrefix(path, dir), func(t *testing.T) {
				refused, want, got := reproduced(t, webhookGen, text)
				for _, r := range refusals() {
					if strings.Contains(path, r.path) && strings.Contains(refused, r.ours) {
						used[r]++
						return
					}
				}
				if refused != "" {
					t.Fatalf("refused:\n%s", refused)
				}
				compareSpecs(t, want, got)
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range refusals() {
		if used[r] == 0 {
			t.Errorf("nothing is refused as in %s", r.path)
		}
	}
	t.Logf("%d ValidatingAdmissionPolicies and %d MutatingAdmissionPolicies; refused: %v", validating, mutating, used)
	if validating < 71 || mutating < 46 {
		t.Error("these are less than 71 and 46")
	}
}
