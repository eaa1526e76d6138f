// SPDX-License-Identifier: Apache-2.0

package modules

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTypes has generator/internal/resolve compare every exported type of the imported packages, and every type inside
// them, with the compiler's view: declarations, tags, constants, aliases, embedded and generic types. It does the same
// with the modules of other comparisons, and downloads them first: without them a comparison is skipped.
func TestTypes(t *testing.T) {
	for _, peer := range []string{"clusterapi", "conversion", "karpenter", "modules"} {
		cmd := exec.Command("go", "list", "-deps", "./...")
		cmd.Dir = filepath.Join("..", peer)
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", peer, err, out)
		}
	}
	cmd := exec.Command("go", "test", "-count=1", "-v", "-timeout=30m", "-run", "^TestAgreesWithGoTypes$", "./generator/internal/resolve")
	cmd.Dir = filepath.Join("..", "..", "..")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestAgreesWithGoTypes/modules") || strings.Contains(string(out), "--- SKIP") {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
