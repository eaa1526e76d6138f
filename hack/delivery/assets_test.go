// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// downloaded runs `make test-integration` on a machine without an API server: setup-envtest downloads one from a
// server of the test. hack/envtest.sh builds the API servers of all tests, and so tests what happens without a server.
func (p project) downloaded(t *testing.T) {
	p.T = t
	const version = "v1.37.2"
	name := fmt.Sprintf("envtest-%s-%s-%s.tar.gz", version, runtime.GOOS, runtime.GOARCH)
	archive := archiveOf(t, os.Getenv("KUBEBUILDER_ASSETS"))
	var asked []string
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	defer server.Close()
	mux.HandleFunc("/index.yaml", func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		fmt.Fprintf(w, "releases:\n  %s:\n    %s:\n      hash: %x\n      selfLink: %s/%s\n", version, name, sha512.Sum512(archive), server.URL, name)
	})
	mux.HandleFunc("/"+name, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		_, _ = w.Write(archive) // to a client that is gone, nothing
	})
	data, cache := t.TempDir(), t.TempDir()
	p.env = append(slices.Clone(p.env), "KUBEBUILDER_ASSETS=", "XDG_DATA_HOME="+data)
	said := p.run("make", "test-integration", "ASSETS=--cache "+cache+" --index "+server.URL+"/index.yaml")
	if !slices.Contains(asked, "/"+name) {
		t.Errorf("setup-envtest asked for %q alone\n%s", asked, said)
	}
	if got := strings.TrimSpace(p.run("bin/webhook-gen", "assets", "--cache", cache, "--index", server.URL+"/index.yaml")); !strings.HasPrefix(got, data) {
		t.Errorf("the downloaded API server is not found again: %s", got)
	}
}

// archiveOf packs the programs of a folder as the archives of setup-envtest are.
func archiveOf(t *testing.T, dir string) []byte {
	t.Helper()
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	for _, name := range []string{"etcd", "kube-apiserver"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := w.WriteHeader(&tar.Header{Name: "controller-tools/envtest/" + name, Mode: 0o755, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range []error{w.Close(), z.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return packed.Bytes()
}
