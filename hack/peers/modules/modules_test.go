// SPDX-License-Identifier: Apache-2.0

package modules

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTypes has generator/internal/resolve compare every exported type of the imported packages, and every type inside
// them, with the compiler's view: declarations, tags, constants, aliases, embedded and generic types.
func TestTypes(t *testing.T) {
	cmd := exec.Command("go", "test", "-count=1", "-v", "-run", "^TestAgreesWithGoTypes$", "./generator/internal/resolve", "-peers")
	cmd.Dir = filepath.Join("..", "..", "..")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestAgreesWithGoTypes/modules") {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
