// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestKubebuilderProject adds webhook-gen to a project with the layout of kubebuilder's go/v4. All files of the project
// but go.mod and go.sum stay the same, save for the one line that the command prints. The project builds and tests as
// before, and serves its own webhooks and ours. Then its validator goes on behind a generated handler, as in
// docs/start/migration.md.
func TestKubebuilderProject(t *testing.T) {
	t.Parallel()
	p := project{T: t, published: publish(t), dir: t.TempDir()}
	p.kustomize = filepath.Join(everyCommand.in(t, "kustomize"), "kustomize")
	p.unpack("testdata/kubebuilder.txtar")
	// With the versions of another kubebuilder project, no dependency has to be compiled once more.
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, "examples", "kubebuilder", name))
		if err != nil {
			t.Fatal(err)
		}
		p.write(name, string(text))
	}
	p.run("go", "mod", "edit", "-module=example.com/operator")
	p.run("go", "mod", "tidy")
	before := p.sums()

	said := p.follow("../../docs/start/migration.md", "### Beside existing webhooks").printed
	const line = "utilruntime.Must(newWebhooks().Register(mgr.GetWebhookServer().Register))"
	if !strings.Contains(said, "\t"+line+"\n") {
		t.Fatalf("init does not say the line\n%s", said)
	}
	for name, sum := range before {
		if now := p.sums()[name]; now != sum {
			t.Errorf("%s was changed", name)
		}
	}
	p.replace("cmd/main.go", "\t// +kubebuilder:scaffold:builder\n", "\t"+line+"\n\t// +kubebuilder:scaffold:builder\n")
	p.run("go", "mod", "tidy")
	p.run("go", "vet", "./...")
	p.run("go", "test", "./...") // cmd/main_test.go calls theirs and ours
	p.run("bin/webhook-gen", "verify", "--strict")
	manifest := p.run(p.kustomize, "build", "config/webhook-gen")
	if strings.Contains(manifest, "vjob-v1.kb.io") || !strings.Contains(manifest, "validate.deployments.v1.apps.example.com") {
		t.Errorf("the manifest has theirs, or lacks ours\n%s", manifest)
	}

	p.replace("cmd/main.go", "\tif err := webhookv1.SetupJobWebhookWithManager(mgr); err != nil {\n\t\treturn nil, err\n\t}\n", "")
	p.replace("cmd/main.go", "\twebhookv1 \"example.com/operator/internal/webhook/v1\"\n", "")
	p.follow("../../docs/start/migration.md", "### An existing validator")
}

// sums are the hashes of the project's files, those left out that the go command writes.
func (p project) sums() map[string]string {
	p.Helper()
	sums := map[string]string{}
	err := filepath.WalkDir(p.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), "go.") {
			return err
		}
		text, err := os.ReadFile(path)
		sums[strings.TrimPrefix(path, p.dir)] = fmt.Sprintf("%x", sha256.Sum256(text))
		return err
	})
	if err != nil {
		p.Fatal(err)
	}
	return sums
}
