// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// macros shorten the cases: $REST is everything that a webhook needs besides its name, a path included, and $SOME is
// the same without the path; #CR# is a carriage return.
var macros = strings.NewReplacer(
	"$REST", "path=/p,"+some,
	"$SOME", some,
	"#CR#", "\r",
)

const some = "mutating=true,failurePolicy=fail,sideEffects=None,groups=g,resources=r,verbs=create,versions=v1,admissionReviewVersions=v1"

// TestCases compares the commands on the modules in testdata/*.txtar. An archive's comment begins with controller-gen's
// outcome, so that no case passes because both commands fail.
func TestCases(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no cases", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for i, f := range archive.Files {
				archive.Files[i].Data = []byte(macros.Replace(string(f.Data)))
			}
			dir := t.TempDir()
			layOut(t, dir, archive.Files)
			expect(t, compare(t, dir), strings.SplitN(string(archive.Comment), ":", 2)[0])
		})
	}
}

// TestMarkers compares the commands on the markers in testdata/markers.txt, each in a package of its own. Each line
// begins with controller-gen's outcome.
func TestMarkers(t *testing.T) {
	list, err := os.ReadFile("testdata/markers.txt")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	layOut(t, dir, nil)
	number := 0
	for line := range strings.Lines(string(list)) {
		number++
		wanted, marker, found := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if !found || strings.HasPrefix(line, "#") {
			continue
		}
		pkg := fmt.Sprintf("p%d", number)
		writeFile(t, filepath.Join(dir, pkg, "p.go"), []byte("package p\n\n// "+macros.Replace(marker)+"\n"))
		t.Run(fmt.Sprintf("line %d", number), func(t *testing.T) {
			t.Parallel()
			expect(t, compare(t, dir, "./"+pkg), wanted)
			if t.Failed() {
				t.Log(marker)
			}
		})
	}
}

// expect checks that controller-gen had the outcome of a case.
func expect(t *testing.T, o outcome, wanted string) {
	t.Helper()
	did := "prints"
	switch {
	case o.code != 0:
		did = "fails"
	case o.manifest == "":
		did = "prints nothing"
	}
	if did != wanted {
		t.Errorf("controller-gen %s, where the case says that it %s\n%s", did, wanted, o.messages)
	}
}
