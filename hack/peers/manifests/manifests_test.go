// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the table of projects in hack/peers/figures.md")

// project is a real project and how its webhooks are got at: one of files, overlays, chart and markers is set.
type project struct {
	module, version string
	// files, overlays of kustomize and a chart of helm are below the module's folder.
	files, overlays []string
	chart           string
	// markers makes lint read the module's +kubebuilder markers.
	markers bool
	// read is a remark by somebody who read the findings.
	read string
}

// projects were chosen for having webhook configurations on the module proxy, before lint had read them.
func projects() []project {
	return []project{
		{module: "github.com/cert-manager/cert-manager", version: "v1.21.2", chart: "deploy/charts/cert-manager",
			read: "the mutating webhook has timeoutSeconds 30: while its server hangs, each CertificateRequest waits half a minute; the validating one has 30, too"},
		{module: "github.com/kedacore/keda/v2", version: "v2.21.0", overlays: []string{"config/webhooks"}},
		{module: "github.com/open-policy-agent/gatekeeper/v3", version: "v3.23.1", files: []string{"deploy/gatekeeper.yaml"},
			read: "those that are called for everything have failurePolicy Ignore, the one with Fail is for namespaces; six subresources are only connected to, such as pods/exec, and no rule names CONNECT"},
		{module: "github.com/prometheus-operator/prometheus-operator", version: "v0.85.0", files: []string{
			"test/framework/resources/alertmanager-config-validating-webhook.yaml",
			"test/framework/resources/prometheus-operator-mutatingwebhook.yaml",
			"test/framework/resources/prometheus-operator-validatingwebhook.yaml",
		}},
		{module: "go.universe.tf/metallb", version: "v0.16.2", files: []string{"config/manifests/metallb-native.yaml"}},
		{module: "knative.dev/serving", version: "v0.51.0", files: []string{"config/core/webhooks", "third_party/istio-latest", "third_party/gateway-api-latest"},
			read: "some have no rules, and none a caBundle: their servers write both when they start"},
		{module: "sigs.k8s.io/cluster-api", version: "v1.14.2", overlays: []string{"core/config/default", "bootstrap/kubeadm/config/default", "controlplane/kubeadm/config/default"}},
		{module: "sigs.k8s.io/cluster-api-operator", version: "v0.29.0", overlays: []string{"config/default"}},
		{module: "sigs.k8s.io/cluster-api-provider-aws/v2", version: "v2.13.0", overlays: []string{"config/default"},
			read: "four webhooks are for eksconfig and eksconfigtemplate, and the plurals are eksconfigs and eksconfigtemplates: they are never called"},
		{module: "sigs.k8s.io/cluster-api-provider-gcp", version: "v1.13.1", overlays: []string{"config/default"},
			read: "eight of the webhooks take v1beta1 alone"},
		{module: "sigs.k8s.io/gateway-api", version: "v1.0.0", files: []string{"config/webhook"}},
		{module: "sigs.k8s.io/jobset", version: "v0.10.1", chart: "charts/jobset"},

		{module: "github.com/kedacore/keda/v2", version: "v2.21.0", markers: true},
		{module: "sigs.k8s.io/cluster-api", version: "v1.14.2", markers: true,
			read: "validators that check the new object, also while it is being deleted; comparisons with the old object alone are not reported"},
		{module: "sigs.k8s.io/cluster-api-operator", version: "v0.29.0", markers: true,
			read: "matchPolicy or failurePolicy is given twice, with the same value"},
		{module: "sigs.k8s.io/cluster-api-provider-aws/v2", version: "v2.13.0", markers: true, read: "a name that is given twice, with two values; the four of the manifest, at their markers; seven validators that check objects that are being deleted"},
		{module: "sigs.k8s.io/cluster-api-provider-gcp", version: "v1.13.1", markers: true, read: "the eight of the manifest, at their markers; a validator that checks objects that are being deleted"},
		{module: "sigs.k8s.io/jobset", version: "v0.10.1", markers: true, read: "sideEffects is given twice, with the same value"},
	}
}

