// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// project is a project of the empty folder.
type project struct {
	*testing.T
	tools
	published
	dir string
}

// delivered returns a project with the files of a txtar archive, and with the tools that build a delivery.
func delivered(t *testing.T, archive string) project {
	t.Helper()
	p := project{T: t, tools: buildDelivery(t), dir: t.TempDir()}
	p.env = os.Environ()
	p.unpack(archive)
	return p
}

// unpack writes the files of a txtar archive.
func (p project) unpack(archive string) {
	p.Helper()
	a, err := txtar.ParseFile(archive)
	if err != nil {
		p.Fatal(err)
	}
	for _, f := range a.Files {
		p.write(f.Name, string(f.Data))
	}
}

// run runs a command in the project's folder.
func (p project) run(command ...string) string {
	p.Helper()
	return output(p.T, p.dir, p.env, command...)
}

func (p project) write(name, content string) {
	p.Helper()
	file := filepath.Join(p.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		p.Fatal(err)
	}
}

func (p project) read(name string) string {
	p.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, filepath.FromSlash(name)))
	if err != nil {
		p.Fatal(err)
	}
	return string(text)
}

// replace changes a text that occurs once in a file.
func (p project) replace(name, old, now string) {
	p.Helper()
	text := p.read(name)
	if strings.Count(text, old) != 1 {
		p.Fatalf("%s has %q %d times:\n%s", name, old, strings.Count(text, old), text)
	}
	p.write(name, strings.Replace(text, old, now, 1))
}

// TestFromNothing follows the tutorial from an empty folder to webhooks that an API server calls, and removes one of
// them again.
func TestFromNothing(t *testing.T) {
	p := project{t, buildTools(t), publish(t), t.TempDir()}
	c := startCluster(t)
	project{t, p.tools, p.published, t.TempDir()}.follow("../../README.md", "## A new project")
	p.firstHour(c)
	p.follow("../../docs/guides/ci.md", "### The same version everywhere")
	gen := []string{"bin/webhook-gen"}
	p.write("charts/shop/values.yaml", p.read("charts/shop/values.yaml")+"\n# mine\n")
	p.run("make", "generate", "test", "verify")
	if !strings.HasSuffix(p.read("charts/shop/values.yaml"), "# mine\n") {
		t.Error("values.yaml was not left alone")
	}

	kinds := decodeStrictly(t, p.run(p.kustomize, "build", "config/default"))
	for _, kind := range []string{"Namespace", "CustomResourceDefinition", "Deployment", "Service", "PodDisruptionBudget", "NetworkPolicy", "ServiceAccount",
		"Issuer", "Certificate", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"} {
		if !slices.Contains(kinds, kind) {
			t.Errorf("kustomize gives no %s", kind)
		}
	}
	charts := p.charts()

	t.Run("what its generated test asks an API server", func(t *testing.T) { p.in(t).integration(t) })
	t.Run("what an API server is given", func(t *testing.T) { p.in(t).dryRun(c, charts) })
	t.Run("several releases in a cluster", func(t *testing.T) { p.in(t).releases(t, c) })
	t.Run("what it enforces", func(t *testing.T) { p.in(t).live(t, c) })
	t.Run("through kube-aggregator", func(t *testing.T) { p.in(t).aggregated(t, c) })
	t.Run("what the help shows", func(t *testing.T) { p.in(t).help(t, c) })
	t.Run("from the developer's machine", func(t *testing.T) {
		// Where conversions are set in the definitions and called through kube-aggregator, a session still calls the
		// program itself.
		defer p.in(t).deliver("certificates: cert-manager", "topology: aggregated\ncrds: [config/crd/bases]")()
		p.in(t).dev(t, c)
	})

	p.run(append(gen, "delete", "webhook", "--group", "shop", "--version", "v1", "--kind", "Order", "--force")...)
	p.run(append(gen, "delete", "version", "--group", "shop", "--version", "v2", "--kind", "Order", "--migrated", "--force")...)
	p.run("make", "generate", "test", "verify")
	t.Run("what an API server presents", func(t *testing.T) { p.in(t).callers(t) })
	knows := p.run("grep", "-rliE", "orders|orderwebhook|/convert", "cmd", "config", "charts", "internal", "test")
	stay := []string{"config/crd/bases/", "config/crd/kustomization.yaml", "charts/shop/templates/crds.yaml", "charts/shop/values.yaml"}
	for f := range strings.Lines(knows) {
		if !slices.ContainsFunc(stay, func(prefix string) bool { return strings.HasPrefix(f, prefix) }) {
			t.Errorf("%s still knows of what was deleted", strings.TrimSpace(f))
		}
	}
}

