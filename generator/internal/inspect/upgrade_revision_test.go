// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUpgradeOfRevisions compares a revision with the work tree of a module below the top of a repository. The
// repository's hooks, attributes and index would reveal any change: they stay as they are, and no hook runs.
func TestUpgradeOfRevisions(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "operators", "shop")
	write(t, filepath.Join(top, ".gitattributes"), "operators export-ignore\n")
	write(t, filepath.Join(dir, "go.mod"), "module example.com/app\n\ngo 1.26\n")
	order := filepath.Join(dir, "order.go")
	write(t, order, "// +groupName=shop.example.com\n// +versionName=v1\npackage app\n\n// +webhook:validating(operations: \"create\", path: \"/old\")\ntype Order struct{}\n")
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
	write(t, filepath.Join(top, ".git", "hooks", "post-index-change"), "#!/bin/sh\ntouch "+filepath.Join(top, "hooked")+"\n")
	if err := os.Chmod(filepath.Join(top, ".git", "hooks", "post-index-change"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, order, "// +groupName=shop.example.com\n// +versionName=v1\npackage app\n\ntype Order struct{}\n")
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
	if strings.Count(text.String(), want) != 1 {
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

// TestRevisionRunsNothing names programs in the configuration of a repository, in every way that git has for commands
// that read revisions, and in some more. No program runs, and the revision is read.
func TestRevisionRunsNothing(t *testing.T) {
	for name, attack := range map[string]struct {
		attributes string
		// config is the repository's configuration; $RUN is a program that writes a file.
		config string
		// hook is the name of a hook.
		hook string
		// partial makes a clone that lacks the blobs read.
		partial bool
	}{
		"a filter":                  {attributes: "* filter=evil\n", config: "[filter \"evil\"]\n\tsmudge = $RUN\n\tclean = $RUN\n\trequired = true\n"},
		"a filter process":          {attributes: "* filter=evil\n", config: "[filter \"evil\"]\n\tprocess = $RUN\n"},
		"an included configuration": {attributes: "* filter=evil\n", config: "[include]\n\tpath = $TREE/evil.config\n"},
		"a file system monitor":     {config: "[core]\n\tfsmonitor = $RUN\n"},
		"another hooks path":        {config: "[core]\n\thooksPath = $TREE/hooks\n", hook: "post-index-change"},
		"a hook":                    {hook: "post-checkout"},
		"text conversion":           {attributes: "* diff=evil\n", config: "[diff]\n\texternal = $RUN\n[diff \"evil\"]\n\ttextconv = $RUN\n\tcommand = $RUN\n"},
		"a pager":                   {config: "[core]\n\tpager = $RUN\n[pager]\n\tcat-file = $RUN\n\tls-tree = $RUN\n\trev-parse = $RUN\n"},
		"signatures":                {config: "[log]\n\tshowSignature = true\n[gpg]\n\tprogram = $RUN\n"},
		"aliases":                   {config: "[alias]\n\trev-parse = !$RUN\n\tls-tree = !$RUN\n\tcat-file = !$RUN\n"},
		"a partial clone": {partial: true, config: "[extensions]\n\tpartialClone = origin\n[core]\n\trepositoryformatversion = 1\n[protocol]\n\tallow = always\n" +
			"[remote \"origin\"]\n\tpromisor = true\n\turl = $TREE/.git\n\tuploadpack = $RUN\n"},
		"a partial clone by another protocol": {partial: true, config: "[extensions]\n\tpartialClone = origin\n[core]\n\trepositoryformatversion = 1\n" +
			"[protocol \"ext\"]\n\tallow = always\n[remote \"origin\"]\n\tpromisor = true\n\turl = ext::$RUN\n"},
	} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			tree, ran, program := filepath.Join(top, "tree"), filepath.Join(top, "ran"), filepath.Join(top, "tree", "evil.sh")
			words := strings.NewReplacer("$RUN", program, "$TREE", tree)
			write(t, filepath.Join(tree, "go.mod"), "module example.com/app\n\ngo 1.26\n")
			write(t, filepath.Join(tree, "order.go"), "// +groupName=shop.example.com\n// +versionName=v1\npackage app\n\n// +webhook:validating(operations: \"create\", path: \"/old\")\ntype Order struct{}\n")
			write(t, filepath.Join(tree, "evil.config"), words.Replace("[filter \"evil\"]\n\tsmudge = $RUN\n"))
			write(t, program, "#!/bin/sh\n: > '"+ran+"'\ncat\n")
			run := func(args ...string) string {
				t.Helper()
				out, err := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-C", tree}, args...)...).CombinedOutput()
				if err != nil {
					t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
				}
				return strings.TrimSpace(string(out))
			}
			run("init", "-q")
			run("add", "-A")
			run("commit", "-q", "-m", "one")
			blob := run("rev-parse", "HEAD:order.go")
			// An archive of the project, .git included, may contain the following files.
			write(t, filepath.Join(tree, ".git", "info", "attributes"), attack.attributes)
			config := filepath.Join(tree, ".git", "config")
			old, err := os.ReadFile(config)
			if err != nil {
				t.Fatal(err)
			}
			write(t, config, string(old)+words.Replace(attack.config))
			if attack.hook != "" {
				for _, hooks := range []string{filepath.Join(tree, "hooks"), filepath.Join(tree, ".git", "hooks")} {
					write(t, filepath.Join(hooks, attack.hook), "#!/bin/sh\n"+program+" < /dev/null\n")
					if err := os.Chmod(filepath.Join(hooks, attack.hook), 0o755); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := os.Chmod(program, 0o755); err != nil {
				t.Fatal(err)
			}
			if attack.partial {
				if err := os.Remove(filepath.Join(tree, ".git", "objects", blob[:2], blob[2:])); err != nil {
					t.Fatal(err)
				}
			}
			state, err := OpenState(t.Context(), tree, "HEAD", nil)
			if _, failed := os.Stat(ran); failed == nil {
				t.Error("a program that the repository names has run")
			}
			switch {
			case attack.partial && (err == nil || !strings.Contains(err.Error(), "order.go is not in the repository")):
				t.Errorf("a blob that is missing: %v", err)
			case !attack.partial && err != nil:
				t.Error(err)
			}
			if err == nil {
				if err := state.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestCheckOutStaysInside reads a revision with names and links that lead out of it. Only a program can write such a
// revision.
func TestCheckOutStaysInside(t *testing.T) {
	top := t.TempDir()
	git := func(in string, args ...string) string {
		t.Helper()
		c := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-C", top}, args...)...)
		c.Stdin = strings.NewReader(in)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("", "init", "-q")
	blob := func(text string) string { return git(text, "hash-object", "-w", "--stdin") }
	type entry struct{ mode, name, object string }
	tree := func(entries ...entry) string {
		var b bytes.Buffer
		for _, e := range entries {
			raw, err := hex.DecodeString(e.object)
			if err != nil {
				t.Fatal(err)
			}
			b.WriteString(e.mode + " " + e.name + "\x00")
			b.Write(raw)
		}
		return git(b.String(), "hash-object", "-w", "-t", "tree", "--literally", "--stdin")
	}
	file := blob("module example.com/app\n\ngo 1.26\n")
	inner := tree(entry{"100644", "file", file})
	root := tree(
		entry{"40000", "..", inner}, entry{"40000", ".GIT", inner}, entry{"120000", "absolute", blob("/etc")}, entry{"40000", "absolute", inner},
		entry{"120000", "above", blob("../..")}, entry{"40000", "above", inner}, entry{"40000", "dir", tree(entry{"120000", "same", blob("../go.mod")})},
		entry{"100755", "go.mod", file}, entry{"120000", "link", blob("dir")},
	)
	commit := git("", "commit-tree", "-m", "one", root)
	t.Setenv("TMPDIR", t.TempDir())
	scratch, at, err := checkOut(t.Context(), top, commit)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	err = filepath.WalkDir(scratch, func(path string, d fs.DirEntry, err error) error {
		if rel, _ := filepath.Rel(at, path); !d.IsDir() {
			found = append(found, filepath.ToSlash(rel))
		}
		return err
	})
	if diff := cmp.Diff([]string{"above/file", "absolute/file", "dir/same", "go.mod", "link"}, found); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	for _, name := range []string{"link/same", "go.mod"} {
		if text, err := os.ReadFile(filepath.Join(at, name)); err != nil || !strings.HasPrefix(string(text), "module") {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}
