// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	groups "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// order is a definition with two versions, which a webhook converts.
const order = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: orders.shop.example.com}
spec:
  group: shop.example.com
  names: {kind: Order, listKind: OrderList, plural: orders, singular: order}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {sku: {type: string}}}}}}
  - name: v2
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {article: {type: string}}}}}}
`

// TestUninstall installs a project of webhooks, a conversion and policies with its chart and with kustomize. The server
// manages its own certificates. After the commands of docs/guides/delivery.md the API server has the objects that it
// had before. The stored order needs a conversion to be deleted.
func TestUninstall(t *testing.T) {
	source, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	p := project{T: t, tools: buildTools(t), dir: t.TempDir()}
	c := startCluster(t)
	c.emptyNamespaces(t)
	p.env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"), c.env[len(c.env)-1])
	p.env = p.path()
	p.gen("init", "--module", "example.com/shop", "--domain", "example.com", "--source", source)
	p.replace("webhook-gen.yaml", "certificates: cert-manager", "certificates: self-managed")
	p.gen("create", "api", "--group", "shop", "--version", "v1", "--kind", "Order")
	p.gen("create", "webhook", "--group", "shop", "--version", "v1", "--kind", "Order", "--validating")
	p.gen("create", "version", "--group", "shop", "--version", "v2", "--kind", "Order")
	const spec = "type OrderSpec struct{}\n"
	p.replace("api/v1/order_types.go", spec, "type OrderSpec struct {\n\t// +webhook:conversion:to=\"article\"\n\tSKU string `json:\"sku,omitempty\"`\n}\n")
	p.replace("api/v2/order_types.go", spec, "type OrderSpec struct {\n\tArticle string `json:\"article,omitempty\"`\n}\n")
	p.replace("api/v1/order_types.go", "// +webhook:conversion:spoke\n", "// +webhook:conversion:spoke\n"+
		"// +webhook:policy:validating(operations: \"create\")\n"+
		"// +webhook:policy:validation(message: \"sku is required\")=\"has(object.spec.sku)\"\n"+
		"// +webhook:policy:mutating(operations: \"create\")\n"+
		"// +webhook:policy:mutation(type: applyConfiguration)=\"Object{metadata: Object.metadata{labels: {'new': 'true'}}}\"\n")
	const validator = "internal/webhook/v1/order_webhook.go"
	create := regexp.MustCompile(`(?m)^func \(.*\) ValidateCreate\(.*\{\n`).FindString(p.read(validator))
	p.replace(validator, create, strings.Replace(create, "_ *", "r *", 1)+"\tif r.Object.Spec.SKU == \"milk\" {\n\t\treturn errors.New(\"milk is sold out\")\n\t}\n")
	p.replace(validator, "import (\n", "import (\n\t\"errors\"\n")
	p.write("config/crd/bases/shop.example.com_orders.yaml", order)
	p.gen()
	before := c.settled(t)

	t.Run("helm", func(t *testing.T) {
		p := p.in(t)
		p.run(p.helm, "install", "shop", "charts/shop", "--namespace", "shop-system", "--create-namespace", "--set", "certificates.mode=self-managed")
		manifest := p.run(p.helm, "get", "manifest", "shop", "--namespace", "shop-system")
		c.installed(p, manifest)
		p.follow("../../docs/guides/delivery.md", "### With Helm")
		c.same(t, before)
	})
	t.Run("kustomize", func(t *testing.T) {
		p := p.in(t)
		manifest := p.run(p.kustomize, "build", "config/default")
		c.must(p, manifest, "apply", "--server-side")
		c.installed(p, manifest)
		p.follow("../../docs/guides/delivery.md", "### With kustomize")
		c.same(t, before)
	})
}

// installed runs the program of an installation and waits until its webhook, its conversion and its policies hold. It
// leaves an order that is stored in another version than new ones are.
func (c cluster) installed(p project, manifest string) {
	p.Helper()
	c.runPod(p, manifest, p.buildPod(c.accountOf(p)), p.TempDir())
	sample := func(name, spec string) string {
		return "apiVersion: shop.example.com/v1\nkind: Order\nmetadata: {name: " + name + ", namespace: default}\nspec: " + spec + "\n"
	}
	for spec, want := range map[string]string{"{sku: milk}": "milk is sold out", "{}": "sku is required"} {
		eventually(p.T, func() error {
			if _, err := c.kubectl(p, sample("refused", spec), "create", "--dry-run=server"); err == nil || !strings.Contains(err.Error(), want) {
				return fmt.Errorf("an order with %s: %w", spec, err)
			}
			return nil
		})
	}
	eventually(p.T, func() error {
		got, err := c.kubectl(p, sample("labelled", "{sku: tea}"), "create", "--dry-run=server", "-o", "jsonpath={.metadata.labels.new}")
		if err != nil || got != "true" {
			return fmt.Errorf("its label is %q: %w", got, err)
		}
		return nil
	})
	c.must(p, sample("tea", "{sku: tea}"), "create")
	if got := c.must(p, "", "get", "orders.v2.shop.example.com", "tea", "-o", "jsonpath={.spec.article}"); got != "tea" {
		p.Errorf("in version v2: %q", got)
	}
	c.must(p, "", "patch", "crd", "orders.shop.example.com", "--type=json", "--patch",
		`[{"op": "replace", "path": "/spec/versions/0/storage", "value": false}, {"op": "replace", "path": "/spec/versions/1/storage", "value": true}]`)
	for what, of := range map[string][]string{
		"a caBundle of the webhooks":   {"validatingwebhookconfigurations", "-o", "jsonpath={.items[*].webhooks[*].clientConfig.caBundle}"},
		"a caBundle of the conversion": {"crd", "orders.shop.example.com", "-o", "jsonpath={.spec.conversion.webhook.clientConfig.caBundle}"},
		"a Secret":                     {"secret", "shop-tls", "--namespace", "shop-system", "-o", "jsonpath={.data}"},
	} {
		if c.must(p, "", append([]string{"get"}, of...)...) == "" {
			p.Errorf("there is no %s", what)
		}
	}
}

