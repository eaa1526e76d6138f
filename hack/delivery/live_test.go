// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/yaml"
)

// live runs the project's program, has the API server call it, and sees a default, a denial and a conversion.
func (p project) live(t *testing.T, c cluster) {
	address := freeAddress(t)
	authority := base64.StdEncoding.EncodeToString(p.serve(t, address))
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
	c.must(p, strings.Join(objects, "\n---\n"), "apply")
	p.enforced(t, c)
	p.run("go", "build", "-o", "bin/webhook", "./cmd/webhook")
	p.waited(t, c)
	p.switched(t, c, "https://"+address, authority)
	p.migrated(t, c)
}

// switched takes the chart's definition from one version to two, and back: values decide, after the program has looked.
// Then the cluster decides, and nothing applies the definition meanwhile.
func (p project) switched(t *testing.T, c cluster, url, authority string) {
	t.Helper()
	const definition = "orders.shop.example.com"
	// rendered is the chart's definition.
	rendered := func(values ...string) map[string]any {
		t.Helper()
		command := []string{p.helm, "template", "release", "charts/shop", "--namespace", "shop-system", "--show-only", "templates/crds.yaml"}
		for _, v := range values {
			command = append(command, "--set", strings.ReplaceAll(v, definition, `definitions.orders\.shop\.example\.com`))
		}
		var object map[string]any
		if err := yaml.Unmarshal([]byte(p.run(command...)), &object); err != nil {
			t.Fatal(err)
		}
		reachAt(object, url, authority)
		return object
	}
	apply := func(object map[string]any) {
		t.Helper()
		text, err := yaml.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		c.must(p, string(text), "replace", "--save-config") // as apply does
	}
	versions := func(object map[string]any) (all string) {
		of, _, _ := unstructured.NestedSlice(object, "spec", "versions")
		for _, v := range of {
			v := v.(map[string]any)
			all += fmt.Sprintf("%v %v %v, ", v["name"], v["served"], v["storage"])
		}
		return all
	}
	is := func(want string) {
		t.Helper()
		var live map[string]any
		if err := yaml.Unmarshal([]byte(c.must(p, "", "get", "crd", definition, "-o", "yaml")), &live); err != nil {
			t.Fatal(err)
		}
		if got := versions(live); got != want {
			t.Errorf("the versions are %s and not %s", got, want)
		}
	}
	whole := versions(rendered())
	var storage, other string // the markers' storage version
	for _, v := range []string{"v1", "v2"} {
		if strings.Contains(whole, v+" true true") {
			storage = v
		} else {
			other = v
		}
	}
	conversion := func(args ...string) string {
		t.Helper()
		return output(t, p.dir, c.env, append([]string{"bin/webhook", "conversion"}, args...)...)
	}
	hidden := strings.Replace(whole, other+" true", other+" false", 1)

	// Values own the fields.
	apply(rendered(definition + ".served={" + storage + "}"))
	is(hidden)
	conversion("on", "--version", other, "--dry-run")
	is(hidden)
	apply(rendered())
	is(whole)
	conversion("on", "--version", other, "--storage", "--dry-run")
	apply(rendered(definition + ".storage=" + other))
	conversion("status")
	apply(rendered(definition + ".storage=" + storage))
	output(t, p.dir, c.env, "bin/webhook", "migrate")
	conversion("off", "--version", other, "--dry-run")
	apply(rendered(definition + ".served={" + storage + "}"))
	is(hidden)
	for values, want := range map[string]string{
		".served={v3}": "value must be one of", ".storage=v3": "value must be one of", ".servd={v1}": "additional properties 'servd' not allowed",
	} {
		if _, err := try(p.dir, p.env, p.helm, "template", "charts/shop", "--set", `definitions.orders\.shop\.example\.com`+values); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", values, err)
		}
	}

	// The cluster owns the fields.
	conversion("on", "--version", other)
	is(whole)
	conversion("on", "--version", other, "--storage")
	conversion("on", "--version", storage, "--storage")
	if out, err := try(p.dir, c.env, "bin/webhook", "conversion", "off", "--version", other); err == nil || !strings.Contains(out+err.Error(), "run migrate") {
		t.Errorf("off before the migration: %v\n%s", err, out)
	}
	output(t, p.dir, c.env, "bin/webhook", "migrate")
	conversion("off", "--version", other)
	is(hidden)
	conversion("on", "--version", other)
	is(whole)
}

// migrated makes the other version of a kind the storage version, and migrates a stored object with the permissions of
// the component config/migration alone. Then the old version may be deleted, and not before.
func (p project) migrated(t *testing.T, c cluster) {
	t.Helper()
	p.run("go", "build", "-o", "bin/webhook", "./cmd/webhook")
	c.must(p, p.read("config/migration/migration.yaml"), "apply")
	c.must(p, "apiVersion: shop.example.com/v1\nkind: Order\nmetadata: {name: stored, namespace: default}\nspec: {sku: tea}\n", "create")
	token := c.must(p, "", "create", "token", "shop-migration", "--namespace", "shop-system")
	job := c.kubeconfig(t, token)
	const definition = "orders.shop.example.com"
	var crd apiextensionsv1.CustomResourceDefinition
	read := func() {
		crd = apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.Unmarshal([]byte(c.must(p, "", "get", "crd", definition, "-o", "yaml")), &crd); err != nil {
			t.Fatal(err)
		}
	}
	read()
	var patch, old string
	for i, v := range crd.Spec.Versions {
		patch += fmt.Sprintf(`,{"op": "replace", "path": "/spec/versions/%d/storage", "value": %v}`, i, !v.Storage)
		if v.Storage {
			old = v.Name
		}
	}
	c.must(p, "", "patch", "crd", definition, "--type=json", "--patch=["+patch[1:]+"]")
	remove := []string{"bin/webhook-gen", "delete", "version", "--group", "shop", "--version", old, "--kind", "Order", "--dry-run", "--force", "--kubeconfig", c.kubeconfig(t, "")}
	if out, err := try(p.dir, p.env, remove...); err == nil || !strings.Contains(err.Error(), "status.storedVersions of "+definition+" has "+old) {
		t.Errorf("before the migration: %v\n%s", err, out)
	}
	p.run("bin/webhook", "migrate", "--kubeconfig", job)
	if read(); len(crd.Status.StoredVersions) != 1 || crd.Status.StoredVersions[0] == old {
		t.Errorf("after the migration the stored versions are %v", crd.Status.StoredVersions)
	}
	p.run(remove...)
	c.must(p, "", "delete", "orders.v1.shop.example.com", "stored")
}

