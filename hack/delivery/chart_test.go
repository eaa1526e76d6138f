// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// TestChart has helm render the chart of a project with every value, without each one, and with mistakes, and decodes
// all objects strictly. The same goes for kustomize and each kind of certificate.
func TestChart(t *testing.T) {
	t.Parallel()
	p := project{T: t, tools: buildDelivery(t), dir: t.TempDir()}
	p.env = append(os.Environ(), "PATH="+filepath.Dir(p.webhookGen)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	p.unpack("testdata/chart.txtar")
	p.run(p.webhookGen)
	var every map[string]any
	text, err := os.ReadFile("testdata/values.yaml")
	if err == nil {
		err = yaml.Unmarshal(text, &every)
	}
	if err != nil {
		t.Fatal(err)
	}

	t.Run("modes", func(t *testing.T) { p.in(t).modes(every) })
	t.Run("values", func(t *testing.T) { p.in(t).values(every) })
	t.Run("mistakes", func(t *testing.T) { p.in(t).mistakes(every) })
	t.Run("versions of Kubernetes", func(t *testing.T) { p.in(t).kubeVersions() })
	t.Run("labels", func(t *testing.T) { p.in(t).labels() })
}

// with returns a copy of the values with changes; nil removes one. A path has a slash between keys.
func (p project) with(all map[string]any, changes map[string]any) map[string]any {
	p.Helper()
	all = runtime.DeepCopyJSON(all)
	for path, value := range changes {
		keys := strings.Split(path, "/")
		if value == nil {
			unstructured.RemoveNestedField(all, keys...)
		} else if err := unstructured.SetNestedField(all, value, keys...); err != nil {
			p.Fatal(err)
		}
	}
	return all
}

// helmWith runs helm with the values of a file.
func (p project) helmWith(values map[string]any, command ...string) (string, error) {
	p.Helper()
	text, err := json.Marshal(values)
	if err != nil {
		p.Fatal(err)
	}
	p.write("values.json", string(text))
	return try(p.dir, p.env, append(append([]string{p.helm}, command...), "charts/shop", "--values", "values.json", "--namespace", "shop-system")...)
}

// template renders the chart of a valid set of values.
func (p project) template(values map[string]any) string {
	p.Helper()
	out, err := p.helmWith(values, "template", "release")
	if err != nil {
		p.Fatal(err)
	}
	return out
}

// modes lints and renders each kind of certificate and topology, with and without all other values.
func (p project) modes(every map[string]any) {
	const ca = "LS0tLQ=="
	for name, changes := range map[string]map[string]any{
		"cert-manager":             {"certificates": map[string]any{"mode": "cert-manager"}},
		"self-managed":             {"certificates": map[string]any{"mode": "self-managed"}},
		"secret":                   {"certificates": map[string]any{"mode": "secret", "caBundle": ca}},
		"certificate of callers":   {"callers": "certificate"},
		"password of callers":      {"callers": "password"},
		"aggregated":               {"topology": "aggregated", "callers": ""},
		"aggregated, self-managed": {"topology": "aggregated", "callers": "", "certificates": map[string]any{"mode": "self-managed"}},
		"aggregated, secret":       {"topology": "aggregated", "callers": "", "certificates": map[string]any{"mode": "secret", "caBundle": ca}},
	} {
		for _, all := range []map[string]any{{}, every} {
			set := p.with(all, changes)
			if out, err := p.helmWith(set, "lint", "--strict"); err != nil || strings.Contains(out, "[WARNING]") {
				p.Errorf("%s: %v\n%s", name, err, out)
			}
			rendered := p.template(set)
			kinds := decodeStrictly(p.T, rendered)
			for kind, want := range map[string]bool{
				"HorizontalPodAutoscaler": len(all) > 0, "ServiceMonitor": len(all) > 0, "NetworkPolicy": len(all) == 0, "PodDisruptionBudget": len(all) == 0,
				"Deployment": true, "ServiceAccount": true, "CustomResourceDefinition": len(all) == 0, "MutatingWebhookConfiguration": true, "ValidatingWebhookConfiguration": true,
			} {
				if slices.Contains(kinds, kind) != want {
					p.Errorf("%s: the kinds are %v, and %s among them is to be %t", name, kinds, kind, want)
				}
			}
			if strings.Contains(rendered, "\n  replicas:") != (len(all) == 0) {
				p.Errorf("%s: the Deployment has replicas beside a HorizontalPodAutoscaler, or neither\n%s", name, rendered)
			}
		}
	}
	for _, certificates := range []string{"cert-manager", "self-managed", "secret"} {
		p.write("webhook-gen.yaml", strings.Replace(p.read("webhook-gen.yaml"), "certificates: cert-manager", "certificates: "+certificates, 1))
		p.run(p.webhookGen)
		decodeStrictly(p.T, p.run(p.kustomize, "build", "config/default"))
		p.write("webhook-gen.yaml", strings.Replace(p.read("webhook-gen.yaml"), "certificates: "+certificates, "certificates: cert-manager", 1))
	}
	p.run(p.webhookGen)
}

// schema is a part of values.schema.json.
type schema struct {
	Ref                  string `json:"$ref"`
	Type                 string
	Enum                 []string
	Properties           map[string]*schema
	AdditionalProperties json.RawMessage
	Description          string
	Definitions          map[string]*schema
}

// readSchema reads values.schema.json with its references resolved.
func (p project) readSchema() *schema {
	var s *schema
	if err := json.Unmarshal([]byte(p.read("charts/shop/values.schema.json")), &s); err != nil {
		p.Fatal(err)
	}
	var resolve func(*schema) *schema
	resolve = func(part *schema) *schema {
		if name, ok := strings.CutPrefix(part.Ref, "#/definitions/"); ok {
			part = s.Definitions[name]
		}
		for key, property := range part.Properties {
			part.Properties[key] = resolve(property)
		}
		return part
	}
	return resolve(s)
}

// walk calls visit for every value and every object of values, with the path.
func (s *schema) walk(path string, visit func(path string, s *schema)) {
	visit(path, s)
	for _, key := range slices.Sorted(maps.Keys(s.Properties)) {
		s.Properties[key].walk(strings.TrimPrefix(path+"/"+key, "/"), visit)
	}
}

// values checks that every value of the schema changes the rendered objects.
func (p project) values(every map[string]any) {
	const ofOrders = "webhooks/mutate.orders.v1.shop.example.com" // the values of testdata are for the other webhook
	silent := map[string]string{
		"replicas": "the HorizontalPodAutoscaler sets them", "topology": "it is the default: modes has the other one",
		"extra": "nothing of ours uses it", "global": "nothing of ours uses it", "image/digest": "", "certificates/mode": "",
		"migration/enabled": "the kinds have one version: TestFromNothing has a kind with two", "migration/rate": "likewise",
		"definitions": "likewise",
	}
	all := p.template(every)
	p.readSchema().walk("", func(path string, s *schema) {
		if _, expected := silent[path]; expected || len(s.Properties) > 0 || strings.HasPrefix(path, ofOrders) {
			return
		}
		if _, found, err := unstructured.NestedFieldNoCopy(every, strings.Split(path, "/")...); !found || err != nil {
			p.Errorf("testdata/values.yaml lacks %s: %v", path, err)
			return
		}
		without := p.with(every, map[string]any{path: nil})
		if want, needed := map[string]string{
			"certificates/caBundle": "certificates.mode secret needs certificates.caBundle", "wait/objects": "wait.enabled needs wait.objects",
		}[path]; needed {
			if _, err := p.helmWith(without, "template", "release"); err == nil || !strings.Contains(err.Error(), want) {
				p.Errorf("without %s: %v", path, err)
			}
			return
		}
		if p.template(without) == all {
			p.Errorf("%s changes nothing", path)
		}
	})
	for want, changes := range map[string]map[string]any{
		"image: \"shop:0.1.0\"":                           {"image": map[string]any{"repository": "shop"}},
		"image: \"shop:v1\"":                              {"image": map[string]any{"repository": "shop", "tag": "v1"}},
		"image: \"shop@sha256:" + strings.Repeat("0", 64): {"image": map[string]any{"repository": "shop", "digest": "sha256:" + strings.Repeat("0", 64)}},
		"\n  name: release-orders\n":                      {"nameOverride": "orders"},
		"\n            - \"-enforcement=validate.pods.v1.example.com=audit\"\n": {
			"webhooks": map[string]any{"validate.pods.v1.example.com": map[string]any{"enforcement": "audit"}},
		},
		"\n  replicas: 3\n": {"replicas": int64(3)},
		`- {"labelSelector":{"matchLabels":{"app.kubernetes.io/instance":"release","app.kubernetes.io/name":"shop"}},"maxSkew":1,`: {
			"topologySpreadConstraints": every["topologySpreadConstraints"],
		},
	} {
		if rendered := p.template(p.with(map[string]any{}, changes)); !strings.Contains(rendered, want) {
			p.Errorf("%v: no %q\n%s", changes, want, rendered)
		}
	}
}

// mistakes checks that a key with a typo fails in every object of ours, a wrong type in every value, and values that
// contradict others.
func (p project) mistakes(every map[string]any) {
	fails := func(changes map[string]any, want string) {
		p.Helper()
		out, err := p.helmWith(p.with(every, changes), "template", "release")
		if err == nil {
			p.Errorf("%v is rendered\n%s", changes, out)
		} else if !strings.Contains(err.Error(), want) {
			p.Errorf("%v: no %q in %v", changes, want, err)
		}
	}
	objects, leaves := 0, 0
	p.readSchema().walk("", func(path string, s *schema) {
		if len(s.Properties) > 0 {
			objects++
			typo := strings.TrimPrefix(path+"/typo", "/")
			fails(map[string]any{typo: "x"}, fmt.Sprintf("at '%s': additional properties 'typo' not allowed", strings.TrimSuffix("/"+path, "/")))
			return
		}
		leaves++
		wrong := any("text")
		if s.Type == "string" || len(s.Enum) > 0 {
			wrong = []any{}
		}
		fails(map[string]any{path: wrong}, fmt.Sprintf("at '/%s': ", path))
	})
	if objects < 9 || leaves < 40 {
		p.Errorf("the schema has %d objects and %d values only", objects, leaves)
	}
	for want, changes := range map[string]map[string]any{
		"value must be one of 'cert-manager', 'self-managed', 'secret'":                      {"certificates/mode": "other"},
		"value must be one of 'service', 'aggregated'":                                       {"topology": "other"},
		"additional properties 'enforcement' not allowed":                                    {"webhooks/mutate.orders.v1.shop.example.com": map[string]any{"enforcement": "warn"}},
		"does not match pattern":                                                             {"image/digest": "sha256:0"},
		"at '/podAnnotations/a': got boolean, want string":                                   {"podAnnotations": map[string]any{"a": true}},
		"callers: with the topology aggregated kube-aggregator calls, by its own":            {"topology": "aggregated"},
		"env: the chart sets GOMEMLIMIT from resources.limits.memory":                        {"env": []any{map[string]any{"name": "GOMEMLIMIT", "value": "1"}}},
		"autoscaling: set resources.requests.cpu":                                            {"resources": map[string]any{"requests": map[string]any{"cpu": nil}}},
		"at '/volumeMounts/0': missing property 'mountPath'":                                 {"volumeMounts": []any{map[string]any{"name": "prices"}}},
		"at '/topologySpreadConstraints/0': missing properties 'maxSkew', 'topologyKey', 'w": {"topologySpreadConstraints": []any{map[string]any{}}},
	} {
		fails(changes, want)
	}
}

// kubeVersions follows kubeVersion of Chart.yaml through changes of the project.
func (p project) kubeVersions() {
	const line = "\nkubeVersion: \">=1.27.0-0\" # webhook-gen: "
	if chart := p.read("charts/shop/Chart.yaml"); !strings.Contains(chart, line) {
		p.Errorf("Chart.yaml lacks %q\n%s", line, chart)
	}
	p.replace("api/v1/order.go", "type Order", "// +webhook:matchCondition(name: \"others\")=\"request.userInfo.username != 'me'\"\ntype Order")
	p.run(p.webhookGen)
	for version, fits := range map[string]bool{"1.29.9": false, "v1.29.4-gke.100": false, "1.30.0": true, "v1.30.2-gke.100": true, "1.37.2": true} {
		if _, err := p.helmWith(nil, "template", "release", "--kube-version", version); (err == nil) != fits {
			p.Errorf("Kubernetes %s: %v", version, err)
		}
	}
	p.replace("charts/shop/Chart.yaml", "kubeVersion: \">=1.30.0-0\" # webhook-gen: ", "kubeVersion: \">=1.33.0\" # mine, not webhook-gen's: ")
	chart := p.read("charts/shop/Chart.yaml")
	p.run(p.webhookGen)
	if now := p.read("charts/shop/Chart.yaml"); now != chart {
		p.Errorf("the user's version was changed\n%s", now)
	}
}

// labels checks the labels of every object, of both forms of delivery. Labels of markers and definitions come first.
func (p project) labels() {
	for form, manifest := range map[string]string{
		"app.kubernetes.io/managed-by: Helm":      p.template(nil),
		"app.kubernetes.io/managed-by: kustomize": p.run(p.kustomize, "build", "config/default"),
	} {
		for document := range strings.SplitSeq(manifest, "\n---\n") {
			var o unstructured.Unstructured
			if err := yaml.Unmarshal([]byte(document), &o.Object); err != nil {
				p.Fatal(err)
			}
			if len(o.Object) == 0 {
				continue // comments alone
			}
			key, value, _ := strings.Cut(form, ": ")
			want := map[string]string{key: value, "app.kubernetes.io/name": "shop"}
			if value == "Helm" {
				want["app.kubernetes.io/instance"], want["app.kubernetes.io/version"], want["helm.sh/chart"] = "release", "0.1.0", "shop-0.1.0"
			} else if want["app.kubernetes.io/part-of"] = "shop"; o.GetKind() == "CustomResourceDefinition" {
				delete(want, "app.kubernetes.io/part-of") // the configurations set it to something else
			}
			switch o.GetKind() {
			case "CustomResourceDefinition":
				want["team"] = "orders"
			case "MutatingWebhookConfiguration":
				want["team"], want["app.kubernetes.io/part-of"] = "shop", "store"
			case "ValidatingWebhookConfiguration":
				delete(want, "app.kubernetes.io/part-of")
			}
			for key, value := range want {
				if o.GetLabels()[key] != value {
					p.Errorf("%s %s of %s: the label %s is %q, not %q", o.GetKind(), o.GetName(), form, key, o.GetLabels()[key], value)
				}
			}
		}
	}
}
