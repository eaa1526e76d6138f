// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestMessages makes the API server print every message in the section of docs/guides/troubleshooting.md about its
// messages. An ellipsis in a message matches any text.
func TestMessages(t *testing.T) {
	e := onAPIServer(t)
	page, err := os.ReadFile("../docs/guides/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## What an API server says\n")
	section, _, _ = strings.Cut(section, "\n## ")
	patterns := map[string]*regexp.Regexp{}
	for _, heading := range regexp.MustCompile("(?m)^### `(.*)`$").FindAllStringSubmatch(section, -1) {
		patterns[heading[1]] = regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(heading[1]), "…", "(?s:.*)"))
	}
	var said []string
	says := func(message, want string) {
		t.Helper()
		if pattern := patterns[want]; pattern == nil || !pattern.MatchString(message) {
			t.Errorf("the page has %q: %t\n%s", want, pattern != nil, message)
		}
		said = append(said, want)
	}

	for _, test := range faults(t, e) {
		says(e.refusal(t, test.configure), test.want)
	}

	namespace := e.namespace(t, nil)
	large := configMap(namespace, "large", nil)
	large.Annotations = map[string]string{"example.com/large": strings.Repeat("x", 256<<10)}
	says(fmt.Sprint(e.client.Create(t.Context(), large)), "metadata.annotations: Too long: may not be more than 262144 bytes")

	invalid := e.configuration(namespace)
	invalid.Webhooks[0].ClientConfig.URL = new("https://127.0.0.1:1")
	invalid.Webhooks[0].SideEffects = new(admissionregistrationv1.SideEffectClassSome)
	says(fmt.Sprint(e.client.Create(t.Context(), invalid)), `ValidatingWebhookConfiguration.admissionregistration.k8s.io "…" is invalid: webhooks[0].…`)

	says(e.unconverted(t, namespace), `conversion webhook for … failed: Post "…": …`)

	for heading := range patterns {
		if !slices.Contains(said, heading) {
			t.Errorf("nothing brings the API server to say %q", heading)
		}
	}
}

// fault is a webhook that does not work, with the API server's message about it.
type fault struct {
	want      string
	configure func(*admissionregistrationv1.ValidatingWebhook)
}

func faults(t *testing.T, e *environment) []fault {
	// answers is a server with a certificate for 127.0.0.1, and who has signed that.
	answers := func(handler http.HandlerFunc) (url string, ca []byte) {
		server := httptest.NewUnstartedServer(handler)
		server.Config.ErrorLog = nil
		server.StartTLS()
		t.Cleanup(server.Close)
		return server.URL, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	}
	at := func(url string, ca []byte) func(*admissionregistrationv1.ValidatingWebhook) {
		return func(w *admissionregistrationv1.ValidatingWebhook) {
			w.ClientConfig = admissionregistrationv1.WebhookClientConfig{URL: &url, CABundle: ca}
		}
	}
	verdict := func(response string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			uid := regexp.MustCompile(`"uid":"([^"]*)"`).FindSubmatch(body)[1]
			fmt.Fprintf(w, `{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": %s}`, strings.ReplaceAll(response, "UID", string(uid)))
		}
	}
	code := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(code)
			io.WriteString(w, body)
		}
	}
	healthy, ca := answers(verdict(`{"uid": "UID", "allowed": true}`))
	plain := httptest.NewServer(code(http.StatusOK, ""))
	t.Cleanup(plain.Close)
	closed := httptest.NewServer(nil)
	closed.Close()

	const call = `failed calling webhook "…": failed to call webhook: `
	return []fault{
		{call + `Post "…": context deadline exceeded`, func(w *admissionregistrationv1.ValidatingWebhook) {
			at(answers(func(w http.ResponseWriter, r *http.Request) { time.Sleep(2 * time.Second) }))(w)
			w.TimeoutSeconds = new(int32(1))
		}},
		{call + `Post "…": tls: failed to verify certificate: x509: certificate signed by unknown authority`, at(healthy, e.ca)},
		{call + `Post "…": tls: failed to verify certificate: x509: certificate is valid for …, not …`, at(strings.Replace(healthy, "127.0.0.1", "localhost", 1), ca)},
		{call + `Post "…": dial tcp …: connect: connection refused`, at("https"+strings.TrimPrefix(closed.URL, "http"), ca)},
		{call + `Post "…": http: server gave HTTP response to HTTPS client`, at("https"+strings.TrimPrefix(plain.URL, "http"), ca)},
		{call + `Post "…": service "…" not found`, func(w *admissionregistrationv1.ValidatingWebhook) {
			w.ClientConfig.Service = &admissionregistrationv1.ServiceReference{Namespace: "default", Name: "nobody"}
		}},
		{call + `the server could not find the requested resource`, at(answers(http.NotFound))},
		{call + `no webhook is served at "…"`, func(w *admissionregistrationv1.ValidatingWebhook) {
			w.ClientConfig.Service = &admissionregistrationv1.ServiceReference{
				Namespace: serviceNamespace, Name: mainService, Port: new(int32(mainPort)), Path: new("/nowhere"),
			}
			w.ClientConfig.CABundle = e.ca
		}},
		{call + `the server is currently unable to handle the request`, at(answers(code(http.StatusServiceUnavailable, "")))},
		{call + `an error on the server ("…") has prevented the request from succeeding`, at(answers(code(http.StatusInternalServerError, "no lookup")))},
		{`failed calling webhook "…": received invalid webhook response: …`, at(answers(verdict(`{"uid": "another", "allowed": true}`)))},
		{`admission webhook "…" denied the request: …`, at(answers(verdict(`{"uid": "UID", "allowed": false, "status": {"message": "no"}}`)))},
		{`expression '…' resulted in error: no such key: …`, func(w *admissionregistrationv1.ValidatingWebhook) {
			at(healthy, ca)(w)
			w.MatchConditions = []admissionregistrationv1.MatchCondition{{Name: "team", Expression: "object.metadata.labels.team == 'a'"}}
		}},
	}
}