// kubeconfig writes a file for the user with a token, or for the administrator.
func (c cluster) kubeconfig(t *testing.T, token string) string {
	t.Helper()
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: c.config.Host, CertificateAuthorityData: c.config.CAData}
	config.AuthInfos["me"] = &clientcmdapi.AuthInfo{Token: strings.TrimSpace(token)}
	if token == "" {
		config.AuthInfos["me"] = &clientcmdapi.AuthInfo{ClientCertificateData: c.config.CertData, ClientKeyData: c.config.KeyData}
	}
	config.Contexts["c"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "me"}
	config.CurrentContext = "c"
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, file); err != nil {
		t.Fatal(err)
	}
	return file
}

// waited plays the chart's Job that waits for the webhooks, with its permissions, its objects and its arguments.
func (p project) waited(t *testing.T, c cluster) {
	t.Helper()
	var others []string
	var objects string
	var job batchv1.Job
	out := p.run(p.helm, "template", "release", "charts/shop", "--namespace", "shop-system", "--show-only", "templates/wait.yaml", "--set",
		"wait.enabled=true,wait.timeout=30s,wait.objects[0].apiVersion=shop.example.com/v1,wait.objects[0].kind=Order,wait.objects[0].metadata.name=probe,wait.objects[0].spec.sku=tea")
	for document := range strings.SplitSeq(out, "\n---\n") {
		switch {
		case strings.Contains(document, "\nkind: Job\n"):
			if err := yaml.UnmarshalStrict([]byte(document), &job); err != nil {
				t.Fatal(err)
			}
		case strings.Contains(document, "\nkind: ConfigMap\n"):
			var content struct{ Data map[string]string }
			if err := yaml.Unmarshal([]byte(document), &content); err != nil {
				t.Fatal(err)
			}
			objects = content.Data["objects.yaml"]
			fallthrough
		default:
			others = append(others, document)
		}
	}
	c.must(p, strings.Join(others, "\n---\n"), "apply")
	token := c.must(p, "", "create", "token", job.Spec.Template.Spec.ServiceAccountName, "--namespace", "shop-system")
	container := job.Spec.Template.Spec.Containers[0]
	p.write("etc/wait/objects.yaml", objects)
	arguments := strings.Split(strings.ReplaceAll(strings.Join(container.Args, " "), "/etc/wait/", "etc/wait/"), " ")
	if said := p.run(append(append([]string{"bin/webhook"}, arguments...), "--kubeconfig", c.kubeconfig(t, token))...); said != "reached: the webhooks for Order probe\n" {
		t.Errorf("the Job prints %q", said)
	}
	p.run("rm", "-r", "etc")
}

// enforced checks that the API server calls the project's webhooks: a denial, a default and a conversion.
func (p project) enforced(t *testing.T, c cluster) {
	t.Helper()
	c.must(p, "", "wait", "--for=condition=Established", "crd/orders.shop.example.com", "--timeout=30s")
	order := func(name, spec string) string {
		return "apiVersion: shop.example.com/v1\nkind: Order\nmetadata: {name: " + name + ", namespace: default}\nspec: " + spec + "\n"
	}
	// The API server reads new configurations a moment later.
	deadline := time.Now().Add(30 * time.Second)
	for {
		_, err := c.kubectl(p, order("nothing", "{}"), "create", "--dry-run=server")
		if err != nil && strings.Contains(err.Error(), "spec.sku: Required value: sku is required") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("an order without a SKU: %v", err)
		}
		time.Sleep(200 * time.Millisecond)
	}
	c.must(p, order("tea", "{sku: tea}"), "create")
	if got := c.must(p, "", "get", "orders.v2.shop.example.com", "tea", "-o", "jsonpath={.apiVersion} {.spec.article} {.spec.priority}"); got != "shop.example.com/v2 tea normal" {
		t.Errorf("in version v2, with its default: %s", got)
	}
	c.must(p, "", "delete", "orders.v1.shop.example.com", "tea")
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

// serve builds and starts the project's program, and waits until it is ready. It returns the authority that signed the
// program's certificate, as PEM.
func (p project) serve(t *testing.T, address string) (authority []byte) {
	t.Helper()
	p.run("make", "build")
	signer := newAuthority(t)
	cert, key := signer.issue(t, t.TempDir(), "tls", &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}})
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
	roots.AddCert(signer.certificate)
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	for range 100 {
		if response, err := client.Get("https://" + address + "/readyz"); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return signer.pem()
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("the program is not ready\n%s", &log)
	return nil
}

// freeAddress returns an unused address on this machine.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}
