package floor

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestEmittedPackages copies templates/admission, conversion and wire into a module of their own and runs
// their tests there under each toolchain, which the go command fetches from the module proxy.
func TestEmittedPackages(t *testing.T) {
	for _, c := range []struct{ name, toolchain, language, kubernetes, race string }{
		{"floor", "go1.24.0", "1.24.0", "v0.31.0", ""},
		{"newest", "go1.26.8", "1.26.0", "v0.37.2", "-race"},
		{"next Go", "go1.27.4", "1.26.0", "v0.37.2", "-race"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range []string{"admission", "conversion", "wire"} {
				copyPackage(t, "../../../templates/"+name, filepath.Join(dir, name))
			}
			goMod := "module example.com/app\n\ngo " + c.language + "\n\nrequire (\n\tk8s.io/api " + c.kubernetes + "\n\tk8s.io/apimachinery " + c.kubernetes + "\n)\n"
			if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(goMod), 0o644); err != nil {
				t.Fatal(err)
			}
			run := func(arguments ...string) {
				t.Helper()
				cmd := exec.Command("go", arguments...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "GOTOOLCHAIN="+c.toolchain, "GOWORK=off", "GOFLAGS=-buildvcs=false")
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%s: go %s: %v\n%s", c.toolchain, strings.Join(arguments, " "), err, out)
				}
			}
			run("mod", "tidy")
			pinned := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "k8s.io/apimachinery")
			pinned.Dir = dir
			pinned.Env = append(os.Environ(), "GOTOOLCHAIN="+c.toolchain, "GOWORK=off")
			if version, err := pinned.Output(); err != nil || strings.TrimSpace(string(version)) != c.kubernetes {
				t.Fatalf("the tests' own dependencies raise k8s.io/apimachinery to %s (%v)", version, err)
			}
			t.Logf("%s, k8s.io/* %s %s", c.toolchain, c.kubernetes, c.race)
			if c.race != "" {
				run("test", c.race, "./...")
			} else {
				run("test", "./...")
			}
		})
	}
}

// copyPackage copies a folder, and has the packages in it import each other from where they are now.
func copyPackage(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if filepath.Ext(path) == ".go" {
			text = bytes.ReplaceAll(text, []byte("github.com/webhook-gen/webhook-gen/templates/"), []byte("example.com/app/"))
		}
		target := filepath.Join(to, rel)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}
