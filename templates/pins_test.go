// SPDX-License-Identifier: Apache-2.0

package templates

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
)

// TestPins checks that new projects use actions by digest, and images by exact tag. Dependabot has to look after each
// kind of them.
func TestPins(t *testing.T) {
	read := func(name string) string {
		t.Helper()
		text, err := fs.ReadFile(Project, "project/module/"+name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	pinned := 0
	for _, kind := range []struct{ file, keyword, pin string }{
		{"dot_github/workflows/ci.yaml.tmpl", "uses: ", `^[a-z/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`},
		{"Dockerfile.tmpl", "FROM ", `^(scratch|\S+:v?\d+\.\d+\.\d+)( |$)`},
	} {
		pin := regexp.MustCompile(kind.pin)
		for line := range strings.Lines(read(kind.file)) {
			_, name, ok := strings.Cut(strings.TrimSpace(line), kind.keyword)
			if !ok || strings.HasPrefix(strings.TrimSpace(line), "#") {
				continue
			}
			if pinned++; !pin.MatchString(name) {
				t.Errorf("%s: %q has no exact pin", kind.file, name)
			}
		}
	}
	if pinned == 0 {
		t.Error("no actions and no images")
	}
	bot := read("dot_github/dependabot.yml.tmpl")
	for _, ecosystem := range []string{"gomod", "github-actions", "docker"} {
		if !strings.Contains(bot, "- package-ecosystem: "+ecosystem+"\n") {
			t.Errorf("nothing updates %s", ecosystem)
		}
	}
}
