// SPDX-License-Identifier: Apache-2.0

package controllerruntime

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	osexec "os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/webhook-gen/webhook-gen/hack/peers/controllerruntime/reviews"
)

// objects returns the kinds of the objects that the examples' webhooks get, by resource and version. Each object has
// only the members that its kind requires.
func objects() map[string]metav1.GroupVersionKind {
	return map[string]metav1.GroupVersionKind{
		"orders.v1":                   {Group: "shop.example.com", Version: "v1", Kind: "Order"},
		"orders.v2":                   {Group: "shop.example.com", Version: "v2", Kind: "Order"},
		"shipments.v1":                {Group: "shop.example.com", Version: "v1", Kind: "Shipment"},
		"shipments.v2":                {Group: "shop.example.com", Version: "v2", Kind: "Shipment"},
		"pods.v1":                     {Version: "v1", Kind: "Pod"},
		"pods/ephemeralcontainers.v1": {Version: "v1", Kind: "Pod"},
		"pods/exec.v1":                {Version: "v1", Kind: "PodExecOptions"},
		"namespaces.v1":               {Version: "v1", Kind: "Namespace"},
		"deployments.v1":              {Group: "apps", Version: "v1", Kind: "Deployment"},
		"statefulsets.v1":             {Group: "apps", Version: "v1", Kind: "StatefulSet"},
		"daemonsets.v1":               {Group: "apps", Version: "v1", Kind: "DaemonSet"},
		"deployments/scale.v1":        {Group: "autoscaling", Version: "v1", Kind: "Scale"},
		"statefulsets/scale.v1":       {Group: "autoscaling", Version: "v1", Kind: "Scale"},
	}
}

// TestExamples starts the examples' own programs and calls every webhook of their manifests for all operations and
// resources of its rules. It calls as an API server does, in both versions of AdmissionReview, and then with bodies
// that no API server sends.
func TestExamples(t *testing.T) {
	for _, example := range []struct{ name, folder, program string }{
		{"builtin", "builtin", "."},
		{"orders", "orders", "cmd/manager"},
	} {
		t.Run(example.name, func(t *testing.T) {
			root := filepath.Join("..", "..", "..", "examples", example.folder)
			url, ca := serveExample(t, filepath.Join(root, example.program))
			for _, w := range manifest(t, filepath.Join(root, "config", "webhook", "manifests.yaml")) {
				t.Run(w.Name, func(t *testing.T) {
					at := url + *w.ClientConfig.Service.Path
					calls := matching(t, w)
					for _, c := range calls {
						for _, c.version = range []string{"v1", "v1beta1"} {
							if got := apiServerFor(t, at, ca).do(t, t.Context(), c); got.failed != nil {
								t.Errorf("%s %s %s: no verdict: %v", c.version, c.operation, c.kind.Kind, got.failed)
							}
						}
					}
					refuses(t, at, ca, calls)
					if got := apiServerFor(t, at, ca).do(t, t.Context(), calls[0]); got.failed != nil {
						t.Errorf("afterwards there is no verdict: %v", got.failed)
					}
				})
			}
		})
	}
}

// matching is one call for each operation and resource of a webhook's rules.
func matching(t *testing.T, w admissionregistrationv1.MutatingWebhook) []call {
	t.Helper()
	var calls []call
	for _, rule := range w.Rules {
		for _, resource := range rule.Resources {
			for _, version := range rule.APIVersions {
				kind, ok := objects()[resource+"."+version]
				if !ok {
					t.Fatalf("no object is known for %s.%s", resource, version)
				}
				object, _ := json.Marshal(map[string]any{
					"apiVersion": strings.TrimPrefix(kind.Group+"/"+kind.Version, "/"), "kind": kind.Kind,
					"metadata": map[string]any{"name": "web", "namespace": "shop"}, "spec": map[string]any{},
				})
				main, sub, _ := strings.Cut(resource, "/")
				for _, operation := range rule.Operations {
					c := call{
						operation: admissionv1.Operation(operation), kind: kind, subResource: sub, mutating: w.ReinvocationPolicy != nil,
						resource: metav1.GroupVersionResource{Group: rule.APIGroups[0], Version: version, Resource: main},
					}
					if operation != admissionregistrationv1.Delete {
						c.object = string(object)
					}
					if operation == admissionregistrationv1.Delete || operation == admissionregistrationv1.Update {
						c.old = string(object)
					}
					calls = append(calls, c)
				}
			}
		}
	}
	return calls
}