// integration has the project tested by a real API server, without an edit in generated files. First it gives the kind
// a scale, in both versions.
func (p project) integration(t *testing.T) {
	p.T = t
	for _, version := range []string{"v1", "v2"} {
		file := "api/" + version + "/order_types.go"
		const object = "// +kubebuilder:object:root=true\n" // also on the list, which comes behind the kind
		p.write(file, strings.Replace(p.read(file), object, object+"// +kubebuilder:subresource:scale:specpath=.spec.parcels,statuspath=.status.parcels\n", 1))
		p.replace(file, "\t// Priority is", "\t// Parcels is how many are packed.\n\tParcels int32 `json:\"parcels,omitempty\"`\n\t// Priority is")
	}
	p.write("config/samples/orders.yaml", "apiVersion: shop.example.com/v1\nkind: Order\nmetadata: {name: tea, namespace: shop}\nspec: {sku: tea, parcels: 2}\n"+
		"---\napiVersion: shop.example.com/v2\nkind: Order\nmetadata: {name: coffee, namespace: shop}\nspec: {article: coffee, parcels: 3}\n"+
		"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: prices, namespace: shop}\n")
	p.run("make", "generate", "test", "verify")
	said := p.follow("../../docs/guides/testing.md", "## On a real API server").printed
	for _, test := range []string{"Order/tea/v1", "Order/tea/v2", "Order/coffee/v1", "Order/coffee/v2", "ConfigMap/prices/v1"} {
		if !strings.Contains(said, "--- PASS: TestGeneratedIntegration/"+test+" ") {
			t.Errorf("%s is not tested\n%s", test, said)
		}
	}
	if strings.Contains(said, "has not been called") {
		t.Errorf("not everything is called\n%s", said)
	}
	p.downloaded(t)
	p.denied(t)
}

// denied has the generated test report each mistake in a sample that must be denied, at the line of the sample.
func (p project) denied(t *testing.T) {
	order := func(name, spec string) string {
		return "apiVersion: shop.example.com/v1\nkind: Order\nmetadata: {name: " + name + ", namespace: shop}\nspec: {" + spec + "}\n"
	}
	test := func() string {
		t.Helper()
		said, err := try(p.dir, p.env, "go", "-C", "test/webhook", "test", "-count=1", "-v", "./...")
		if err == nil {
			t.Fatalf("the test passes\n%s", said)
		}
		return said
	}
	const file = "config/samples/denied/orders.yaml"
	p.write(file, "# denied: spec.sku\n# denied: Required value\n"+order("right", "")+
		"---\n# denied: spec.sku\n"+order("accepted", "sku: tea")+
		"---\n"+order("unexplained", "")+
		"---\n#Denied : out of stock\n"+order("otherwise", "")+
		"---\n# denied: spec.sku\napiVersion: shop.example.com/v1\nkind: Odor\nmetadata: {name: unknown}\n")
	said := test()
	for _, want := range []string{
		"--- PASS: TestGeneratedIntegration/denied/Order/right ",
		"denied/orders.yaml:8: allowed, and must be denied with: spec.sku\n",
		"denied/orders.yaml:8: a dry run is allowed, and must be denied\n",
		"denied/orders.yaml:14: say why it is denied, in a comment: # denied: a part of the message\n",
		"denied/orders.yaml:19: the message must contain: out of stock\n",
		"denied/orders.yaml:25: failed, and must be denied: no matches for kind \"Odor\"",
		"--- PASS: TestGeneratedIntegration/Order/tea ",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the test does not say %q\n%s", want, said)
		}
	}
}

