// SPDX-License-Identifier: Apache-2.0

package vet

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// TestGoVet has go vet, and then Check, judge handlers that webhook-gen generated, with controller-runtime's and
// client-go's own clients. They are in package arguments of the module integration; the test gives two of its types
// code that writes and waits.
func TestGoVet(t *testing.T) {
	tool := filepath.Join(t.TempDir(), "webhook-gen")
	if out, err := exec.Command("go", "build", "-o", tool, "../../cmd/webhook-gen").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	project := t.TempDir()
	if err := os.CopyFS(project, os.DirFS("../../integration")); err != nil {
		t.Fatal(err)
	}
	added, err := txtar.ParseFile("testdata/writes.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var want string
	for _, f := range added.Files {
		if f.Name == "want" {
			want = string(f.Data)
			continue
		}
		file := filepath.Join(project, f.Name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, f.Data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	// The copy is in another folder, and go.mod names the runtime by a relative path.
	runtime, err := filepath.Abs("../../runtime")
	if err != nil {
		t.Fatal(err)
	}
	edit := exec.Command("go", "mod", "edit", "-replace=github.com/webhook-gen/webhook-gen/runtime="+runtime)
	edit.Dir = project
	if out, err := edit.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	vet := exec.Command("go", "vet", "-vettool="+tool, "./arguments", "./late")
	vet.Dir = project
	out, err := vet.CombinedOutput()
	if err == nil {
		t.Error("go vet found nothing")
	}
	found := regexp.MustCompile(`(?m)^\S+\.go:\d+:\d+: .*\n`).FindAllString(string(out), -1)
	slices.Sort(found)
	if diff := cmp.Diff(want, strings.Join(found, "")); diff != "" {
		t.Errorf("(-want +got)\n%s\nof\n%s", diff, out)
	}
	checked, err := Check(t.Context(), project, nil, []string{"./arguments", "./late"})
	if err != nil {
		t.Fatal(err)
	}
	found = nil
	for _, f := range checked {
		file, err := filepath.Rel(project, f.Position.Filename)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, fmt.Sprintf("%s:%d:%d: %s [%s]\n", filepath.ToSlash(file), f.Position.Line, f.Position.Column, f.Message, f.Rule))
	}
	slices.Sort(found)
	if diff := cmp.Diff(want, strings.Join(found, "")); diff != "" {
		t.Errorf("Check (-want +got)\n%s", diff)
	}
}
