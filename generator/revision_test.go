package generator

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestUpgradeOfRevisions compares a revision with the work tree of a module below the top of a repository, whose hooks, attributes and
// index are all of a kind to notice: they stay as they are, and no hook runs.
func TestUpgradeOfRevisions(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "operators", "shop")
	writeFile(t, filepath.Join(top, ".gitattributes"), "operators export-ignore\n")
	writeFile(t, filepath.Join(dir, "go.mod"), "module example.com/app\n\ngo 1.26\n")
	order := filepath.Join(dir, "order.go")
	writeFile(t, order, "// +groupName=shop.example.com\n// +versionName=v1\npackage app\n\n// +webhook:validating(operations: \"create\", path: \"/old\")\ntype Order struct{}\n")
	do := func(args ...string) string {
		t.Helper()
		c := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-C", top}, args...)...)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	do("init", "-q")
	do("add", "-A")
	do("commit", "-q", "-m", "one")
	do("tag", "v1")
	writeFile(t, filepath.Join(top, ".git", "hooks", "post-index-change"), "#!/bin/sh\ntouch "+filepath.Join(top, "hooked")+"\n")
	if err := os.Chmod(filepath.Join(top, ".git", "hooks", "post-index-change"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, order, "// +groupName=shop.example.com\n// +versionName=v1\npackage app\n\ntype Order struct{}\n")
	index, err := os.ReadFile(filepath.Join(top, ".git", "index"))
	if err != nil {
		t.Fatal(err)
	}
	scratch := t.TempDir()
	t.Setenv("TMPDIR", scratch)

	var text bytes.Buffer
	for _, words := range [][2]string{{"v1", ""}, {"HEAD", "v1"}} {
		old, err := OpenState(t.Context(), dir, words[0], nil)
		if err != nil {
			t.Fatal(err)
		}
		now, err := OpenState(t.Context(), dir, words[1], nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := Upgrade(old, now).Print(&text, "text", dir); err != nil {
			t.Fatal(err)
		}
		for _, s := range []*State{old, now} {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := "v1:operators/shop/order.go:5:52: breaking: /old, the path of webhook validate.orders.v1.shop.example.com, vanishes before its configuration [G5]\n" +
		"    // +webhook:validating(operations: \"create\", path: \"/old\")\n"
	if !strings.Contains(text.String(), want) || strings.Count(text.String(), "[G5]") != 1 {
		t.Errorf("got\n%s\nwant once\n%s", text.String(), want)
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	if now, err := os.ReadFile(filepath.Join(top, ".git", "index")); err != nil || !bytes.Equal(index, now) {
		t.Errorf("the index has changed: %v", err)
	}
	if _, err := os.Stat(filepath.Join(top, "hooked")); err == nil {
		t.Error("a hook has run")
	}
	for _, word := range []string{"v2", "--help", "no/such/file.yaml"} {
		if _, err := OpenState(t.Context(), dir, word, nil); err == nil || !strings.Contains(err.Error(), "neither a file, nor a folder, nor a git revision") {
			t.Errorf("%s: got %v", word, err)
		}
	}
}
