// SPDX-License-Identifier: Apache-2.0

package mutation

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// policyFault is a fault in a marker of examples/policies, with a part of the failure that it has to cause.
type policyFault struct{ name, file, old, new, want string }

func policyFaults() []policyFault {
	const cache, images = "api/v1/cache_types.go", "images/images.go"
	const replicas = `"Object{spec: Object.spec{replicas: 1}}"`
	const kept = `"oldObject == null || object.spec.tier == oldObject.spec.tier"`
	return []policyFault{
		{"a field that may be missing is read", cache, "!has(object.spec.peers) || ", "",
			"resulted in error: no such key: peers"},
		{"a match condition fails", cache, `"oldObject == null || !has(oldObject.metadata.deletionTimestamp)"`, `"oldObject.metadata.name != ''"`,
			"no such key: metadata"},
		{"a field of a built-in kind that may be missing is read", images, `c.?image.orValue("")`, `c.envFrom[2].prefix`,
			"index out of bounds: 2"},
		{"a mutation makes a valid object invalid", cache, replicas, `"Object{spec: Object.spec{replicas: 1, tier: 'huge'}}"`,
			"mutate.caches.v1.caches.example.com makes a valid object invalid: spec.tier"},
		{"a number that may be zero is a divisor", cache, kept, `"!has(object.spec.replicas) || 100 / object.spec.replicas < 101"`,
			"division by zero"},
		{"a text of the object is a regular expression", cache, kept, `"!'x'.matches(object.spec.?peers[?0].?zone.orValue('a'))"`,
			"error parsing regexp"},
		{"a mutation makes labels invalid", cache, replicas,
			`"Object{spec: Object.spec{replicas: 1}, metadata: Object.metadata{labels: {'size': object.spec.?peers[?0].?address.orValue('none')}}}"`,
			"mutate.caches.v1.caches.example.com makes a valid object invalid: metadata.labels"},
		{"a mutation changes the name", cache, replicas, `"Object{spec: Object.spec{replicas: 1}, metadata: Object.metadata{name: 'cache-' + object.metadata.name}}"`,
			"mutate.caches.v1.caches.example.com makes a valid object invalid: metadata.name"},
		{"a mutation counts", cache, `"!has(object.spec.replicas)"` + "\n// +webhook:policy:mutation(type: applyConfiguration)=" + replicas,
			`"true"` + "\n// +webhook:policy:mutation(type: applyConfiguration)=" + `"Object{spec: Object.spec{replicas: object.spec.?replicas.orValue(0) + 1}}"`,
			"mutate.caches.v1.caches.example.com changes an object that the policies have changed already"},
		{"a message has the order of a map", cache, `"'spec.replicas: at most ' + string(params.spec.replicas) + ', not ' + string(variables.replicas)"`,
			`"object.metadata.?labels.orValue({}).map(k, k).join(',') + '.'"`,
			"validate.caches.v1.caches.example.com gives another answer to the same request"},
	}
}

// TestGeneratedTestsFindFaultsOfPolicies seeds each fault into a copy of examples/policies. Its generated tests have to
// fail with the fault's message, and to pass without a fault.
func TestGeneratedTestsFindFaultsOfPolicies(t *testing.T) {
	skipIfShort(t)
	program := build(t)
	runtime, err := filepath.Abs(runtimeDir)
	if err != nil {
		t.Fatal(err)
	}
	run := func(t *testing.T, f policyFault) string {
		t.Helper()
		root := t.TempDir()
		if err := os.CopyFS(root, os.DirFS("../../examples/policies")); err != nil {
			t.Fatal(err)
		}
		command(t, root, "go", "mod", "edit", "-replace=github.com/webhook-gen/webhook-gen/runtime="+runtime)
		if f.file != "" {
			file := filepath.Join(root, filepath.FromSlash(f.file))
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), f.old) {
				t.Fatalf("%s does not have %s", f.file, f.old)
			}
			if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(text), f.old, f.new)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c := exec.Command("go", "test", "-count=1", "-v", "-run", "TestGeneratedPolicies", "./...")
		c.Dir, c.Env = root, append(os.Environ(), "WEBHOOK_GEN="+program)
		out, err := c.CombinedOutput()
		if (err != nil) != (f.file != "") || strings.Contains(string(out), "--- SKIP") {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	run(t, policyFault{})
	for _, f := range policyFaults() {
		t.Run(f.name, func(t *testing.T) {
			if out := run(t, f); !strings.Contains(out, f.want) {
				t.Errorf("no %q in\n%s", f.want, out)
			} else {
				t.Log(out)
			}
		})
	}
}

// command runs a command that has to succeed.
func command(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}
