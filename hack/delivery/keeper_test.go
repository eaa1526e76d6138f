// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"bytes"
	"context"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/webhook-gen/webhook-gen/runtime/certificates"
)

const configurations = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: shop}
webhooks:
  - name: ours.example.com
    clientConfig: {service: {name: shop, namespace: shop-system, path: /ours}}
    admissionReviewVersions: [v1]
    sideEffects: None
    rules: [{apiGroups: [shop.example.com], apiVersions: [v1], resources: [orders], operations: [CREATE]}]
  - name: theirs.example.com
    clientConfig: {service: {name: other, namespace: shop-system}}
    admissionReviewVersions: [v1]
    sideEffects: None
    rules: [{apiGroups: [shop.example.com], apiVersions: [v1], resources: [parcels], operations: [CREATE]}]
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: orders.shop.example.com}
spec:
  group: shop.example.com
  scope: Namespaced
  names: {kind: Order, plural: orders, singular: order, listKind: OrderList}
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: {service: {name: shop, namespace: shop-system, path: /convert}}
  versions:
    - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
    - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop-system}
`

// TestCertificates runs two replicas that keep one certificate on a real API server. Then the authority changes, and
// the old one stays trusted beside it.
func TestCertificates(t *testing.T) {
	c := startCluster(t)
	kubectl := filepath.Join(everyCommand.in(t, "kubectl"), "kubectl")
	manifest := filepath.Join(t.TempDir(), "configurations.yaml")
	if err := os.WriteFile(manifest, []byte(configurations), 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, ".", c.env, kubectl, "apply", "-f", manifest)
	config, api := c.config, &certificates.API{URL: strings.TrimSuffix(c.config.Host, "/"), Client: c.client(t)}
	start := func(now time.Time) string {
		dir := t.TempDir()
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		keeper := &certificates.Keeper{
			Secret: "shop-system/shop-tls", Service: "shop",
			Objects:  []string{"validatingwebhookconfigurations/shop", "mutatingwebhookconfigurations/none", "customresourcedefinitions/orders.shop.example.com"},
			CertFile: filepath.Join(dir, "tls.crt"), KeyFile: filepath.Join(dir, "tls.key"),
			API: api, Now: func() time.Time { return now },
		}
		if err := keeper.Start(ctx); err != nil {
			t.Error(err)
		}
		text, err := os.ReadFile(keeper.CertFile)
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	now := time.Now()
	replicas := make(chan string, 2)
	for range 2 {
		go func() { replicas <- start(now) }()
	}
	if a, b := <-replicas, <-replicas; a != b || a == "" {
		t.Errorf("two replicas serve\n%s\nand\n%s", a, b)
	}
	first := injected(t, config)
	if n := countCertificates(first); n != 1 {
		t.Errorf("%d authorities are trusted at the beginning", n)
	}
	start(now.Add(270 * 24 * time.Hour))
	second := injected(t, config)
	if n := countCertificates(second); n != 2 || !bytes.HasSuffix(second, first) {
		t.Errorf("%d authorities are trusted while a new one takes over, the old one among them: %t", n, bytes.HasSuffix(second, first))
	}
}

// injected returns the authorities that the objects trust. They are the same in all objects, and absent from a webhook
// with another Service.
func injected(t *testing.T, config *rest.Config) []byte {
	t.Helper()
	c, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := apiextensionsv1.AddToScheme(c.Scheme()); err != nil {
		t.Fatal(err)
	}
	var webhooks admissionregistrationv1.ValidatingWebhookConfiguration
	var crd apiextensionsv1.CustomResourceDefinition
	var secret corev1.Secret
	for _, get := range []struct {
		object client.Object
		key    client.ObjectKey
	}{
		{&webhooks, client.ObjectKey{Name: "shop"}}, {&crd, client.ObjectKey{Name: "orders.shop.example.com"}},
		{&secret, client.ObjectKey{Namespace: "shop-system", Name: "shop-tls"}},
	} {
		if err := c.Get(t.Context(), get.key, get.object); err != nil {
			t.Fatal(err)
		}
	}
	authorities := webhooks.Webhooks[0].ClientConfig.CABundle
	if !bytes.Equal(authorities, crd.Spec.Conversion.Webhook.ClientConfig.CABundle) || !bytes.Equal(authorities, secret.Data["ca.crt"]) {
		t.Error("the objects do not say the same")
	}
	if len(webhooks.Webhooks[1].ClientConfig.CABundle) > 0 {
		t.Error("another's webhook was changed")
	}
	return authorities
}

func countCertificates(text []byte) int {
	n := 0
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		n++
	}
	return n
}
