// SPDX-License-Identifier: Apache-2.0

package kubebuilder

import (
	"net/http"
	"net/http/httptest"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	batchv1 "example.com/kubebuilder/api/v1"
	webhookv1 "example.com/kubebuilder/internal/webhook/v1"
)

// webhookServer collects the handlers that are registered with a manager.
type webhookServer struct {
	webhook.Server
	handle func(path string, handler http.Handler)
}

func (s webhookServer) Register(path string, handler http.Handler) {
	s.Server.Register(path, handler)
	s.handle(path, handler)
}

// setUp registers the project's webhooks with a manager that is not started, and hands them on.
func setUp(t *testing.T, handle func(path string, handler http.Handler)) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := batchv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	manager, err := ctrl.NewManager(&rest.Config{Host: "https://127.0.0.1:1"}, ctrl.Options{
		Scheme:        scheme,
		Metrics:       metricsserver.Options{BindAddress: "0"},
		WebhookServer: webhookServer{webhook.NewServer(webhook.Options{}), handle},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := webhookv1.SetupJobWebhookWithManager(manager); err != nil {
		t.Fatal(err)
	}
}

// TestWebhooks has what every webhook decides, at the path that the manifest has.
func TestWebhooks(t *testing.T) {
	mux := http.NewServeMux()
	setUp(t, mux.Handle)
	server := httptest.NewServer(mux)
	defer server.Close()

	const (
		mutate   = "/mutate-batch-example-com-v1-job"
		validate = "/validate-batch-example-com-v1-job"
	)
	jobs := metav1.GroupVersionResource{Group: "batch.example.com", Version: "v1", Resource: "jobs"}
	job := func(spec string) string {
		return `{apiVersion: batch.example.com/v1, kind: Job, metadata: {name: sweep, namespace: house}, spec: ` + spec + `}`
	}
	unsupported := verdict{
		Code:    http.StatusUnprocessableEntity,
		Message: `Job.batch.example.com "sweep" is invalid: spec.schedule: Unsupported value: "never": supported values: "@hourly", "@daily", "@weekly"`,
		Causes:  []string{"spec.schedule"},
	}
	for name, test := range map[string]struct {
		path    string
		request request
		want    verdict
	}{
		"a job runs": {
			mutate,
			request{operation: admissionv1.Create, resource: jobs, object: job(`{schedule: "@daily"}`)},
			verdict{Allowed: true, Code: http.StatusOK, Object: job(`{schedule: "@daily", suspend: false}`)},
		},
		"a job is created": {
			validate,
			request{operation: admissionv1.Create, resource: jobs, object: job(`{schedule: "@daily"}`)},
			verdict{Allowed: true, Code: http.StatusOK},
		},
		"a job that never runs": {
			validate,
			request{operation: admissionv1.Create, resource: jobs, object: job(`{schedule: never}`)},
			unsupported,
		},
		"a job runs at other times": {
			validate,
			request{operation: admissionv1.Update, resource: jobs, object: job(`{schedule: "@daily"}`), oldObject: job(`{schedule: "@weekly"}`)},
			verdict{Allowed: true, Code: http.StatusOK, Warnings: []string{"the new schedule counts from the next run on"}},
		},
		"a job that runs goes": {
			validate,
			request{operation: admissionv1.Delete, resource: jobs, oldObject: job(`{schedule: "@daily", suspend: false}`)},
			verdict{Code: http.StatusForbidden, Message: "suspend the job first"},
		},
		"a suspended job goes": {
			validate,
			request{operation: admissionv1.Delete, resource: jobs, oldObject: job(`{schedule: "@daily", suspend: true}`)},
			verdict{Allowed: true, Code: http.StatusOK},
		},
	} {
		t.Run(name, func(t *testing.T) {
			test.request.check(t, server.Client(), server.URL+test.path, test.want)
		})
	}
}
