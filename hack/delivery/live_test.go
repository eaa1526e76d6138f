package delivery

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// live runs the project's program, has the API server call it, and sees a default, a denial and a conversion.
func (p project) live(t *testing.T, cluster []string) {
	address, authority := p.serve(t)
	manifest := p.run(p.kustomize, "build", "config/default")
	var objects []string
	for document := range strings.SplitSeq(manifest, "\n---\n") {
		var object map[string]any
		if err := yaml.Unmarshal([]byte(document), &object); err != nil {
			t.Fatal(err)
		}
		switch object["kind"] {
		case "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "CustomResourceDefinition":
			reachAt(object, "https://"+address, authority)
			text, err := yaml.Marshal(object)
			if err != nil {
				t.Fatal(err)
			}
			objects = append(objects, string(text))
		}
	}
	kubectl := func(stdin string, args ...string) (string, error) {
		file := filepath.Join(t.TempDir(), "stdin.yaml")
		if err := os.WriteFile(file, []byte(stdin), 0o600); err != nil {
			t.Fatal(err)
		}
		if stdin != "" {
			args = append(args, "-f", file)
		}
		return try(p.dir, cluster, append([]string{p.kubectl}, args...)...)
	}
	must := func(out string, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	must(kubectl(strings.Join(objects, "\n---\n"), "apply"))
	must(kubectl("", "wait", "--for=condition=Established", "crd/orders.shop.example.com", "--timeout=30s"))

	order := func(name, spec string) string {
		return "apiVersion: shop.example.com/v1\nkind: Order\nmetadata: {name: " + name + ", namespace: default}\nspec: " + spec + "\n"
	}
	// The API server reads new configurations a moment later.
	deadline := time.Now().Add(30 * time.Second)
	for {
		_, err := kubectl(order("nothing", "{}"), "create", "--dry-run=server")
		if err != nil && strings.Contains(err.Error(), "spec.sku: Required value: an order is for an article") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("an order for nothing: %v", err)
		}
		time.Sleep(200 * time.Millisecond)
	}
	must(kubectl(order("tea", "{sku: tea}"), "create"))
	if got := must(kubectl("", "get", "orders.v2.shop.example.com", "tea", "-o", "jsonpath={.apiVersion} {.spec.article} {.spec.priority}")); got != "shop.example.com/v2 tea normal" {
		t.Errorf("in version v2, with its default: %s", got)
	}
}

// reachAt has an object's webhooks reached at a URL in place of the Service.
func reachAt(object map[string]any, url, authority string) {
	reach := func(config map[string]any) {
		service, _ := config["service"].(map[string]any)
		config["url"] = fmt.Sprint(url, service["path"])
		config["caBundle"] = authority
		delete(config, "service")
	}
	webhooks, _ := object["webhooks"].([]any)
	for _, w := range webhooks {
		reach(w.(map[string]any)["clientConfig"].(map[string]any))
	}
	spec, _ := object["spec"].(map[string]any)
	if conversion, ok := spec["conversion"].(map[string]any); ok {
		reach(conversion["webhook"].(map[string]any)["clientConfig"].(map[string]any))
	}
}

// serve builds and starts the project's program, and waits until it is ready. It returns its address and who signed its
// certificate, PEM in base64.
func (p project) serve(t *testing.T) (address, authority string) {
	t.Helper()
	p.run("make", "build")
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	certificate := writeCertificate(t, cert, key)
	address = freeAddress(t)
	var log bytes.Buffer
	program := exec.Command(filepath.Join(p.dir, "bin", "webhook"), "-address", address, "-cert", cert, "-key", key)
	program.Stderr = &log
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		program.Process.Signal(os.Interrupt)
		if err := program.Wait(); err != nil {
			t.Errorf("the program: %v\n%s", err, &log)
		}
	})
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(certificate)
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	for range 100 {
		if response, err := client.Get("https://" + address + "/readyz"); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return address, base64.StdEncoding.EncodeToString(certificate)
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("the program is not ready\n%s", &log)
	return "", ""
}

// freeAddress is an address on this machine that nothing listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// writeCertificate makes a certificate for 127.0.0.1 that signs itself, and returns it as PEM.
func writeCertificate(t *testing.T, certFile, keyFile string) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	encodedKey, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := os.WriteFile(certFile, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encodedKey}), 0o600); err != nil {
		t.Fatal(err)
	}
	return certificate
}
