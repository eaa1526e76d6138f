// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"crypto/tls"
	"fmt"
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

// accountOf writes the files of the service account, as a kubelet mounts them, to a folder.
func (c cluster) accountOf(p project) string {
	p.Helper()
	dir := p.TempDir()
	writeFile(p.T, filepath.Join(dir, "ca.crt"), c.config.CAData)
	writeFile(p.T, filepath.Join(dir, "token"), []byte(c.must(p, "", "create", "token", "shop", "--namespace", "shop-system")))
	return dir
}

// buildPod builds the program, which finds the service account in a folder: with a copy of the runtime in which one
// path differs.
func (p project) buildPod(account string) string {
	p.Helper()
	const runtimeModule, mounted = modulePath + "/runtime", "/var/run/secrets/kubernetes.io/serviceaccount/"
	dir := p.TempDir()
	copied, goMod, binary := filepath.Join(dir, "runtime"), filepath.Join(dir, "go.mod"), filepath.Join(dir, "webhook")
	if err := os.CopyFS(copied, os.DirFS(strings.TrimSpace(p.run("go", "list", "-m", "-f", "{{.Dir}}", runtimeModule)))); err != nil {
		p.Fatal(err)
	}
	inCluster := project{T: p.T, dir: copied}
	inCluster.replace("certificates/api.go", mounted, account+"/")
	writeFile(p.T, goMod, []byte(p.read("go.mod")))
	writeFile(p.T, filepath.Join(dir, "go.sum"), []byte(p.read("go.sum")))
	p.run("go", "mod", "edit", "-replace="+runtimeModule+"="+copied, goMod) // in place of another, if there is one
	p.run("go", "build", "-modfile="+goMod, "-o", binary, "./cmd/webhook")
	return binary
}

// pod is a running program: the addresses of its webhooks and of its metrics.
type pod struct{ webhooks, metrics string }

// runPod runs the program as a pod of the manifest's Deployment would be: with its flags, volumes in a folder, and an
// endpoint of its Service. It returns when that is ready.
func (c cluster) runPod(p project, manifest, binary, volumes string) pod {
	p.Helper()
	t := p.T
	run := pod{freeAddress(t), freeAddress(t)}
	_, port, err := net.SplitHostPort(run.webhooks)
	if err != nil {
		t.Fatal(err)
	}
	// The flags of volumes whose paths are the program's defaults.
	args := []string{"-cert=/etc/webhook/certs/tls.crt", "-key=/etc/webhook/certs/tls.key", "-front-proxy-ca=/etc/webhook/callers/ca.crt",
		"-front-proxy-names=/etc/webhook/callers/names", "-drain=-1s"}
	args = append(args, deploymentOf(t, manifest).Spec.Template.Spec.Containers[0].Args...)
	for i := range args {
		args[i] = strings.NewReplacer("-metrics-address=:8080", "-metrics-address="+run.metrics, "-address=:9443", "-address=:"+port, "/etc/webhook", volumes).Replace(args[i])
	}
	server, err := url.Parse(c.config.Host)
	if err != nil {
		t.Fatal(err)
	}
	var log lockedBuffer
	program := exec.Command(binary, args...)
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
metadata: {name: shop, namespace: shop-system, labels: {kubernetes.io/service-name: shop}}
addressType: IPv4
ports: [{name: webhook, port: %s}]
endpoints: [{addresses: [%q], conditions: {ready: true}}]
`, port, reachableIP(t)), "apply")
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	for range 300 {
		if response, err := client.Get("https://" + run.webhooks + "/readyz"); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return run
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("the program is not ready\n%s", log.String())
	return pod{}
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

// reachableIP returns an address of this machine that an EndpointSlice may have. Loopback addresses are not allowed
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
