// SPDX-License-Identifier: Apache-2.0

package templates

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
)

// TestPins checks that new projects use exact tags of actions and images. Dependabot has to look after each kind of
// them.
func TestPins(t *testing.T) {
	read := func(name string) string {
		t.Helper()
		text, err := fs.ReadFile(Project, "project/module/"+name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	exact := regexp.MustCompile(`[@:]v?\d+\.\d+\.\d+$`)
	pinned := 0
	for file, keyword := range map[string]string{"dot_github/workflows/ci.yaml.tmpl": "uses: ", "Dockerfile.tmpl": "FROM "} {
		for line := range strings.Lines(read(file)) {
			_, rest, ok := strings.Cut(line, keyword)
			if !ok || strings.HasPrefix(strings.TrimSpace(line), "#") {
				continue
			}
			name, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
			if pinned++; name != "scratch" && !exact.MatchString(name) {
				t.Errorf("%s: %s has no exact version", file, name)
			}
		}
	}
	if pinned != 8 {
		t.Errorf("%d actions and images", pinned)
	}
	bot := read("dot_github/dependabot.yml.tmpl")
	for _, ecosystem := range []string{"gomod", "github-actions", "docker"} {
		if !strings.Contains(bot, "- package-ecosystem: "+ecosystem+"\n") {
			t.Errorf("nothing updates %s", ecosystem)
		}
	}
}
