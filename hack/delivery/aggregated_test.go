package delivery

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/yaml"
)

// aggregated has the API server call the project's program through kube-aggregator: with the manifests as they are, the flags
// of the Deployment, and the token of its service account. Nobody else can call it.
func (p project) aggregated(t *testing.T, c cluster) {
	defer p.deliver("topology: aggregated", "certificates: self-managed")()
	manifest := p.run(p.kustomize, "build", "config/default")
	decodeStrictly(t, manifest)
	if strings.Contains(manifest, "caBundle") || strings.Contains(manifest, "cert-manager") {
		t.Errorf("the server keeps its certificates itself, and the APIService alone says who signs them\n%s", manifest)
	}
	c.must(p, manifest, "apply")
	address := c.runPod(p, "shop", manifest)

	const group, prefix, path = "shop.shop-system.svc", "/apis/shop.shop-system.svc/v1", "/apis/shop.shop-system.svc/v1/validate-shop-example-com-v1-order"
	c.must(p, "", "wait", "--for=condition=Available", "apiservice/v1."+group, "--timeout=60s")
	p.enforced(t, c)
	if resources := c.must(p, "", "api-resources", "--api-group="+group, "-o", "name"); !strings.Contains(resources, "validate-shop-example-com-v1-order."+group+"\n") || !strings.Contains(resources, "convert."+group+"\n") {
		t.Errorf("discovery lists\n%s", resources)
	}

	call := func(client *http.Client, url, header, value string) string {
		t.Helper()
		const review = `{"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": {"uid": "a", "operation": "CREATE",
			"kind": {"group": "shop.example.com", "version": "v1", "kind": "Order"}, "object": {"apiVersion": "shop.example.com/v1", "kind": "Order"}}}`
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(review))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set(header, value)
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		answer, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.Status + " " + string(answer)
	}
	at := strings.TrimSuffix(c.config.Host, "/") + path
	if answer := call(c.client(t), at, "X-None", ""); !strings.HasPrefix(answer, "200 ") || !strings.Contains(answer, "an order is for an article") {
		t.Errorf("an administrator's call is answered %s", answer)
	}
	if answer := call(c.client(t), at, "Impersonate-User", "somebody"); !strings.HasPrefix(answer, "403 ") || !strings.Contains(answer, `cannot create resource`) {
		t.Errorf("a user without a role is answered %s", answer)
	}
	stranger := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	for _, at := range []string{path, strings.TrimPrefix(path, prefix), prefix} {
		if answer := call(stranger, "https://"+address+at, "X-Remote-User", "system:apiserver"); !strings.HasPrefix(answer, "401 ") {
			t.Errorf("%s: who is not kube-aggregator is answered %s", at, answer)
		}
	}
}

// runPod runs the program as a pod of the manifest's Deployment would be: with its flags, the token of its service account,
// and an endpoint of its Service. It returns the program's address.
func (c cluster) runPod(p project, name, manifest string, more ...string) string {
	p.Helper()
	t := p.T
	account := t.TempDir()
	writeFile(t, filepath.Join(account, "ca.crt"), c.config.CAData)
	writeFile(t, filepath.Join(account, "token"), []byte(c.must(p, "", "create", "token", name, "--namespace", name+"-system")))
	const inCluster, where = "internal/webhook/certificates/zz_generated.api.go", "/var/run/secrets/kubernetes.io/serviceaccount/"
	was := p.read(inCluster)
	p.replace(inCluster, where, account+"/") // what a kubelet mounts
	binary := filepath.Join(t.TempDir(), "webhook")
	p.run("go", "build", "-o", binary, "./cmd/webhook")
	p.write(inCluster, was)

	_, port, err := net.SplitHostPort(freeAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	files := t.TempDir()
	var args []string
	for _, arg := range deploymentOf(t, manifest).Spec.Template.Spec.Containers[0].Args {
		args = append(args, strings.NewReplacer("-address=:9443", "-address=:"+port, "/etc/webhook", files).Replace(arg))
	}
	args = append(args, "-cert="+filepath.Join(files, "certs", "tls.crt"), "-key="+filepath.Join(files, "certs", "tls.key"), "-drain=-1s",
		"-front-proxy-ca="+filepath.Join(files, "callers", "ca.crt"), "-front-proxy-names="+filepath.Join(files, "callers", "names"))
	server, err := url.Parse(c.config.Host)
	if err != nil {
		t.Fatal(err)
	}
	var log lockedBuffer
	program := exec.Command(binary, append(args, more...)...)
	program.Env, program.Stderr = append(os.Environ(), "KUBERNETES_SERVICE_HOST="+server.Hostname(), "KUBERNETES_SERVICE_PORT="+server.Port()), &log
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		program.Process.Signal(os.Interrupt)
		if err := program.Wait(); err != nil {
			t.Errorf("the program: %v", err)
		}
		if t.Failed() {
			t.Log(log.String())
		}
	})
	c.must(p, fmt.Sprintf(`apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: %[1]s, namespace: %[1]s-system, labels: {kubernetes.io/service-name: %[1]s}}
addressType: IPv4
ports: [{name: webhook, port: %[2]s}]
endpoints: [{addresses: [%[3]q], conditions: {ready: true}}]
`, name, port, reachableIP(t)), "apply")
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	for range 300 {
		if response, err := client.Get("https://127.0.0.1:" + port + "/readyz"); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return "127.0.0.1:" + port
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("the program is not ready\n%s", log.String())
	return ""
}

// deploymentOf is the Deployment of a manifest.
func deploymentOf(t *testing.T, manifest string) appsv1.Deployment {
	t.Helper()
	for document := range strings.SplitSeq(manifest, "\n---\n") {
		var d appsv1.Deployment
		if err := yaml.Unmarshal([]byte(document), &d); err == nil && d.Kind == "Deployment" {
			return d
		}
	}
	t.Fatal("there is no Deployment")
	return appsv1.Deployment{}
}

// reachableIP is an address of this machine that an EndpointSlice may have, which the loopback's is none of
// (k8s.io/kubernetes pkg/apis/core/validation, ValidateEndpointIP).
func reachableIP(t *testing.T) string {
	t.Helper()
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addresses {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.To4() != nil && ip.IP.IsGlobalUnicast() {
			return ip.IP.String()
		}
	}
	t.Skip("this machine has no address but the loopback's, which an API server does not call as a Service's endpoint")
	return ""
}
