// SPDX-License-Identifier: Apache-2.0

package generator

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/webhook-gen/webhook-gen/generator/internal/inspect"
	"github.com/webhook-gen/webhook-gen/generator/internal/upgrade"
)

// upgradeScenarios are txtar files. Each shows one rule and begins with the rule's id. Its files are states of a
// project: "old", "new" and "passing". "passing" is as similar to "new" as possible and does not break the rule. Files
// below "all" are in each state. "want new" and "want passing" are the reports on the steps from "old" to these states.
const upgradeScenarios = "testdata/upgrade/*.txtar"

var upgradeScenarioName = regexp.MustCompile(`^g(\d+)_\w+\.txtar$`)

func TestUpgrade(t *testing.T) {
	files, err := filepath.Glob(upgradeScenarios)
	if err != nil || len(files) == 0 {
		t.Fatal("no scenarios", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			var input, want []txtar.File
			for _, f := range archive.Files {
				if strings.HasPrefix(f.Name, "want ") {
					want = append(want, f)
					continue
				}
				input = append(input, f)
				state, name, _ := strings.Cut(f.Name, "/")
				for _, s := range []string{"old", "new", "passing"} {
					if state == s || state == "all" {
						writeFile(t, filepath.Join(dir, s, name), string(f.Data))
					}
				}
			}
			var got []txtar.File
			for _, state := range []string{"new", "passing"} {
				got = append(got, txtar.File{Name: "want " + state, Data: upgradeReport(t, dir, "old", state)})
			}
			if *update {
				archive.Files = append(input, got...)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(show(want), show(got)); diff != "" {
				t.Errorf("(-want +got; go test ./generator -update rewrites)\n%s", diff)
			}
		})
	}
}

func upgradeReport(t *testing.T, dir, from, to string) []byte {
	t.Helper()
	var states []*inspect.State
	for _, word := range []string{from, to} {
		s, err := inspect.OpenState(t.Context(), dir, word, nil)
		if err != nil {
			t.Fatal(err)
		}
		states = append(states, s)
	}
	var text bytes.Buffer
	if err := inspect.Upgrade(states[0], states[1]).Print(&text, "text", dir); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// TestEveryUpgradeRuleHasScenarios checks the scenarios against the table. The scenarios named after a rule break it,
// but not in their passing state. Each severity of the rule occurs.
func TestEveryUpgradeRuleHasScenarios(t *testing.T) {
	files, err := filepath.Glob(upgradeScenarios)
	if err != nil {
		t.Fatal(err)
	}
	broken := map[string]string{}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		name := upgradeScenarioName.FindStringSubmatch(filepath.Base(file))
		if err != nil || name == nil {
			t.Fatalf("%s is no scenario of a rule: %v", file, err)
		}
		n, _ := strconv.Atoi(name[1])
		id := "G" + strconv.Itoa(n)
		for _, f := range archive.Files {
			switch {
			case f.Name == "want new":
				broken[id] += string(f.Data)
			case f.Name == "want passing" && strings.Contains(string(f.Data), "["+id+"]"):
				t.Errorf("%s: the passing state breaks %s", file, id)
			}
		}
	}
	for _, r := range upgrade.Rules() {
		for _, severity := range r.Severities {
			found := false
			for line := range strings.Lines(broken[r.ID]) {
				found = found || strings.Contains(line, ": "+severity.String()+": ") && strings.HasSuffix(line, "["+r.ID+"]\n")
			}
			if !found {
				t.Errorf("no scenario breaks %s as %s: %s", r.ID, severity, r.Title)
			}
		}
	}
}

// TestUpgradeOfACluster compares the output of kubectl get with the manifest to apply. In the cluster, the storage
// versions of the objects are known.
func TestUpgradeOfACluster(t *testing.T) {
	dir := t.TempDir()
	const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: orders.shop.example.com}
spec:
  group: shop.example.com
  names: {plural: orders, kind: Order}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true}
`
	writeFile(t, filepath.Join(dir, "rendered.yaml"), definition)
	list := `{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": {"name": "orders.shop.example.com"},
  "spec": {"group": "shop.example.com", "names": {"plural": "orders", "kind": "Order"}, "scope": "Namespaced",
    "versions": [{"name": "v1", "served": true, "storage": true}, {"name": "v1beta1", "served": true, "storage": false}]},
  "status": {"storedVersions": ["v1beta1", "v1"]}}]}`
	old, err := inspect.OpenState(t.Context(), dir, "-", strings.NewReader(list))
	if err != nil {
		t.Fatal(err)
	}
	now, err := inspect.OpenState(t.Context(), dir, "rendered.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := inspect.Upgrade(old, now).Print(&text, "text", dir); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<stdin>:4:76: breaking: version v1beta1 of orders.shop.example.com is gone [G17]\n", "status.storedVersions is v1beta1, v1: the API server refuses a definition without it."} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("got\n%s\nwhich lacks %s", text.String(), want)
		}
	}
}
