// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOverlay(t *testing.T) {
	dir := write(t, `
-- go.mod --
module example.com/app

go 1.26
-- api/v1/order.go --
package v1

// +webhook
type Order struct{}
-- api/v1/plain.go --
package v1

type Plain struct{}
-- api/v1/gone.go --
package v1

// +webhook
type Gone struct{}
`)
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	r, problems := Load(context.Background(), Config{Dir: dir, Markers: []string{"+webhook"}, Overlay: Overlay{
		at("api/v1/gone.go"):          nil,
		at("api/v1/plain.go"):         []byte("package v1\n\n// +webhook\ntype Plain struct{}\n"),
		at("api/v2/order.go"):         []byte("package v2\n\n// +webhook\ntype Order struct{}\n"),
		at("policy/deep/down/pod.go"): []byte("package down\n\ntype Helper struct{}\n"),
	}})
	if len(problems) > 0 {
		t.Fatal(explain(dir, problems))
	}
	want := []string{"example.com/app/api/v1 v1 order.go plain.go", "example.com/app/api/v2 v2 order.go"}
	if diff := cmp.Diff(want, describe(r)); diff != "" {
		t.Errorf("packages (-want +got)\n%s", diff)
	}
	if name, ok := r.Module.PackageName("example.com/app/policy/deep/down"); name != "down" || !ok {
		t.Error("a package that is in the overlay alone is not found")
	}
	if files := r.Packages[0].FilesWith("Gone"); len(files) > 0 {
		t.Error("a file that is gone is read")
	}
}
