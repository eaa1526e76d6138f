// SPDX-License-Identifier: Apache-2.0

//go:build unix

package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestImportBrokenLink imports a marker where webhook-gen.yaml is a link to nothing. Import writes nothing through it.
func TestImportBrokenLink(t *testing.T) {
	const marker = "// +kubebuilder:webhook:path=/validate,mutating=false,failurePolicy=fail,sideEffects=None,groups=apps," +
		"resources=deployments,verbs=create,versions=v1,name=d.example.com,admissionReviewVersions=v1\n\npackage app\n"
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/app\n\ngo 1.26\n", "app.go": marker} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("gone", filepath.Join(dir, "webhook-gen.yaml")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	var out bytes.Buffer
	code := run(t.Context(), []string{"import", "--skip-tidy"}, streams{out: &out, err: &out, goCommand: recorded})
	if code == 0 || !strings.Contains(out.String(), "webhook-gen.yaml") {
		t.Errorf("exit code %d\n%s", code, &out)
	}
	if _, err := os.Lstat("gone"); err == nil {
		t.Error("import has written through the link")
	}
}
