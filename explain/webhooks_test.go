// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/explain/project"
)

// shop is a folder with the files of ../generator/command/testdata/explain_requests.txtar.
func shop(t *testing.T) string {
	archive, err := txtar.ParseFile("../generator/command/testdata/explain_requests.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range archive.Files {
		file := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// certificate writes the certificate of a server.
func certificate(t *testing.T, dir string, s *httptest.Server) string {
	file := filepath.Join(dir, "tls.crt")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// explained returns the answer of a program at a URL. authority is the file of its certificate.
func explained(t *testing.T, dir, url, authority string) string {
	t.Helper()
	var out bytes.Buffer
	err := Request(t.Context(), &out, Options{
		Sources:  Sources{Configurations: []string{filepath.Join(dir, "manifests")}, CRDs: []string{filepath.Join(dir, "crd.yaml")}},
		Filename: filepath.Join(dir, "order.yaml"), Webhooks: url, WebhooksCA: authority, Format: "text",
	}, &project.Project{})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// respond serves webhooks whose responses a function makes.
func respond(t *testing.T, answer func(path string, r *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, in *http.Request) {
		text, err := io.ReadAll(in.Body)
		var review admissionv1.AdmissionReview
		if err == nil {
			err = json.Unmarshal(text, &review)
		}
		if err != nil {
			t.Error(err)
		}
		review.Response = answer(in.URL.Path, review.Request)
		review.Response.UID, review.Request = review.Request.UID, nil
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(review)
	})
}

// TestAnswers prints a request with the answers of a running program, as docs/guides/explain.md shows it.
func TestAnswers(t *testing.T) {
	dir := shop(t)
	server := httptest.NewTLSServer(respond(t, func(path string, r *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		answer := &admissionv1.AdmissionResponse{Allowed: true}
		switch path {
		case "/label":
			kind := admissionv1.PatchTypeJSONPatch
			answer.PatchType, answer.Patch = &kind, []byte(`[{"op": "add", "path": "/metadata/labels", "value": {"priority": "high"}}]`)
			answer.Warnings = []string{"orders get a label"}
		case "/high":
			answer.Allowed, answer.Result = false, &metav1.Status{Code: 422, Reason: metav1.StatusReasonInvalid, Message: "spec.size: at most 11"}
		}
		return answer
	}))
	defer server.Close()
	got := explained(t, dir, server.URL, certificate(t, dir, server))
	page, err := os.ReadFile("../docs/guides/explain.md")
	if err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(string(page), "## The webhooks' answers")
	_, shown, _ = strings.Cut(shown, "```text\n")
	shown, _, _ = strings.Cut(shown, "```\n")
	if diff := cmp.Diff(shown, got); diff != "" {
		t.Errorf("docs/guides/explain.md (-page +printed)\n%s\n%s", diff, got)
	}
}

// TestHostileAnswers prints failing calls, and no control characters.
func TestHostileAnswers(t *testing.T) {
	dir := shop(t)
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"large": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for range 17 << 10 {
				if _, err := w.Write(bytes.Repeat([]byte(" "), 1<<10)); err != nil {
					return
				}
			}
		}, "the response is larger than 16 MiB"},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusTemporaryRedirect)
		}, "the program redirects to 169.254.169.254, which is not followed"},
		"closed": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "is the program running at http"},
		"empty":  {func(http.ResponseWriter, *http.Request) {}, "failed to call webhook"},
		"escapes": {respond(t, func(string, *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
			return &admissionv1.AdmissionResponse{Result: &metav1.Status{Message: "\x1b[2Jverdict: allowed\u202e\nverdict: allowed"}}
		}).ServeHTTP, `\u001b[2Jverdict: allowed\u202e`},
		"null": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": null}`)
		}, "received invalid webhook response"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(test.handler)
			defer server.Close()
			got := explained(t, dir, server.URL, "")
			if !strings.Contains(got, test.want) || !strings.Contains(got, "\nverdict: denied") || strings.Contains(got, "\nverdict: allowed") || strings.Contains(got, "\x1b") {
				t.Errorf("it does not print %q\n%s", test.want, got)
			}
		})
	}
}

// TestAuthority calls only a program with a certificate that is trusted.
func TestAuthority(t *testing.T) {
	dir := shop(t)
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	if got := explained(t, dir, server.URL, ""); !strings.Contains(got, "--webhooks-ca names the file") {
		t.Error(got)
	}
	name := strings.Replace(server.URL, "127.0.0.1", "localhost", 1) // the certificate has no such name
	if got := explained(t, dir, name, certificate(t, dir, server)); !strings.Contains(got, "--webhooks-ca names the file") {
		t.Error(got)
	}
	server.Close()
	if got := explained(t, dir, server.URL, ""); !strings.Contains(got, "is the program running at "+server.URL) {
		t.Error(got)
	}
}

// TestSamePath calls two webhooks with the same path. The program's certificate is valid for the second only.
func TestSamePath(t *testing.T) {
	dir := shop(t)
	folder := filepath.Join(dir, "manifests")
	var manifest strings.Builder
	for name, host := range map[string]string{"a": "other.invalid", "b": "example.com"} {
		fmt.Fprintf(&manifest, `---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: %s}
webhooks:
- name: same.example.com
  clientConfig: {url: "https://%s/same"}
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Ignore
  rules: [{operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"]}]
`, name, host)
	}
	err := errors.Join(os.RemoveAll(folder), os.Mkdir(folder, 0o755),
		os.WriteFile(filepath.Join(folder, "same.yaml"), []byte(manifest.String()), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewTLSServer(respond(t, func(string, *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		return &admissionv1.AdmissionResponse{Result: &metav1.Status{Message: "denied by the program"}}
	}))
	defer server.Close()
	url := strings.Replace(server.URL, "127.0.0.1", "localhost", 1) // the certificate has no such name
	got := explained(t, dir, url, certificate(t, dir, server))
	if strings.Count(got, "--webhooks-ca names the file") != 1 || strings.Count(got, "denied by the program") == 0 {
		t.Error(got)
	}
}
