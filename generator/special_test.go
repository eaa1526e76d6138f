// SPDX-License-Identifier: Apache-2.0

//go:build unix

package generator

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/inspect"
)

// TestNoFileBlocks puts something else in the place of each kind of file: a pipe without a writer, a device without an
// end, a link to nothing, a folder. Each is an error at its path, and no read blocks.
func TestNoFileBlocks(t *testing.T) {
	t.Setenv("GOWORK", "") // go.work is one of the files
	const definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: orders.shop.example.com\n"
	settings := map[string]string{"webhook-gen.yaml": "version: 1\noutputs: [manifests]\n"}
	for name, test := range map[string]struct {
		files map[string]string
		path  string
		run   func(t *testing.T, dir string) string // returns the diagnostics
		// valid has the kinds that are valid there: a folder of that name does not replace the file, a manifest is
		// written through a link, and the go command passes over a link.
		valid string
	}{
		"settings":           {nil, "webhook-gen.yaml", generated, ""},
		"Go file":            {settings, "more.go", generated, "folder"},
		"generated Go file":  {settings, "zz_generated.more.go", generated, "folder"},
		"go.work":            {settings, "go.work", generated, "folder link"},
		"go.mod":             {settings, "go.mod", generated, "folder link"},
		"vendor/modules.txt": {settings, "vendor/modules.txt", located, "folder link"},
		"header": {
			map[string]string{"webhook-gen.yaml": "version: 1\noutputs: [manifests]\nheaderFile: hack/h.txt\n"}, "hack/h.txt", generated, "",
		},
		"authorities": {
			map[string]string{"webhook-gen.yaml": "version: 1\noutputs: [manifests, delivery]\ndelivery: {name: shop, certificates: secret, caFile: ca.crt}\n"}, "ca.crt", generated, "",
		},
		"chart": {
			map[string]string{"webhook-gen.yaml": "version: 1\noutputs: [manifests, delivery]\ndelivery: {name: shop}\n"}, "charts/shop/Chart.yaml", generated, "link",
		},
		"manifest": {settings, "config/webhook/manifests.yaml", generated, "link"},
		"definition": {
			map[string]string{"webhook-gen.yaml": "version: 1\noutputs: [conversions]\ncrds: [crd/*.yaml]\n"}, "crd/orders.yaml", generated, "",
		},
		"delivered definition": {
			map[string]string{"webhook-gen.yaml": "version: 1\noutputs: [manifests, delivery]\ndelivery: {name: shop}\n"}, "config/crd/bases/orders.yaml", generated, "",
		},
		"linted manifest":           {settings, "config/other.yaml", lintedPath("config/other.yaml"), "folder"},
		"manifest in linted folder": {map[string]string{"config/a.yaml": definition}, "config/other.yaml", lintedPath("config"), "folder"},
		"definition of a state":     {map[string]string{"config/crd/bases/a.yaml": definition}, "config/crd/bases/orders.yaml", state(""), "folder"},
		"manifest of a state":       {map[string]string{"state/a.yaml": definition}, "state/orders.yaml", state("state"), "folder"},
	} {
		for kind, stand := range map[string]func(path string) error{
			"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o644) },
			"device": func(path string) error { return os.Symlink("/dev/zero", path) },
			"link":   func(path string) error { return os.Symlink("gone", path) },
			"folder": func(path string) error { return os.Mkdir(path, 0o755) },
			"sparse": func(path string) error { return errors.Join(os.WriteFile(path, nil, 0o644), os.Truncate(path, 40<<30)) },
			"kernel": func(path string) error { return os.Symlink("/proc/kmsg", path) },
			"socket": func(path string) error { return syscall.Mknod(path, syscall.S_IFSOCK|0o644, 0) },
		} {
			if strings.Contains(test.valid, kind) || kind == "kernel" && runtime.GOOS != "linux" {
				continue
			}
			t.Run(name+"/"+kind, func(t *testing.T) {
				dir := t.TempDir()
				writeFile(t, filepath.Join(dir, "go.mod"), "module example.com/app\n\ngo 1.26\n")
				writeFile(t, filepath.Join(dir, "order.go"), "// +groupName=shop.example.com\n// +versionName=v1\npackage app\n\n// +webhook:validating(operations: \"create\")\ntype Order struct{}\n")
				for file, text := range test.files {
					writeFile(t, filepath.Join(dir, file), text)
				}
				path := filepath.Join(dir, test.path)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(os.RemoveAll(path), stand(path)); err != nil {
					t.Fatal(err)
				}
				done := make(chan string, 1)
				go func() { done <- test.run(t, dir) }()
				select {
				case report := <-done:
					if !strings.Contains(report, filepath.Base(test.path)) {
						t.Errorf("no error about %s: %q", test.path, report)
					}
				case <-time.After(20 * time.Second):
					t.Fatal("the command waits")
				}
			})
		}
	}
}

func generated(t *testing.T, dir string) string {
	return errorsIn(t, dir, engine.Generate(t.Context(), engine.Config{Dir: dir}).Diagnostics)
}

// located has the go command look for a package that no file of the module names.
func located(t *testing.T, dir string) string {
	writeFile(t, filepath.Join(dir, "other.go"), "package app\n\nimport \"example.com/other\"\n\n// +webhook:validating(for: \"example.com/other.Item\", operations: \"create\")\ntype Item struct{ other.Item }\n")
	writeFile(t, filepath.Join(dir, "webhook-gen.yaml"), "version: 1\n")
	return generated(t, dir)
}

func lintedPath(path string) func(t *testing.T, dir string) string {
	return func(t *testing.T, dir string) string {
		result, err := inspect.LintManifests(dir, []string{path}, nil, "")
		if err != nil {
			return err.Error()
		}
		return errorsIn(t, dir, result.Diagnostics)
	}
}

func state(word string) func(t *testing.T, dir string) string {
	return func(t *testing.T, dir string) string {
		if _, err := inspect.OpenState(t.Context(), dir, word, nil); err != nil {
			return err.Error()
		}
		return ""
	}
}

func errorsIn(t *testing.T, dir string, list diag.List) string {
	if !list.HasErrors() {
		return ""
	}
	var text bytes.Buffer
	if err := engine.PrintDiagnostics(&text, "text", dir, list); err != nil {
		t.Error(err)
	}
	return text.String()
}
