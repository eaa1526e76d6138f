// SPDX-License-Identifier: Apache-2.0

package certificates

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// TestFrontProxy runs without an API server; hack/delivery tests with a real one.
func TestFrontProxy(t *testing.T) {
	h, _, err := next(nil, names, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	authority := string(h.data[authoritiesKey])
	for name, test := range map[string]struct {
		data map[string]string
		want string // the file of names
		err  string
	}{
		"names":                {map[string]string{"requestheader-client-ca-file": authority, "requestheader-allowed-names": `["a", "b"]`}, "a\nb\n", ""},
		"any name":             {map[string]string{"requestheader-client-ca-file": authority, "requestheader-allowed-names": `[]`}, "*\n", ""},
		"nothing said of them": {map[string]string{"requestheader-client-ca-file": authority}, "*\n", ""},
		"no aggregation layer": {map[string]string{"client-ca-file": authority}, "", "without --requestheader-client-ca-file"},
		"no list":              {map[string]string{"requestheader-client-ca-file": authority, "requestheader-allowed-names": `a`}, "", "requestheader-allowed-names: "},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication" {
					t.Errorf("it asked for %s", r.URL)
				}
				if err := json.NewEncoder(w).Encode(corev1.ConfigMap{Data: test.data}); err != nil {
					t.Error(err)
				}
			}))
			defer server.Close()
			dir := t.TempDir()
			// A file that a killed process left behind, and a file that somebody else wrote, open to all.
			for _, name := range []string{"ca.crt.new", "names.new", "ca.crt"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(authority), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			proxy := &FrontProxy{AuthorityFile: filepath.Join(dir, "ca.crt"), NamesFile: filepath.Join(dir, "names"), API: &API{URL: server.URL, Client: server.Client()}}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
			defer cancel()
			err := proxy.Start(ctx)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want %s", err, test.err)
				}
				return
			}
			gotNames, readNames := os.ReadFile(proxy.NamesFile)
			gotAuthority, readAuthority := os.ReadFile(proxy.AuthorityFile)
			if err != nil || readNames != nil || readAuthority != nil || string(gotNames) != test.want || string(gotAuthority) != authority {
				t.Errorf("%v %v %v: names %q, authority %q", err, readNames, readAuthority, gotNames, gotAuthority)
			}
			wantOwnersOnly(t, proxy.NamesFile, proxy.AuthorityFile)
		})
	}
}

// wantOwnersOnly wants files that nobody but their owner may read or write.
func wantOwnersOnly(t *testing.T, files ...string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		return // which has no such modes
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode(); mode != 0o600 {
			t.Errorf("%s has mode %v, want 0600", filepath.Base(file), mode)
		}
	}
}

// TestKeeperWritesFilesForTheirOwnerOnly has an API server that takes a Secret, and files of the same names before.
func TestKeeperWritesFilesForTheirOwnerOnly(t *testing.T) {
	secret := corev1.Secret{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			if err := json.NewDecoder(r.Body).Decode(&secret); err != nil {
				t.Error(err)
			}
			secret.ResourceVersion = "1"
		}
		if secret.ResourceVersion == "" {
			http.NotFound(w, r)
			return
		}
		if err := json.NewEncoder(w).Encode(secret); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	keeper := &Keeper{
		Secret: "shop/shop-tls", Service: "shop", API: &API{URL: server.URL, Client: server.Client()},
		CertFile: filepath.Join(dir, "tls.crt"), KeyFile: filepath.Join(dir, "tls.key"),
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for range 2 { // the second finds its own files, opened to all meanwhile
		for _, name := range []string{"tls.crt", "tls.key", "tls.crt.new", "tls.key.new"} {
			path := filepath.Join(dir, name)
			content, _ := os.ReadFile(path)
			if err := os.WriteFile(path, content, 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := keeper.Start(ctx); err != nil {
			t.Fatal(err)
		}
		wantOwnersOnly(t, keeper.CertFile, keeper.KeyFile)
	}
}
