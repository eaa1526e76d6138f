// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/project"
)

var (
	walkSteps = flag.Int("walk.steps", 30, "commands that TestWalk runs")
	walkSeed  = flag.Uint64("walk.seed", 16, "which commands TestWalk runs")
)

// TestWalk runs create and delete in a random order, with edits of the user between them. After each command the
// project and its tests compile. A command that fails changes nothing. The walk ends when --force has left a file that
// needs generated code which is gone: O11 names it. Other walks:
//
//	go test ./generator/compile -run '^TestWalk$' -walk.seed 7 -walk.steps 100
func TestWalk(t *testing.T) {
	skipIfShort(t)
	w := newWorkspace(t)
	dir, module := w.add("walk", []txtar.File{
		{Name: "webhook-gen.yaml", Data: []byte("version: 1\ndomain: example.com\n")},
		{Name: "doc.go", Data: []byte("// Package walk is a project.\npackage walk\n")},
	})
	w.use("walk")
	r := rand.New(rand.NewPCG(*walkSeed, 0))
	config := project.Config{Config: engine.Config{Dir: dir}}
	for i := range *walkSteps {
		before := userFiles(t, dir)
		name, run := step(r)
		if i == 0 {
			name, run = "create api", func(ctx context.Context, c project.Config) (project.Result, error) {
				return project.CreateAPI(ctx, c, project.Resource{Group: "shop", Version: "v1", Kind: "Order"}, "")
			}
		}
		var result project.Result
		var err error
		if run == nil {
			name = edit(t, r, dir, before)
		} else if result, err = run(t.Context(), config); err == nil && !result.Diagnostics.HasErrors() {
			result.Diagnostics = append(result.Diagnostics, result.Write()...)
		}
		t.Log(name, err, len(result.Changes))
		if err != nil || result.Diagnostics.HasErrors() {
			if !maps.Equal(before, userFiles(t, dir)) {
				t.Fatalf("%s failed and changed files: %v, %v", name, err, result.Diagnostics)
			}
			continue
		}
		if leavesOrphans(result.Result) { // with force
			return
		}
		if len(result.Changes) == 0 {
			continue
		}
		if out, err := w.goCommand("vet", module+"/..."); err != nil {
			t.Fatalf("after %s the project does not compile: %v\n%s", name, err, out)
		}
	}
}

// step chooses a command, or an edit of the user if it returns none.
func step(r *rand.Rand) (name string, run func(context.Context, project.Config) (project.Result, error)) {
	of := project.Resource{Group: "shop", Version: fmt.Sprint("v", 1+r.IntN(2)), Kind: []string{"Order", "Order", "Item"}[r.IntN(3)]}
	webhooks := project.Webhooks{Mutating: r.IntN(2) == 0, Validating: r.IntN(2) == 0}
	if r.IntN(2) == 0 {
		webhooks.Operations = []string{[]string{"create", "update", "delete"}[r.IntN(3)]}
	}
	force := r.IntN(2) == 0
	text := func(command string) string { return fmt.Sprintf("%s %+v", command, of) }
	switch n := r.IntN(12); {
	case n < 2:
		return text("create api"), func(ctx context.Context, c project.Config) (project.Result, error) {
			return project.CreateAPI(ctx, c, of, "")
		}
	case n < 5:
		return text(fmt.Sprintf("create webhook %+v", webhooks)), func(ctx context.Context, c project.Config) (project.Result, error) {
			return project.CreateWebhook(ctx, c, of, webhooks)
		}
	case n < 7:
		return text("create version"), func(ctx context.Context, c project.Config) (project.Result, error) {
			return project.CreateVersion(ctx, c, of, "")
		}
	case n < 9:
		return text(fmt.Sprintf("delete webhook %+v, force %v", webhooks, force)), func(ctx context.Context, c project.Config) (project.Result, error) {
			return project.DeleteWebhook(ctx, c, of, webhooks, force)
		}
	case n < 10:
		return text(fmt.Sprintf("delete version, force %v", force)), func(ctx context.Context, c project.Config) (project.Result, error) {
			return project.DeleteVersion(ctx, c, of, nil, force)
		}
	}
	return "", nil
}

// edit changes one of the user's Go files.
func edit(t *testing.T, r *rand.Rand, dir string, files map[string]string) string {
	var own []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(name, ".go") && !strings.Contains(name, "zz_generated.") {
			own = append(own, name)
		}
	}
	name := own[r.IntN(len(own))]
	writeFile(t, filepath.Join(dir, name), files[name]+"\n// The user was here.\n")
	return "edit " + name
}

// userFiles returns the files of a project.
func userFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
