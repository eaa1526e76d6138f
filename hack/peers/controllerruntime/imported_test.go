// SPDX-License-Identifier: Apache-2.0

package controllerruntime

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestImported imports a project with controller-runtime's webhooks: one package in kubebuilder's layout, and one of
// older projects, whose types have the methods. The manifest stays the same, and the generated handlers answer as
// controller-runtime does. A second import changes nothing.
func TestImported(t *testing.T) {
	root, dir, webhookGen := project(t, "imported")
	execute(t, dir, webhookGen, "generate")
	manifest := filepath.Join(dir, "config", "webhook", "manifests.yaml")
	before, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	said := execute(t, dir, webhookGen, "import", "--handlers", "adapters", "--skip-tidy", "--source", root)
	if strings.Contains(said, "stays as it is") {
		t.Errorf("not all markers are imported:\n%s", said)
	}
	after, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, after) {
		t.Errorf("the manifest was\n%s\nand is\n%s", before, after)
	}
	execute(t, dir, webhookGen, "verify")
	if said := execute(t, dir, webhookGen, "import", "--handlers", "adapters", "--skip-tidy", "--source", root); said != "nothing to do\n" {
		t.Errorf("the second import says\n%s", said)
	}
	execute(t, dir, "go", "vet", "./...")
	execute(t, dir, "go", "test", "./...")
}
