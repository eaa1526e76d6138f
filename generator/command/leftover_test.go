// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/webhook-gen/webhook-gen/generator/internal/project"
)

// TestGenerateSweeps removes the leftovers of a killed run, even if it writes no other file; init has git ignore them.
func TestGenerateSweeps(t *testing.T) {
	p := newHostile(t, nil)
	command := func(args ...string) {
		t.Helper()
		var out bytes.Buffer
		if code := run(context.Background(), args, streams{out: &out, err: &out, origin: project.Origin{Version: "v0.1.0"}}); code != 0 {
			t.Fatalf("%q: %d\n%s", args, code, &out)
		}
	}
	t.Chdir(p.dir)
	command("generate")
	left := filepath.Join("config", "webhook", ".webhook-gen-"+strconv.FormatInt(time.Now().Add(-time.Hour).Unix(), 36)+"-abc")
	if err := os.WriteFile(left, []byte("half a fi"), 0o644); err != nil {
		t.Fatal(err)
	}
	command("verify")
	if _, err := os.Stat(left); err != nil {
		t.Errorf("verify writes: %v", err)
	}
	command("generate")
	if _, err := os.Stat(left); err == nil {
		t.Errorf("%s is left", left)
	}
	t.Chdir(t.TempDir())
	command("init", "--module", "example.com/shop", "--skip-tidy")
	if ignored, err := os.ReadFile(".gitignore"); err != nil || !strings.Contains(string(ignored), "\n.webhook-gen-*\n") {
		t.Errorf("%q, %v", ignored, err)
	}
}
