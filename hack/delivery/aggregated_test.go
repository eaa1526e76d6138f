// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"crypto/tls"
	"io"
	"net/http"
	"strings"
	"testing"
)

// aggregated has the API server call the project's program through kube-aggregator: with the manifests as they are, the
// flags of the Deployment, and the token of its service account. Nobody else can call it.
func (p project) aggregated(t *testing.T, c cluster) {
	defer p.deliver("topology: aggregated", "certificates: self-managed")()
	manifest := p.run(p.kustomize, "build", "config/default")
	decodeStrictly(t, manifest)
	if strings.Contains(manifest, "caBundle") || strings.Contains(manifest, "cert-manager") {
		t.Errorf("the server keeps its certificates itself, and the APIService alone says who signs them\n%s", manifest)
	}
	c.must(p, manifest, "apply")
	pod := c.runPod(p, manifest, p.buildPod(c.accountOf(p)), t.TempDir())

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
	if answer := call(c.client(t), at, "X-None", ""); !strings.HasPrefix(answer, "200 ") || !strings.Contains(answer, "sku is required") {
		t.Errorf("an administrator's call is answered %s", answer)
	}
	if answer := call(c.client(t), at, "Impersonate-User", "somebody"); !strings.HasPrefix(answer, "403 ") || !strings.Contains(answer, `cannot create resource`) {
		t.Errorf("a user without a role is answered %s", answer)
	}
	stranger := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	for _, at := range []string{path, strings.TrimPrefix(path, prefix), prefix} {
		if answer := call(stranger, "https://"+pod.webhooks+at, "X-Remote-User", "system:apiserver"); !strings.HasPrefix(answer, "401 ") {
			t.Errorf("%s: who is not kube-aggregator is answered %s", at, answer)
		}
	}
	response, err := http.Get("http://" + pod.metrics + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	metrics, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, series := range []string{
		`webhook_admission_requests_total{code="422",operation="CREATE",verdict="denied",webhook="validate.orders.v1.shop.example.com"} `,
		`webhook_admission_requests_total{code="200",operation="CREATE",verdict="allowed",webhook="mutate.orders.v1.shop.example.com"} `,
		`webhook_admission_duration_seconds_count{operation="CREATE",webhook="validate.orders.v1.shop.example.com"} `,
		`webhook_conversion_requests_total{code="200",kind="Order.shop.example.com",version="v2"} `,
		`webhook_conversion_objects_total{kind="Order.shop.example.com",version="v2"} `,
		`webhook_conversion_duration_seconds_count{kind="Order.shop.example.com",version="v2"} `,
	} {
		if !strings.Contains(string(metrics), "\n"+series) {
			t.Errorf("/metrics has no %s\n%s", series, metrics)
		}
	}
}
