// SPDX-License-Identifier: Apache-2.0

package model

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/gengo/v2/namer"
	"k8s.io/gengo/v2/types"
)

// TestBuiltinResources compares the table of Kubernetes' resources with client-gen's markers in k8s.io/api, in the
// version in go.mod.
func TestBuiltinResources(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/api").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "*", "v*", "types.go"))
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	groupName := regexp.MustCompile(`(?m)^const GroupName = "(.*)"$`)
	declaration := regexp.MustCompile(`(?m)((?:^//.*\n|^\n)+)type (\w+) struct`)
	client := regexp.MustCompile(`(?m)^// ?\+genclient *$`)
	plurals := namer.NewAllLowercasePluralNamer(map[string]string{"Endpoints": "endpoints"})
	want := []BuiltinResource{{"", "bindings", "Binding", true}} // it has no client
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		register, err := os.ReadFile(filepath.Join(filepath.Dir(file), "register.go"))
		if err != nil {
			t.Fatal(err)
		}
		group := groupName.FindSubmatch(register)
		if group == nil || string(group[1]) == "imagepolicy.k8s.io" { // webhooks serve it, not API servers
			continue
		}
		for _, d := range declaration.FindAllStringSubmatch(string(source), -1) {
			if !client.MatchString(d[1]) {
				continue
			}
			r := BuiltinResource{string(group[1]), plurals.Name(&types.Type{Name: types.Name{Name: d[2]}}), d[2], !strings.Contains(d[1], "+genclient:nonNamespaced")}
			if !slices.Contains(want, r) {
				want = append(want, r)
			}
		}
	}
	got := BuiltinResources()
	for _, r := range want {
		if !slices.Contains(got, r) {
			t.Errorf("the table has no %v", r)
		}
	}
	for _, r := range got {
		if !slices.Contains(want, r) {
			t.Errorf("Kubernetes has no %v", r)
		}
	}
}
