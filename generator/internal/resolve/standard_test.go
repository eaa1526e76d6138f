// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"testing"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// The standard library imports its own copies of golang.org/x packages, regardless of the module's requirements.
func TestStandardLibraryVendors(t *testing.T) {
	dir := writeArchive(t, "-- go.mod --\nmodule example.com/m\n\ngo 1.25\n-- m.go --\npackage m\n")
	withoutGo(t)
	result, problems := load.Load(t.Context(), load.Config{Dir: dir})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	r := New(t.Context(), result.Module)
	s, err := r.open("net/http")
	if err != nil {
		t.Fatal(err)
	}
	const vendored = "golang.org/x/net/http/httpguts"
	for _, f := range s.pkg.FilesWith(`"` + vendored + `"`) {
		importPath, ok := r.importPath(environment{scope: s, file: f}, "httpguts")
		if !ok || importPath != "vendor/"+vendored {
			t.Errorf("%s: httpguts is %q", f.Path, importPath)
		}
		return
	}
	t.Error("net/http has come to do without httpguts")
}

func TestMayBeStandard(t *testing.T) {
	for importPath, want := range map[string]bool{
		"time": true, "net/http": true, "shop/api.v1": true, "k8s.io/api": false, "example.com": false,
	} {
		if got := mayBeStandard(importPath); got != want {
			t.Errorf("%s: %v", importPath, got)
		}
	}
}
