// SPDX-License-Identifier: Apache-2.0

package generator

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/webhook-gen/webhook-gen/generator/internal/registry"
)

// TestIntegrationPage checks integration/README.md against the registry and the tests that it names. The page must list
// every argument once, with a test or with the reason for having no test. It must name every test of the suite.
func TestIntegrationPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "integration", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	wanted := arguments()
	seen := map[string]bool{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, " | ")
		if len(cells) < 2 {
			continue
		}
		for _, argument := range backticked(cells[0]) {
			if !wanted[argument] {
				t.Errorf("integration/README.md has %s, which the registry does not have", argument)
			}
			if seen[argument] {
				t.Errorf("integration/README.md has %s twice", argument)
			}
			seen[argument] = true
			if len(cells) == 3 && !strings.Contains(cells[2], "`Test") {
				t.Errorf("integration/README.md names no test of %s", argument)
			}
		}
	}
	for argument := range wanted {
		if !seen[argument] {
			t.Errorf("integration/README.md does not have %s: show on an API server what it does (integration), or say why it does nothing there", argument)
		}
	}

	named := map[string]bool{}
	for _, text := range backticked(string(page)) {
		if strings.HasPrefix(text, "Test") {
			named[text] = true
		}
	}
	tests := suite(t)
	for name := range named {
		if !tests[name] {
			t.Errorf("integration/README.md names %s, which integration does not have", name)
		}
	}
	for name := range tests {
		if !named[name] {
			t.Errorf("integration/README.md does not name %s", name)
		}
	}
}

// arguments returns the arguments of all markers, in the notation of the page: "rule(scope)", and "patch(=)" for a
// value. Conversions are up to the generator, so each conversion marker counts as a whole.
func arguments() map[string]bool {
	all := map[string]bool{}
	for _, marker := range registry.MarkerDocs() {
		name := strings.TrimPrefix(marker.Name, "webhook:")
		if strings.HasPrefix(name, "conversion:") {
			all[name] = true
			continue
		}
		for _, argument := range marker.Arguments {
			all[name+"("+argument.Name+")"] = true
		}
		if marker.Value != nil {
			all[name+"(=)"] = true
		}
	}
	return all
}

// backticked returns the texts between backticks.
func backticked(text string) []string {
	var all []string
	for _, match := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(text, -1) {
		all = append(all, match[1])
	}
	return all
}

// suite returns the names of the tests in integration.
func suite(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, pattern := range []string{"*_test.go", "*/*_test.go"} {
		files, err := filepath.Glob(filepath.Join("..", "integration", pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("no tests in integration: %v", err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, match := range regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`).FindAllStringSubmatch(string(text), -1) {
				all[match[1]] = true
			}
		}
	}
	return all
}
