// SPDX-License-Identifier: Apache-2.0

package floor

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestRace runs the tests of the runtime module under the race detector, with the newest k8s.io/*. Most tests of
// admissiontest and conversiontest repeat the same calls with many objects, and take ten times as long with it: only
// the ones that call in parallel run.
func TestRace(t *testing.T) {
	const runtimePath = "github.com/webhook-gen/webhook-gen/runtime/"
	parallel := []string{
		"TestExisting", "TestSuite", "TestExistingFindsDefects/keeps_the_object", "TestExistingFindsDefects/order_of_a_map",
		"TestFaultsAreFound/13_a_list_is_too_long",
	}
	helpers := []string{runtimePath + "admission/admissiontest", runtimePath + "conversion/conversiontest"}
	dir := t.TempDir()
	copyFolder(t, filepath.Join(repository, "runtime"), dir)
	requireNewest(t, dir)
	output(t, command(dir, "go", "mod", "tidy"))
	others := slices.DeleteFunc(strings.Fields(output(t, command(dir, "go", "list", "./..."))), func(pkg string) bool {
		return slices.Contains(helpers, pkg)
	})
	test := func(packages []string, flags ...string) string {
		t.Helper()
		all := slices.Concat([]string{"test", "-race", "-vet=off", "-p", "1"}, flags, packages) // -p 1: some compare times
		return output(t, command(dir, "go", all...))
	}
	tested := test(others)
	for _, pkg := range []string{"admission", "authorization", "certificates", "conversion", "internal/failure", "internal/structural", "internal/wire", "server"} {
		if !regexp.MustCompile(`(?m)^ok\s+` + runtimePath + pkg + `\s`).MatchString(tested) {
			t.Errorf("no test of %s ran:\n%s", pkg, tested)
		}
	}
	raced := test(helpers, "-v", "-run", "^"+strings.ReplaceAll(strings.Join(parallel, "$|^"), "/", "$/^")+"$")
	for _, name := range parallel {
		if !strings.Contains(raced, "--- PASS: "+name+" ") {
			t.Errorf("%s did not run with the race detector:\n%s", name, raced)
		}
	}
}
