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

// publish makes a module proxy of files that serves the modules that users have as the work tree has them, to be asked before the others.
func publish(t *testing.T) published {
	t.Helper()
	proxy := t.TempDir()
	modules := []string{".", "runtime", "explain"}
	hash := sha256.New()
	for _, dir := range modules {
		for _, f := range treeFiles(t, dir) {
			content, err := os.ReadFile(f.(treeFile).onDisk)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(hash, "%s %d\n", f.Path(), len(content))
			hash.Write(content)
		}
	}
	version := module.PseudoVersion("v0", "", released(), fmt.Sprintf("%x", hash.Sum(nil))[:12]) // of all, which have the same tags
	for _, dir := range modules {
		publishModule(t, proxy, dir, version)
	}
	env := append(os.Environ(), "GOPROXY=file://"+filepath.ToSlash(proxy)+","+goEnv(t, "GOPROXY"), "GONOSUMDB="+modulePath, "GOWORK=off", "GOFLAGS=")
	return published{version, env}
}

// released is some time: the hash behind it tells versions apart.
func released() time.Time { return time.Unix(1700000000, 0).UTC() }

// publishModule puts the module of a folder of the tree into a proxy.
func publishModule(t *testing.T, proxy, dir, version string) {
	t.Helper()
	goMod, err := os.ReadFile(filepath.Join(root, dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	importPath := path.Join(modulePath, dir)
	if err := zip.Create(&archive, module.Version{Path: importPath, Version: version}, treeFiles(t, dir)); err != nil {
		t.Fatal(err)
	}
	info, err := json.Marshal(map[string]string{"Version": version, "Time": released().Format(time.RFC3339)})
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(proxy, filepath.FromSlash(importPath), "@v")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"list": nil, "../@latest": info, version + ".info": info, version + ".mod": goMod, version + ".zip": archive.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// treeFile is a file of the work tree.
type treeFile struct{ path, onDisk string }

func (f treeFile) Path() string                 { return f.path }
func (f treeFile) Lstat() (os.FileInfo, error)  { return os.Lstat(f.onDisk) }
func (f treeFile) Open() (io.ReadCloser, error) { return os.Open(f.onDisk) }

// treeFiles are the files of the module of a folder that git knows or would add.
func treeFiles(t *testing.T, module string) []zip.File {
	t.Helper()
	list := output(t, root, nil, "git", "ls-files", "--cached", "--others", "--exclude-standard")
	names := strings.Split(strings.TrimSpace(list), "\n")
	modules := map[string]bool{}
	for _, name := range names {
		if path.Base(name) == "go.mod" {
			modules[path.Dir(name)] = true
		}
	}
	var files []zip.File
	for _, name := range names {
		dir := path.Dir(name)
		for !modules[dir] {
			dir = path.Dir(dir)
		}
		onDisk := filepath.Join(root, filepath.FromSlash(name))
		if _, err := os.Lstat(onDisk); err == nil && dir == module {
			files = append(files, treeFile{strings.TrimPrefix(name, module+"/"), onDisk})
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