// objects is an administrator's client for objects.
func (c cluster) objects(t *testing.T) client.Client {
	t.Helper()
	objects, err := client.New(c.config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// listed returns the kinds of the API server's objects.
func (c cluster) listed() (kinds []groups.GroupVersionKind, namespaced map[groups.GroupVersionKind]bool, err error) {
	d, err := discovery.NewDiscoveryClientForConfig(c.config)
	if err != nil {
		return nil, nil, err
	}
	lists, err := d.ServerPreferredResources()
	if err != nil {
		return nil, nil, err
	}
	namespaced = map[groups.GroupVersionKind]bool{}
	for _, list := range lists {
		version, err := groups.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, nil, err
		}
		for _, r := range list.APIResources {
			if slices.Contains(r.Verbs, "list") && r.Name != "events" {
				kind := version.WithKind(r.Kind)
				kinds, namespaced[kind] = append(kinds, kind), r.Namespaced
			}
		}
	}
	return kinds, namespaced, nil
}

// everything returns the names of all objects besides events.
func (c cluster) everything(ctx context.Context, objects client.Client) (all []string, err error) {
	kinds, _, err := c.listed()
	for _, kind := range kinds {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
		err = errors.Join(err, objects.List(ctx, list))
		for _, o := range list.Items {
			all = append(all, fmt.Sprintf("%s %s/%s", kind.GroupKind(), o.Namespace, o.Name))
		}
	}
	slices.Sort(all)
	return all, err
}

// settled returns the names of all objects once a new API server has written its own.
func (c cluster) settled(t *testing.T) (all []string) {
	t.Helper()
	objects := c.objects(t)
	eventually(t, func() error {
		last := all
		var err error
		if all, err = c.everything(t.Context(), objects); err != nil {
			return err
		}
		if len(all) == 0 || !slices.Equal(last, all) {
			time.Sleep(2 * time.Second)
			return errors.New("the API server still writes objects of its own")
		}
		return nil
	})
	return all
}

// same waits until the API server has the same objects as before.
func (c cluster) same(t *testing.T, before []string) {
	t.Helper()
	objects := c.objects(t)
	eventually(t, func() error {
		after, err := c.everything(t.Context(), objects)
		if err != nil {
			return err
		}
		if slices.Equal(before, after) {
			return nil
		}
		without := func(all, others []string) []string {
			return slices.DeleteFunc(slices.Clone(all), func(o string) bool { return slices.Contains(others, o) })
		}
		return fmt.Errorf("left behind: %q; gone: %q", without(after, before), without(before, after))
	})
}

// eventually repeats a check for half a minute.
func eventually(t *testing.T, check func() error) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(200 * time.Millisecond) {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// emptyNamespaces deletes the content of each deleted namespace, and lets the namespace go, until the test ends. In a
// cluster kube-controller-manager does that, and deletes the EndpointSlices of a Service with it.
func (c cluster) emptyNamespaces(t *testing.T) {
	objects := c.objects(t)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	t.Cleanup(func() {
		stop()
		<-done
	})
	empty := func() error {
		var namespaces corev1.NamespaceList
		if err := objects.List(ctx, &namespaces); err != nil {
			return err
		}
		for _, n := range namespaces.Items {
			if n.DeletionTimestamp == nil {
				continue
			}
			kinds, namespaced, err := c.listed()
			if err != nil {
				return err
			}
			for _, kind := range kinds {
				if !namespaced[kind] {
					continue
				}
				list := &metav1.PartialObjectMetadataList{}
				list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
				if err := objects.List(ctx, list, client.InNamespace(n.Name)); err != nil {
					return err
				}
				for i := range list.Items {
					if err := client.IgnoreNotFound(objects.Delete(ctx, &list.Items[i])); err != nil {
						return err
					}
				}
			}
			n.Spec.Finalizers = nil
			if err := objects.SubResource("finalize").Update(ctx, &n); client.IgnoreNotFound(err) != nil {
				return err
			}
		}
		return nil
	}
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			if err := empty(); err != nil && ctx.Err() == nil {
				t.Logf("namespaces: %v", err)
			}
			time.Sleep(200 * time.Millisecond)
		}
	}()
}
