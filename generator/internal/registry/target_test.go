// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// TestBuiltinGroups compares the table with the GroupName of each package in k8s.io/api.
func TestBuiltinGroups(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/api").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "*", "*", "register.go"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d packages: %v", len(files), err)
	}
	groupName := regexp.MustCompile(`GroupName\s*=\s*"([^"]*)"`)
	table := model.BuiltinGroups()
	found := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Base(filepath.Dir(filepath.Dir(file)))
		match := groupName.FindSubmatch(text)
		if match == nil || folder == "admission" || folder == "apidiscovery" { // reviews and discovery are not stored
			continue
		}
		found[folder] = true
		if group, ok := table[folder]; !ok || group != string(match[1]) {
			t.Errorf("k8s.io/api/%s is group %q, the table says %q", folder, match[1], group)
		}
	}
	for folder := range table {
		if !found[folder] {
			t.Errorf("k8s.io/api has no folder %s", folder)
		}
	}
}

func TestParseTarget(t *testing.T) {
	for text, want := range map[string]Target{
		"k8s.io/api/core/v1.Pod":            {ImportPath: "k8s.io/api/core/v1", Type: "Pod"},
		"v1/Pod":                            {Version: "v1", Kind: "Pod"},
		"core/v1/Pod":                       {Version: "v1", Kind: "Pod"},
		"apps/v1/Deployment":                {Group: "apps", Version: "v1", Kind: "Deployment"},
		"cert-manager.io/v1alpha2/Issuer":   {Group: "cert-manager.io", Version: "v1alpha2", Kind: "Issuer"},
		"example.com/go.mod.d/api/v1.Thing": {ImportPath: "example.com/go.mod.d/api/v1", Type: "Thing"},
		"pods":                              {},
		"v1/pod":                            {},
		"a/b/c/d":                           {},
		"apps/one/Deployment":               {},
		"k8s.io/api/core/v1.pod":            {},
		"":                                  {},
	} {
		got, err := parseTarget(text)
		if got != want || (err != nil) != (want == Target{}) {
			t.Errorf("%q gives %+v, %v", text, got, err)
		}
	}
}