// configuration registers a webhook without an address for the ConfigMaps of a namespace.
func (e *environment) configuration(namespace string) *admissionregistrationv1.ValidatingWebhookConfiguration {
	return &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "messages-" + namespace},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name:                    "messages.integration.example.com",
			AdmissionReviewVersions: []string{"v1"},
			SideEffects:             new(admissionregistrationv1.SideEffectClassNone),
			NamespaceSelector:       &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": namespace}},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
				Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
			}},
		}},
	}
}

// refusal is why a ConfigMap is not created under a webhook.
func (e *environment) refusal(t *testing.T, configure func(*admissionregistrationv1.ValidatingWebhook)) string {
	t.Helper()
	namespace := e.namespace(t, nil)
	configuration := e.configuration(namespace)
	configure(&configuration.Webhooks[0])
	if err := e.client.Create(t.Context(), configuration); err != nil {
		t.Fatal(err)
	}
	defer e.client.Delete(t.Context(), configuration)
	// The API server reads new configurations a moment later.
	for range 100 {
		labelled := configMap(namespace, "any", map[string]string{"topic": "messages"})
		if err := e.client.Create(t.Context(), labelled, client.DryRunAll); err != nil {
			return err.Error()
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Error("nothing is refused")
	return ""
}

// unconverted is why an object is not served in another version than it is stored in.
func (e *environment) unconverted(t *testing.T, namespace string) string {
	t.Helper()
	schema := &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object"}}
	crd := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "parcels.messages.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "messages.example.com", Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: "Parcel", ListKind: "ParcelList", Plural: "parcels", Singular: "parcel"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{
				{Name: "v1", Served: true, Storage: true, Schema: schema}, {Name: "v2", Served: true, Schema: schema},
			},
			Conversion: &apiextensionsv1.CustomResourceConversion{
				Strategy: apiextensionsv1.WebhookConverter,
				Webhook: &apiextensionsv1.WebhookConversion{
					ConversionReviewVersions: []string{"v1"},
					ClientConfig:             &apiextensionsv1.WebhookClientConfig{URL: new("https://127.0.0.1:1/convert")},
				},
			},
		},
	}
	if err := e.client.Create(t.Context(), crd); err != nil {
		t.Fatal(err)
	}
	defer e.client.Delete(t.Context(), crd)
	parcel := func(version string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "messages.example.com/" + version, "kind": "Parcel",
			"metadata": map[string]any{"name": "any", "namespace": namespace},
		}}
	}
	var err error
	for range 100 {
		if err = e.client.Create(t.Context(), parcel("v2"), client.DryRunAll); strings.Contains(fmt.Sprint(err), "conversion") {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Sprint(err)
}
