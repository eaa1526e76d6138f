// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"encoding/json"
	"net/http"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestAggregatedAPI runs without kube-aggregator; hack/delivery tests with a real one.
func TestAggregatedAPI(t *testing.T) {
	t.Parallel()
	proxy := newAuthority(t, "front proxy")
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(r.URL.String())) }, func(s *site) {
		s.Aggregated = "shop.shop-system.svc/v1"
		s.ClientCAFile = write(t, s.dir, "ca.crt", proxy.pem)
		s.AllowedClientsFile = write(t, s.dir, "names", []byte("\nfront-proxy-client\n"))
	})
	aggregator := s.client(t, proxy.client(t, named("front-proxy-client")))

	get := func(path string, into any) {
		t.Helper()
		got, err := s.do(aggregator, http.MethodGet, path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(got.body), into); err != nil || got.StatusCode != http.StatusOK || got.Header.Get("Content-Type") != "application/json" {
			t.Fatalf("%s: HTTP %d, %v: %s", path, got.StatusCode, err, got.body)
		}
	}
	version := metav1.GroupVersionForDiscovery{GroupVersion: "shop.shop-system.svc/v1", Version: "v1"}
	group := metav1.APIGroup{Name: "shop.shop-system.svc", Versions: []metav1.GroupVersionForDiscovery{version}, PreferredVersion: version}
	var groups metav1.APIGroupList
	get("/apis", &groups)
	if diff := cmp.Diff(metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: []metav1.APIGroup{group}}, groups); diff != "" {
		t.Error(diff)
	}
	var one metav1.APIGroup
	get("/apis/shop.shop-system.svc", &one)
	group.TypeMeta = metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
	if diff := cmp.Diff(group, one); diff != "" {
		t.Error(diff)
	}
	var resources metav1.APIResourceList
	get("/apis/shop.shop-system.svc/v1", &resources)
	if diff := cmp.Diff([]metav1.APIResource{{Name: "review", SingularName: "review", Kind: "Review", Verbs: metav1.Verbs{"create"}}}, resources.APIResources); diff != "" {
		t.Error(diff)
	}

	call := func(path string, code int, want string) {
		t.Helper()
		got, err := s.do(aggregator, http.MethodPost, path, []byte("{}"))
		if err != nil {
			t.Fatal(err)
		}
		if got.StatusCode != code {
			t.Errorf("%s: HTTP %d, want %d", path, got.StatusCode, code)
		}
		if code == http.StatusOK && got.body != want {
			t.Errorf("%s reached the webhook as %s", path, got.body)
		} else if code != http.StatusOK {
			got.wantStatus(t, want)
		}
	}
	call("/apis/shop.shop-system.svc/v1/review?timeout=10s", http.StatusOK, "/review?timeout=10s")
	call("/apis/shop.shop-system.svc/v1/other", http.StatusNotFound, `"/other"`)
	call("/apis/shop.shop-system.svc/v2/review", http.StatusNotFound, `"/apis/shop.shop-system.svc/v2/review"`)

	for path, client := range map[string]*http.Client{
		"no certificate":                    s.client(t, nil),
		"another name":                      s.client(t, proxy.client(t, named("kubelet"))),
		"another authority":                 s.client(t, newAuthority(t, "front proxy").client(t, named("front-proxy-client"))),
		"a DNS name that is no common name": s.client(t, proxy.client(t, dnsNamed("front-proxy-client"))),
	} {
		got, err := s.do(client, http.MethodGet, "/apis/shop.shop-system.svc/v1", nil)
		if err != nil {
			t.Fatal(err)
		}
		if got.StatusCode != http.StatusUnauthorized && got.StatusCode != http.StatusForbidden {
			t.Errorf("%s: HTTP %d", path, got.StatusCode)
		}
	}
	if err := os.WriteFile(s.AllowedClientsFile, []byte("*\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a star among the names allows any", func() bool {
		got, err := s.review(s.client(t, proxy.client(t, named("kubelet"))))
		return err == nil && got.StatusCode == http.StatusOK
	})
}