const root = "../../.."

// TestManifests lints every project and compares the findings with hack/peers/figures.md.
func TestManifests(t *testing.T) {
	bin := t.TempDir()
	at := func(name string) string { return filepath.Join(bin, name) }
	run(t, root, "go", "build", "-o", at("webhook-gen"), "./cmd/webhook-gen")
	run(t, ".", "go", "build", "-o", at("helm"), "helm.sh/helm/v4/cmd/helm")
	run(t, ".", "go", "build", "-o", at("kustomize"), "sigs.k8s.io/kustomize/kustomize/v5")

	var table bytes.Buffer
	table.WriteString("| project | read from | webhooks | findings | which are |\n|---|---|---|---|---|\n")
	for _, p := range projects() {
		dir := download(t, p)
		var text []byte
		var from string
		lint := []string{"lint", "-f", "-"}
		switch {
		case p.markers:
			text = run(t, dir, at("webhook-gen"), "generate", "--output", "-")
			from, lint = "`+kubebuilder` markers", []string{"lint", "-C", dir}
		case p.chart != "":
			text = run(t, dir, at("helm"), "template", "release", p.chart)
			from = "`helm template " + p.chart + "`"
		case p.overlays != nil:
			from = "`kustomize build` of " + strings.Join(p.overlays, ", ")
			for _, overlay := range p.overlays {
				text = append(text, "\n---\n"...)
				text = append(text, run(t, dir, at("kustomize"), "build", overlay)...)
			}
		default:
			from = strings.Join(p.files, ", ")
			text = read(t, dir, p.files)
		}
		webhooks := bytes.Count(text, []byte("admissionReviewVersions:"))
		if webhooks == 0 {
			t.Errorf("%s has no webhooks", p.module)
		}
		fmt.Fprintf(&table, "| %s %s | %s | %d | %s | %s |\n", p.module, p.version, from, webhooks, summary(t, text, at("webhook-gen"), lint...), p.read)
	}

	const page, begin, end = root + "/hack/peers/figures.md", "<!-- projects -->\n\n", "\n<!-- end of projects -->"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), begin)
	got, after, ends := strings.Cut(rest, end)
	if !begins || !ends {
		t.Fatalf("%s has no place for the table", page)
	}
	want := table.String()
	if *update {
		if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got != want {
		t.Errorf("the table of projects in %s is stale, go test -update rewrites it:\n%s", page, want)
	}
}

// summary counts the findings of a command by rule.
func summary(t *testing.T, stdin []byte, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, append(args, "--format", "json")...)
	c.Stdin = bytes.NewReader(stdin)
	out, err := c.Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		t.Fatalf("%v: %s", err, out)
	}
	var findings []struct{ Rule, Message string }
	if err := json.Unmarshal(out, &findings); err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	var rules []string
	for _, f := range findings {
		if count[f.Rule]++; count[f.Rule] == 1 {
			rules = append(rules, f.Rule)
		}
	}
	slices.Sort(rules)
	var parts []string
	for _, rule := range rules {
		parts = append(parts, fmt.Sprintf("%s: %d", rule, count[rule]))
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// read joins files, and the YAML files of folders.
func read(t *testing.T, dir string, paths []string) (text []byte) {
	t.Helper()
	for _, path := range paths {
		path = filepath.Join(dir, path)
		files := []string{path}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			files, _ = filepath.Glob(filepath.Join(path, "*.yaml")) // the pattern is a good one
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text = append(text, "\n---\n"...)
			text = append(text, content...)
		}
	}
	return text
}

// download returns the folder of a project's module.
func download(t *testing.T, p project) string {
	t.Helper()
	var answer struct{ Dir string }
	if err := json.Unmarshal(run(t, t.TempDir(), "go", "mod", "download", "-json", p.module+"@"+p.version), &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Dir
}

func run(t *testing.T, dir string, name string, args ...string) []byte {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, stderr.String())
	}
	return out
}