// refuses sends bodies that are not reviews for the webhook. Each gets the HTTP status for its fault, and a
// metav1.Status with the reason.
func refuses(t *testing.T, url string, ca []byte, calls []call) {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	defer client.CloseIdleConnections()
	good := reviews.Of(t, calls[0].operation, calls[0].kind, raw(calls[0].object).Raw, raw(calls[0].old).Raw)
	other := metav1.GroupVersionKind{Group: "other.example.com", Version: "v1", Kind: "Other"}
	cases := []struct {
		name, method, contentType string
		body                      []byte
		code                      int
	}{
		{"a content type with a parameter", "POST", "application/json; charset=utf-8", good, http.StatusOK},
		{"GET", "GET", "application/json", nil, http.StatusMethodNotAllowed},
		{"another content type", "POST", "text/plain", good, http.StatusUnsupportedMediaType},
		{"an empty body", "POST", "application/json", nil, http.StatusBadRequest},
		{"malformed JSON", "POST", "application/json", good[:len(good)-4], http.StatusBadRequest},
		{"another object", "POST", "application/json", []byte(`{"kind":"Pod","apiVersion":"v1"}`), http.StatusBadRequest},
		{"another operation", "POST", "application/json", reviews.Of(t, "PATCH", calls[0].kind, raw(calls[0].object).Raw, nil), http.StatusBadRequest},
		{"too large a body", "POST", "application/json", bytes.Repeat([]byte(" "), 9<<20), http.StatusRequestEntityTooLarge},
		// A denial.
		{"too large a review", "POST", "application/json", append(good, bytes.Repeat([]byte(" "), 9<<20)...), http.StatusOK},
	}
	kinds := map[metav1.GroupVersionKind]bool{}
	for _, c := range calls {
		kinds[c.kind] = true
	}
	if len(kinds) == 1 { // one for several kinds decides on any
		cases = append(cases, struct {
			name, method, contentType string
			body                      []byte
			code                      int
		}{"another kind", "POST", "application/json", reviews.Of(t, calls[0].operation, other, raw(calls[0].object).Raw, raw(calls[0].old).Raw), http.StatusBadRequest})
	}
	for _, c := range cases {
		request, err := http.NewRequestWithContext(t.Context(), c.method, url, bytes.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", c.contentType)
		response, err := client.Do(request)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var status metav1.Status
		err = json.NewDecoder(response.Body).Decode(&status)
		response.Body.Close()
		if response.StatusCode != c.code || err != nil || c.code != http.StatusOK && (status.Kind != "Status" || status.Message == "") {
			t.Errorf("%s: HTTP %d, want %d, with %v %+v", c.name, response.StatusCode, c.code, err, status)
		}
	}
}

// manifest reads the webhooks of a manifest. For mutating webhooks, it sets ReinvocationPolicy as their mark.
func manifest(t *testing.T, file string) []admissionregistrationv1.MutatingWebhook {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	never := admissionregistrationv1.NeverReinvocationPolicy
	var webhooks []admissionregistrationv1.MutatingWebhook
	for _, document := range strings.Split(string(text), "---\n")[1:] {
		var c admissionregistrationv1.MutatingWebhookConfiguration
		if err := yaml.Unmarshal([]byte(document), &c); err != nil {
			t.Fatal(err)
		}
		for _, w := range c.Webhooks {
			if w.ReinvocationPolicy = nil; c.Kind == "MutatingWebhookConfiguration" {
				w.ReinvocationPolicy = &never
			}
			webhooks = append(webhooks, w)
		}
	}
	if len(webhooks) < 5 {
		t.Fatalf("%d webhooks in %s", len(webhooks), file)
	}
	return webhooks
}

// serveExample builds and starts an example's program with a certificate of its own, and returns its address.
func serveExample(t *testing.T, folder string) (url string, ca []byte) {
	t.Helper()
	dir := t.TempDir()
	binary := filepath.Join(dir, "program")
	build := osexec.Command("go", "build", "-o", binary, ".")
	build.Dir = folder
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ca = certificate(t, dir)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := fmt.Sprint(listener.Addr().(*net.TCPAddr).Port)
	listener.Close()
	arguments := []string{"-cert", filepath.Join(dir, "tls.crt"), "-key", filepath.Join(dir, "tls.key"), "-address", "127.0.0.1:" + port, "-metrics-address", "127.0.0.1:0"}
	if strings.HasSuffix(folder, "manager") {
		// No API server listens at this address: programs that serve webhooks do not call it.
		config := "apiVersion: v1\nkind: Config\nclusters: [{name: none, cluster: {server: \"https://127.0.0.1:1\"}}]\n" +
			"contexts: [{name: none, context: {cluster: none}}]\ncurrent-context: none\n"
		if err := os.WriteFile(filepath.Join(dir, "kubeconfig"), []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		arguments = []string{"-kubeconfig", filepath.Join(dir, "kubeconfig"), "-cert-dir", dir, "-webhook-port", port, "-metrics-address", "127.0.0.1:0", "-health-address", "127.0.0.1:0"}
	}
	program := osexec.Command(binary, arguments...)
	stderr, err := program.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = program.Process.Kill(); _ = program.Wait() })
	serving := make(chan bool, 1)
	go func() {
		started := regexp.MustCompile(`(?i)serving (webhooks|webhook server)`)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			if started.MatchString(lines.Text()) {
				serving <- true
			}
		}
	}()
	select {
	case <-serving:
	case <-time.After(time.Minute):
		t.Fatalf("%s does not serve", folder)
	}
	return "https://127.0.0.1:" + port, ca
}

// certificate writes tls.crt and tls.key for 127.0.0.1, and returns the authority that the certificate is itself.
func certificate(t *testing.T, dir string) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	for name, text := range map[string][]byte{"tls.crt": ca, "tls.key": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return ca
}
