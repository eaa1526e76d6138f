// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// module is a real project as the Go module proxy serves it.
type module struct {
	name, version string
	// nested modules are laid at the folders to which the project's go.mod points.
	nested map[string]string
	// webhooks is how many the project is known to have.
	webhooks int
}

func clusterAPI() module {
	return module{
		name: "sigs.k8s.io/cluster-api", version: "v1.14.2", webhooks: 28,
		nested: map[string]string{"api": "sigs.k8s.io/cluster-api/api@v1.14.2"},
	}
}

// TestModules compares the commands on all packages of real projects. If a dependency cannot be downloaded or built,
// controller-gen fails, but prints the manifest all the same; then the test compares the manifests only.
func TestModules(t *testing.T) {
	for _, m := range []module{
		clusterAPI(),
		{name: "sigs.k8s.io/cluster-api-operator", version: "v0.29.0", webhooks: 14},
		{name: "sigs.k8s.io/cluster-api-provider-aws/v2", version: "v2.13.0", webhooks: 35},
		{name: "sigs.k8s.io/cluster-api-provider-gcp", version: "v1.13.1", webhooks: 19},
		{name: "github.com/kedacore/keda/v2", version: "v2.21.0", webhooks: 6},
		{name: "sigs.k8s.io/jobset", version: "v0.10.1", webhooks: 4}, // its chart has folders of templates
	} {
		t.Run(strings.ReplaceAll(m.name, "/", "_"), func(t *testing.T) {
			dir := m.copy(t)
			want := run(t, built.controller(dir))
			got := run(t, built.generate(dir))
			if want.code != 0 {
				t.Logf("controller-gen exits with %d; what it prints is compared all the same. It says:\n%s", want.code, head(want.messages))
			}
			if got.code != 0 {
				t.Errorf("webhook-gen exits with %d:\n%s", got.code, got.messages)
			}
			if got.manifest != want.manifest {
				t.Errorf("manifests differ\ncontroller-gen:\n%s\nwebhook-gen:\n%s", want.manifest, got.manifest)
			}
			webhooks := strings.Count(want.manifest, "- admissionReviewVersions:")
			if webhooks != m.webhooks {
				t.Errorf("controller-gen prints %d webhooks, where %d are known", webhooks, m.webhooks)
			}
			imported(t, dir, got.manifest)
			t.Logf("%s %s: %d webhooks, %d bytes; equal: %t", m.name, m.version, webhooks, len(want.manifest), got.manifest == want.manifest)
		})
	}
}

// imported rewrites the module's markers and expects the same manifest of the new ones, and no
// marker of the old kind.
func imported(t *testing.T, dir, manifest string) {
	t.Helper()
	if i := run(t, built.importer(dir)); i.code != 0 {
		t.Errorf("webhook-gen import exits with %d:\n%s", i.code, i.messages)
	}
	again := run(t, built.generate(dir))
	if again.manifest != manifest {
		t.Errorf("after import the manifest differs\nbefore:\n%s\nafter:\n%s\n%s", manifest, again.manifest, again.messages)
	}
	if rest := run(t, built.importer(dir)); strings.TrimSpace(rest.manifest) != "" {
		t.Errorf("a second import finds more:\n%s", rest.manifest)
	}
}

// head returns the first lines of a text.
func head(s string) string {
	lines := strings.SplitAfter(s, "\n")
	return strings.Join(lines[:min(5, len(lines))], "")
}

// copy lays the module out in a folder where it can be written to.
func (m module) copy(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "module")
	copyModule(t, m.name+"@"+m.version, dir)
	for folder, nested := range m.nested {
		copyModule(t, nested, filepath.Join(dir, folder))
	}
	return dir
}

func copyModule(t testing.TB, module, dir string) {
	t.Helper()
	t.Logf("downloading %s", module)
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"))
	out, err := cmd.Output()
	var download struct{ Dir, Error string }
	if json.Unmarshal(out, &download) != nil || download.Dir == "" {
		t.Fatalf("cannot download %s: %s%v", module, download.Error, err)
	}
	if err := os.CopyFS(dir, os.DirFS(download.Dir)); err != nil {
		t.Fatal(err)
	}
	// The module cache is read-only, and so are copies of it.
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return os.Chmod(path, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}