// charts renders the chart for every kind of certificate, with and without the optional values.
func (p project) charts() map[string]string {
	p.Helper()
	charts := map[string]string{}
	for name, values := range map[string][]string{
		"cert-manager":             nil,
		"self-managed":             {"certificates.mode=self-managed"},
		"secret":                   {"certificates.mode=secret", "certificates.caBundle=LS0tLQ==", "certificates.secretName=mine"},
		"aggregated":               {"topology=aggregated"},
		"aggregated, self-managed": {"topology=aggregated", "certificates.mode=self-managed"},
		"aggregated, secret":       {"topology=aggregated", "certificates.mode=secret", "certificates.caBundle=LS0tLQ=="},
		"metrics":                  {"metrics.enabled=true", "metrics.serviceMonitor=true"},
		"migration":                {"migration.enabled=true", "migration.rate=50", "nodeSelector.pool=system"},
		"wait": {"wait.enabled=true", "wait.timeout=30s", "wait.objects[0].apiVersion=shop.example.com/v1", "wait.objects[0].kind=Order",
			"wait.objects[0].metadata.name=probe", "wait.objects[0].metadata.namespace=default", "wait.objects[0].spec.sku=tea"},
		"values": {"failurePolicy=Ignore", "timeoutSeconds=7", "replicas=3", "networkPolicy=false", `webhooks.validate\.configmaps\.v1\.example\.com.namespaceSelector.matchLabels.environment=prod`},
	} {
		var set []string
		for _, v := range values {
			set = append(set, "--set", v)
		}
		p.run(append([]string{p.helm, "lint", "charts/shop"}, set...)...)
		charts[name] = p.run(append([]string{p.helm, "template", "release", "charts/shop", "--namespace", "shop-system"}, set...)...)
		decodeStrictly(p.T, charts[name])
	}
	for chart, texts := range map[string][]string{
		"cert-manager": {"inject-ca-from: shop-system/release-shop", "secretName: release-shop-tls", `failurePolicy: "Fail"`, "path: /convert"},
		"secret":       {"caBundle: LS0tLQ==", "secretName: mine"},
		"self-managed": {"customresourcedefinitions/orders.shop.example.com", "validatingwebhookconfigurations/release-shop-validating-webhook-configuration", "resources: [secrets]"},
		"aggregated": {"path: /apis/release-shop.shop-system.svc/v1/convert", "name: v1.release-shop.shop-system.svc", "inject-ca-from: shop-system/release-shop",
			"- -aggregated=release-shop.shop-system.svc/v1", "automountServiceAccountToken: true", "name: extension-apiserver-authentication-reader"},
		"aggregated, self-managed": {"-certificate-injects=apiservices/v1.release-shop.shop-system.svc", "resources: [apiservices]"},
		"aggregated, secret":       {"caBundle: LS0tLQ=="},
		"metrics":                  {"- -metrics-address=:8080", "containerPort: 8080", "targetPort: metrics", "port: 8080", "kind: ServiceMonitor"},
		"migration":                {"kind: Job", "helm.sh/hook: post-upgrade", "- --rate=50", "shop-system-release-shop-migration", `- "orders.shop.example.com"`, `resources: ["orders"]`, "nodeSelector: {\"pool\":\"system\"}\n      containers:\n        - name: migration"},
		"wait": {"helm.sh/hook: post-install,post-upgrade", `helm.sh/hook-weight: "-10"`, "- --timeout=30s", "shop-system-release-shop-wait",
			`resources: ["configmaps"]`, `resources: ["orders"]`, `objects.yaml: "{\"apiVersion\":\"v1\",\"items\":[{\"apiVersion\":\"shop.example.com/v1\"`},
		"values": {`failurePolicy: "Ignore"`, "timeoutSeconds: 7", "replicas: 3", `"values":["kube-system","shop-system"]}],"matchLabels":{"environment":"prod"}`},
	} {
		for _, text := range texts {
			if !strings.Contains(charts[chart], text) {
				p.Errorf("the chart with %s lacks %s\n%s", chart, text, charts[chart])
			}
		}
	}
	if n := strings.Count(charts["aggregated"], "inject-ca-from"); n != 1 {
		p.Errorf("%d objects have an authority injected, and the APIService alone reaches the Service\n%s", n, charts["aggregated"])
	}
	if n := strings.Count(charts["aggregated, secret"], "caBundle"); n != 1 {
		p.Errorf("%d objects say who signs the certificate, and the APIService alone reaches the Service\n%s", n, charts["aggregated, secret"])
	}
	if strings.Contains(charts["cert-manager"], "8080") || strings.Contains(charts["cert-manager"], "ServiceMonitor") {
		p.Error("the chart has metrics that nobody has asked for")
	}
	if strings.Contains(charts["cert-manager"], "kind: Job") {
		p.Error("the chart has a migration that nobody has asked for")
	}
	if strings.Contains(charts["values"], "kind: NetworkPolicy") || strings.Contains(charts["secret"], "cert-manager.io") {
		p.Error("the chart has what values have turned off")
	}
	for values, want := range map[string]string{
		"certificates.mode=other":           "value must be one of 'cert-manager', 'self-managed', 'secret'",
		"topology=other":                    "value must be one of 'service', 'aggregated'",
		"topology=aggregated,callers=token": "kube-aggregator calls, by its own certificate",
		"callers=token":                     "an API server presents nothing to conversions",
		"certificates.mode=secret":          "certificates.mode secret needs certificates.caBundle",
	} {
		if _, err := try(p.dir, p.env, p.helm, "template", "charts/shop", "--set", values); err == nil || !strings.Contains(err.Error(), want) {
			p.Errorf("%s: %v", values, err)
		}
	}
	return charts
}

