// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The tests here need no network. hack/delivery has setup-envtest download an API server, and hack/envtest.sh builds
// the API servers that other tests use.

func TestAssetsOfTheEnvironment(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("KUBEBUILDER_ASSETS", dir)
	if _, err := Assets(t.Context(), Options{}); err == nil || !strings.Contains(err.Error(), "without kube-apiserver") {
		t.Errorf("an empty folder: %v", err)
	}
	for _, name := range []string{apiServer, etcd} {
		if err := os.WriteFile(filepath.Join(dir, executable(name)), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := Assets(t.Context(), Options{Version: "any"}); err != nil || got != dir {
		t.Errorf("%s, %v", got, err)
	}
}

func TestAssetsBuiltBefore(t *testing.T) {
	t.Setenv("KUBEBUILDER_ASSETS", "")
	cache, machine := t.TempDir(), "-"+runtime.GOOS+"-"+runtime.GOARCH
	raised := Options{Cache: cache, Require: []string{"golang.org/x/net@v0.61.0"}}
	for _, dir := range []string{
		filepath.Join(cache, "1.37.2"+machine), filepath.Join(cache, "1.37.10"+machine), filepath.Join(cache, "1.36.0"+machine),
		filepath.Join(cache, "1.37.11-plan9-mips"), filepath.Join(cache, "build-123"), raised.folder("1.37.12"),
	} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for version, want := range map[string]string{"1.37": "1.37.10", "v1.37": "1.37.10", "": "1.37.10", "1.37.2": "1.37.2", "1.36": "1.36.0"} {
		if got, err := Assets(t.Context(), Options{Cache: cache, Version: version}); err != nil || got != filepath.Join(cache, want+machine) {
			t.Errorf("version %q: %s, %v", version, got, err)
		}
	}
	if got, ok := built(Options{Cache: cache, Version: "1.37", Require: raised.Require}); !ok || got != raised.folder("1.37.12") {
		t.Errorf("with a raised module: %s", got)
	}
}

func TestAssetsOfNoVersion(t *testing.T) {
	t.Setenv("KUBEBUILDER_ASSETS", "")
	for _, version := range []string{"latest", "1", "2.0", "1.37.x", "1.37.2-rc.1", "../1.37", "1.37.2 -x"} {
		if _, err := Assets(t.Context(), Options{Cache: t.TempDir(), Version: version}); err == nil || !strings.Contains(err.Error(), "no version of Kubernetes") {
			t.Errorf("version %q: %v", version, err)
		}
	}
}

func TestModule(t *testing.T) {
	source := t.TempDir()
	goMod := filepath.Join(source, "v1.37.2.mod")
	write := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(source, "go.sum"), "sums\n")
	write(goMod, `module k8s.io/kubernetes

go 1.26.0

godebug default=go1.26

require (
	go.etcd.io/etcd/server/v3 v3.7.0
	golang.org/x/net v0.57.0
	golang.org/x/sys v0.47.0 // indirect
	k8s.io/api v0.0.0
	k8s.io/klog/v2 v2.140.0
)

replace (
	k8s.io/api => ./staging/src/k8s.io/api
	k8s.io/klog/v2 => k8s.io/klog/v2 v2.141.0
)
`)
	dir := filepath.Join(t.TempDir(), "module")
	raised := []string{"golang.org/x/net@v0.61.0", "golang.org/x/sys@v0.40.0", "example.com/other@v1.0.0"}
	if err := writeModule(dir, goMod, source, "1.37.2", raised); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	want := `module controlplane

go 1.26.0

godebug default=go1.26

require (
	go.etcd.io/etcd/server/v3 v3.7.0
	golang.org/x/net v0.61.0
	golang.org/x/sys v0.47.0 // indirect
	k8s.io/klog/v2 v2.140.0
	example.com/other v1.0.0
	k8s.io/kubernetes v1.37.2
)

replace k8s.io/klog/v2 => k8s.io/klog/v2 v2.141.0

replace k8s.io/api => k8s.io/api v0.37.2
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if sums, err := os.ReadFile(filepath.Join(dir, "go.sum")); err != nil || string(sums) != "sums\n" {
		t.Errorf("go.sum is %q, %v", sums, err)
	}
	if err := writeModule(filepath.Join(t.TempDir(), "module"), goMod, source, "1.37.2", []string{"golang.org/x/net"}); err == nil {
		t.Error("a requirement without a version is taken")
	}
}
