package delivery

import (
	"path/filepath"
	"testing"
)

// TestNewProject starts in an empty folder and builds, tests and verifies what init writes, with webhook-gen from a proxy
// of this tree.
func TestNewProject(t *testing.T) {
	p := publish(t)
	tool := filepath.Join(t.TempDir(), "webhook-gen")
	output(t, root, nil, "go", "build", "-o", tool, "./cmd/webhook-gen")
	dir := t.TempDir()
	output(t, dir, p.env, tool, "init", "--module", "example.com/shop", "--tool-version", p.version)
	output(t, dir, p.env, "make", "test", "verify")
}