// deliver replaces the certificates of the delivery in webhook-gen.yaml by the lines, and generates.
func (p project) deliver(lines ...string) (restore func()) {
	p.Helper()
	was := p.read("webhook-gen.yaml")
	p.replace("webhook-gen.yaml", "  certificates: cert-manager\n", "  "+strings.Join(lines, "\n  ")+"\n")
	p.run("bin/webhook-gen")
	return func() {
		p.Helper()
		p.write("webhook-gen.yaml", was)
		p.run("bin/webhook-gen")
	}
}

// dryRun has the API server check everything that it would be given, each way that it can be delivered.
func (p project) dryRun(c cluster, charts map[string]string) {
	p.Helper()
	c.must(p, p.read("config/base/namespace.yaml"), "apply")
	check := func(manifest string) {
		p.Helper()
		decodeStrictly(p.T, manifest)
		c.must(p, manifest, "apply", "--server-side", "--dry-run=server", "--validate=strict")
	}
	c.must(p, serviceMonitors, "apply")
	c.must(p, "", "wait", "--for=condition=Established", "crd/servicemonitors.monitoring.coreos.com", "--timeout=30s")
	p.replace("config/default/kustomization.yaml", "# components: [", "components: [../migration, ")
	p.write("config/ca.crt", string(newAuthority(p.T).pem()))
	for _, topology := range []string{"service", "aggregated"} {
		for _, certificates := range []string{"cert-manager", "self-managed", "secret\n  caFile: config/ca.crt"} {
			restore := p.deliver("topology: "+topology, "certificates: "+certificates)
			check(p.run(p.kustomize, "build", "config/default"))
			restore()
		}
	}
	for _, chart := range charts {
		check(chart)
	}
	p.replace("config/default/kustomization.yaml", "../migration, ", "")
	p.replace("config/default/kustomization.yaml", ", ../servicemonitor]", "]") // other clusters do not know the kind
}

// releases installs the chart twice. The second release has no CRDs: Helm refuses it with them.
func (p project) releases(t *testing.T, c cluster) {
	install := func(name string, values ...string) error {
		_, err := try(p.dir, c.env, append([]string{p.helm, "install", name, "charts/shop", "--namespace", "of-" + name, "--create-namespace",
			"--set", "certificates.mode=self-managed"}, values...)...)
		return err
	}
	second := []string{"--set", "crds.enabled=false,namespaceSelector.matchLabels.team=b"}
	if err := install("a"); err != nil {
		t.Fatal(err)
	}
	if err := install("b"); err == nil || !strings.Contains(err.Error(), "orders.shop.example.com") {
		t.Errorf("a second release with the definitions: %v", err)
	}
	if err := install("c", second...); err != nil {
		t.Fatal(err)
	}
	for name, has := range map[string]bool{"a": true, "c": false} {
		of := name + "-shop"
		if strings.Contains(c.must(p, "", "get", "clusterrole", "of-"+name+"-"+of+"-certificates", "-o", "yaml"), "customresourcedefinitions") != has {
			t.Errorf("release %s: its right to write the definitions is to be %t", name, has)
		}
		if strings.Contains(c.must(p, "", "get", "deployment", of, "--namespace", "of-"+name, "-o", "yaml"), "customresourcedefinitions/") != has {
			t.Errorf("release %s: that it writes the definitions is to be %t", name, has)
		}
		if strings.Contains(c.must(p, "", "get", "validatingwebhookconfiguration", of+"-validating-webhook-configuration", "-o", "yaml"), "team: b") == has {
			t.Errorf("release %s: its webhooks have the namespaces of the other one", name)
		}
		if converter := c.must(p, "", "get", "crd", "orders.shop.example.com", "-o", "jsonpath={.spec.conversion.webhook.clientConfig.service.namespace}"); converter != "of-a" {
			t.Errorf("%s converts", converter)
		}
	}
	for _, name := range []string{"c", "a"} {
		output(t, p.dir, c.env, p.helm, "uninstall", name, "--namespace", "of-"+name)
	}
	c.must(p, "", "delete", "crd", "orders.shop.example.com")
}

// serviceMonitors lets the API server accept any ServiceMonitor. decodeStrictly checks the content: the module of the
// type has no definition of the resource.
const serviceMonitors = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: servicemonitors.monitoring.coreos.com}
spec:
  group: monitoring.coreos.com
  scope: Namespaced
  names: {kind: ServiceMonitor, plural: servicemonitors, singular: servicemonitor, listKind: ServiceMonitorList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
`
