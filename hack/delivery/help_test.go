// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"strings"
	"testing"
)

// help runs the commands in the help and the manual that use other programs: helm, kustomize, the API server's own
// code, a cluster.
func (p project) help(t *testing.T, c cluster) {
	p.env = append(p.env, c.env[len(c.env)-1])
	p.run(p.kubectl, "config", "rename-context", strings.TrimSpace(p.run(p.kubectl, "config", "current-context")), "production")

	const order = "apiVersion: shop.example.com/v1\nkind: Order\nmetadata: {name: tea, namespace: shop}\n"
	p.write("before.yaml", order+"spec: {sku: tea}\n")
	p.write("order.yaml", order+"spec: {sku: tea, priority: high}\n")
	p.write("pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: default}\nspec: {containers: [{name: web, image: web}]}\n")
	p.write("manifests.yaml", p.read("config/webhook/manifests.yaml"))
	p.write("review.json", `{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
  "uid": "1", "operation": "CREATE", "name": "tea", "namespace": "shop", "userInfo": {"username": "alice"},
  "kind": {"group": "shop.example.com", "version": "v1", "kind": "Order"},
  "resource": {"group": "shop.example.com", "version": "v1", "resource": "orders"},
  "object": {"apiVersion": "shop.example.com/v1", "kind": "Order", "metadata": {"name": "tea", "namespace": "shop"}, "spec": {"sku": "tea"}}}}`)
	p.write("tls.crt", string(p.serve(t, "127.0.0.1:9443")))
	if said := p.follow("../../docs/reference/commands.md", "## `webhook-gen explain request`").printed; !strings.Contains(said, "validate.orders.v1.shop.example.com") {
		t.Errorf("explain request does not know the project's webhooks:\n%s", said)
	}
	p.follow("../../docs/reference/commands.md", "## `webhook-gen lint [packages]`")

	p.run("git", "init", "--quiet")
	for _, release := range []string{"v1.3.0", "v1.4.0", "v1.5.0"} {
		p.write("release", release)
		p.run("git", "add", "--all")
		p.run("git", "-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "--quiet", "--message", release)
		p.run("git", "tag", release)
	}
	p.write("rendered.yaml", `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: orders.shop.example.com}
spec:
  group: shop.example.com
  scope: Namespaced
  names: {kind: Order, plural: orders}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`)
	if said := p.follow("../../docs/reference/commands.md", "## `webhook-gen explain upgrade OLD [NEW]`").printed; !strings.Contains(said, "[]") {
		t.Errorf("explain upgrade finds something in releases that have all webhooks alike:\n%s", said)
	}
	p.follow("../../docs/guides/lint.md", "# Lint")
}
