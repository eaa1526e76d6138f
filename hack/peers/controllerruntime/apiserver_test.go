// SPDX-License-Identifier: Apache-2.0

package controllerruntime

import (
	"context"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	admissionv1 "k8s.io/api/admission/v1"
	admissionv1beta1 "k8s.io/api/admission/v1beta1"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/uuid"
	webhookerrors "k8s.io/apiserver/pkg/admission/plugin/webhook/errors"
	webhookrequest "k8s.io/apiserver/pkg/admission/plugin/webhook/request"
	webhookutil "k8s.io/apiserver/pkg/util/webhook"
)

// apiServer calls webhooks as kube-apiserver does: with the client that it builds from a webhook's configuration, and
// with its checks of the answer. The code after the call follows the dispatchers in
// k8s.io/apiserver/pkg/admission/plugin/webhook/mutating and validating.
type apiServer struct {
	clients webhookutil.ClientManager
	config  webhookutil.ClientConfig
}

// newAPIServer serves a webhook over TLS, and returns an API server that is configured to call it.
func newAPIServer(t testing.TB, h http.Handler) *apiServer {
	t.Helper()
	server := httptest.NewTLSServer(h)
	t.Cleanup(server.Close)
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return apiServerFor(t, server.URL+"/webhook", ca)
}

func apiServerFor(t testing.TB, url string, ca []byte) *apiServer {
	t.Helper()
	clients, err := webhookutil.NewClientManager(
		[]schema.GroupVersion{admissionv1beta1.SchemeGroupVersion, admissionv1.SchemeGroupVersion},
		admissionv1beta1.AddToScheme, admissionv1.AddToScheme)
	if err != nil {
		t.Fatal(err)
	}
	resolver, err := webhookutil.NewDefaultAuthenticationInfoResolver("")
	if err != nil {
		t.Fatal(err)
	}
	clients.SetAuthenticationInfoResolver(resolver)
	clients.SetServiceResolver(webhookutil.NewDefaultServiceResolver())
	if err := clients.Validate(); err != nil {
		t.Fatal(err)
	}
	return &apiServer{clients, webhookutil.ClientConfig{Name: "test.example.com", URL: url, CABundle: ca}}
}

// outcome is the result of a user's request.
type outcome struct {
	object   []byte // after the patch
	rejected error  // by a verdict
	failed   error  // the call, so that failurePolicy decides
	warnings []string
	audit    map[string]string
}

// call holds the values of one admission review.
type call struct {
	version     string // v1 if empty
	operation   admissionv1.Operation
	kind        metav1.GroupVersionKind
	resource    metav1.GroupVersionResource
	subResource string
	object, old string
	options     string
	dryRun      bool
	mutating    bool
}

func raw(s string) runtime.RawExtension {
	if s == "" {
		return runtime.RawExtension{}
	}
	return runtime.RawExtension{Raw: []byte(s)}
}

// do calls the webhook.
func (a *apiServer) do(t testing.TB, ctx context.Context, c call) outcome {
	t.Helper()
	uid := uuid.NewUUID()
	request := admissionv1.AdmissionRequest{
		UID: uid, Kind: c.kind, Resource: c.resource, SubResource: c.subResource,
		RequestKind: &c.kind, RequestResource: &c.resource, RequestSubResource: c.subResource,
		Name: "web", Namespace: "shop", Operation: c.operation,
		UserInfo: authenticationv1.UserInfo{Username: "jane", Groups: []string{"system:authenticated"}},
		Object:   raw(c.object), OldObject: raw(c.old), Options: raw(c.options), DryRun: &c.dryRun,
	}
	var review, response runtime.Object = &admissionv1.AdmissionReview{Request: &request}, &admissionv1.AdmissionReview{}
	if c.version == "v1beta1" {
		old := admissionv1beta1.AdmissionRequest{
			UID: uid, Kind: c.kind, Resource: c.resource, SubResource: c.subResource,
			Name: "web", Namespace: "shop", Operation: admissionv1beta1.Operation(c.operation),
			UserInfo: request.UserInfo, Object: raw(c.object), OldObject: raw(c.old), Options: raw(c.options), DryRun: &c.dryRun,
		}
		review, response = &admissionv1beta1.AdmissionReview{Request: &old}, &admissionv1beta1.AdmissionReview{}
	}
	client, err := a.clients.HookClient(a.config)
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Post().Body(review).Timeout(10 * time.Second).Do(ctx).Into(response); err != nil {
		return outcome{failed: err}
	}
	result, err := webhookrequest.VerifyAdmissionResponse(uid, c.mutating, response)
	if err != nil {
		return outcome{failed: err}
	}
	o := outcome{object: []byte(c.object), warnings: result.Warnings, audit: result.AuditAnnotations}
	if !result.Allowed {
		o.rejected = webhookerrors.ToStatusErr(a.config.Name, result.Result)
		return o
	}
	if len(result.Patch) == 0 {
		return o
	}
	patch, err := jsonpatch.DecodePatch(result.Patch)
	if err != nil {
		t.Fatal(err)
	}
	if len(patch) > 0 && c.object == "" {
		t.Fatal("a patch without an object, which the API server answers with an internal error")
	}
	if o.object, err = patch.Apply(o.object); err != nil {
		t.Fatal(err)
	}
	return o
}
