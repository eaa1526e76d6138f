// SPDX-License-Identifier: Apache-2.0

package floor

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"testing"
)

// TestSkew compiles generated code with a runtime that is too old and with one that is too new for it. The compiler's
// message names the remedy.
func TestSkew(t *testing.T) {
	name, err := filepath.Abs(filepath.Join(repository, "runtime", "version", "version.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ constant, value, message string }{
		{"Max", "0", "UpdateRuntimeInGoMod"},
		{"Min", "1000", "RunWebhookGenAgain"},
	} {
		pattern := regexp.MustCompile(`(?m)^\t` + c.constant + ` += \d+$`)
		text := readFile(t, name)
		if !pattern.Match(text) {
			t.Fatalf("%s has no constant %s", name, c.constant)
		}
		dir := t.TempDir()
		changed, overlay := filepath.Join(dir, "version.go"), filepath.Join(dir, "overlay.json")
		writeFile(t, changed, pattern.ReplaceAll(text, []byte("\t"+c.constant+" = "+c.value)))
		writeFile(t, overlay, fmt.Appendf(nil, `{"Replace":{%q:%q}}`, name, changed))
		for _, example := range []string{"orders", "cronjob"} {
			t.Run(c.constant+"/"+example, func(t *testing.T) {
				out, err := command(filepath.Join(repository, "examples", example), "go", "build", "-overlay", overlay, "./internal/webhook/...").CombinedOutput()
				if err == nil || !bytes.Contains(out, []byte("version."+c.message)) || !bytes.Contains(out, []byte("zz_generated.")) {
					t.Errorf("the compiler does not say %s: %v\n%s", c.message, err, out)
				}
				t.Logf("%s", out)
			})
		}
	}
}
