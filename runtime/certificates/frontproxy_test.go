package certificates

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// With a real API server, hack/delivery has it.
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
		"any name":             {map[string]string{"requestheader-client-ca-file": authority, "requestheader-allowed-names": `[]`}, "", ""},
		"nothing said of them": {map[string]string{"requestheader-client-ca-file": authority}, "", ""},
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
		})
	}
}
