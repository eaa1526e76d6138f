package delivery

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

const (
	modulePath = "github.com/webhook-gen/webhook-gen"
	root       = "../.."
)

// published is the tree as a version that a module proxy serves.
type published struct {
	// version is that of the content: what the module cache holds of it is never stale.
	version string
	// env are the settings of the go command under which it finds the version.
	env []string
}

// publish makes a module proxy of files that serves the module as the work tree has it, to be asked before the others.
func publish(t *testing.T) published {
	t.Helper()
	goMod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	released := time.Unix(1700000000, 0).UTC() // some time: the hash behind it tells versions apart
	hash := sha256.New()
	var archive bytes.Buffer
	files := treeFiles(t)
	for _, f := range files {
		content, err := os.ReadFile(f.(treeFile).onDisk)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(hash, "%s %d\n", f.Path(), len(content))
		hash.Write(content)
	}
	p := published{version: module.PseudoVersion("v0", "", released, fmt.Sprintf("%x", hash.Sum(nil))[:12])}
	if err := zip.Create(&archive, module.Version{Path: modulePath, Version: p.version}, files); err != nil {
		t.Fatal(err)
	}
	info, err := json.Marshal(map[string]string{"Version": p.version, "Time": released.Format(time.RFC3339)})
	if err != nil {
		t.Fatal(err)
	}
	proxy := t.TempDir()
	folder := filepath.Join(proxy, filepath.FromSlash(modulePath), "@v")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"list": nil, "../@latest": info, p.version + ".info": info, p.version + ".mod": goMod, p.version + ".zip": archive.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p.env = append(os.Environ(), "GOPROXY=file://"+filepath.ToSlash(proxy)+","+goEnv(t, "GOPROXY"), "GONOSUMDB="+modulePath, "GOWORK=off", "GOFLAGS=")
	return p
}

// treeFile is a file of the work tree.
type treeFile struct{ path, onDisk string }

func (f treeFile) Path() string                 { return f.path }
func (f treeFile) Lstat() (os.FileInfo, error)  { return os.Lstat(f.onDisk) }
func (f treeFile) Open() (io.ReadCloser, error) { return os.Open(f.onDisk) }

// treeFiles are the files of the root module that git knows or would add.
func treeFiles(t *testing.T) []zip.File {
	t.Helper()
	list := output(t, root, nil, "git", "ls-files", "--cached", "--others", "--exclude-standard")
	names := strings.Split(strings.TrimSpace(list), "\n")
	nested := map[string]bool{}
	for _, name := range names {
		if path.Base(name) == "go.mod" && name != "go.mod" {
			nested[path.Dir(name)] = true
		}
	}
	var files []zip.File
	for _, name := range names {
		inside := false
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			inside = inside || nested[dir]
		}
		onDisk := filepath.Join(root, filepath.FromSlash(name))
		if _, err := os.Lstat(onDisk); err == nil && !inside {
			files = append(files, treeFile{name, onDisk})
		}
	}
	return files
}

func goEnv(t *testing.T, name string) string {
	return strings.TrimSpace(output(t, ".", nil, "go", "env", name))
}

// output runs a command in a folder and returns what it prints to standard output. A command that fails ends the test.
func output(t *testing.T, dir string, env []string, command ...string) string {
	t.Helper()
	out, err := try(dir, env, command...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// try runs a command in a folder and returns what it prints to standard output; what it prints besides is in the error.
func try(dir string, env []string, command ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	c := exec.Command(command[0], command[1:]...)
	c.Dir, c.Env, c.Stdout, c.Stderr = dir, env, &stdout, &stderr
	if err := c.Run(); err != nil {
		return stdout.String(), fmt.Errorf("%s: %w\n%s%s", strings.Join(command, " "), err, &stdout, &stderr)
	}
	return stdout.String(), nil
}

// moduleDir is the folder of a module that go.mod requires.
func moduleDir(t *testing.T, path string) string {
	return strings.TrimSpace(output(t, ".", nil, "go", "list", "-m", "-f", "{{.Dir}}", path))
}
