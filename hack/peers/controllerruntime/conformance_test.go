// SPDX-License-Identifier: Apache-2.0

package controllerruntime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/util/cert"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/webhook-gen/webhook-gen/hack/peers/controllerruntime/reviews"
	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

var (
	pods     = metav1.GroupVersionResource{Version: "v1", Resource: "pods"}
	scale    = metav1.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}
	eviction = metav1.GroupVersionKind{Group: "policy", Version: "v1", Kind: "Eviction"}
	exec     = metav1.GroupVersionKind{Version: "v1", Kind: "PodExecOptions"}
)

const (
	small   = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web"},"spec":{"containers":[{"name":"c","future":"kept"}]}}`
	without = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web"},"spec":{"containers":[]}}`
)

// bothVersions runs a test with reviews of v1 and of v1beta1.
func bothVersions(t *testing.T, test func(t *testing.T, version string)) {
	for _, version := range []string{"v1", "v1beta1"} {
		t.Run(version, func(t *testing.T) { test(t, version) })
	}
}

func TestAPIServerGetsVerdicts(t *testing.T) {
	validate := admission.Validating("pods.example.com", admission.ForKind("v1", "Pod"),
		admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[corev1.Pod]) error {
			r.Warn("an old field", "line\nbreak")
			r.AuditAnnotation("checked by", "test")
			if len(r.Object.Spec.Containers) == 0 {
				return field.Required(field.NewPath("spec", "containers"), "add one")
			}
			return nil
		}),
		admission.OnDelete(func(_ context.Context, r *admission.DeleteRequest[corev1.Pod]) error {
			return apierrors.NewConflict(corev1.Resource("pods"), r.OldObject.Name, errors.New("in use"))
		}))
	a := newAPIServer(t, validate)
	bothVersions(t, func(t *testing.T, version string) {
		create := call{version: version, operation: admission.Create, kind: reviews.PodKind(), resource: pods, object: small}
		got := a.do(t, t.Context(), create)
		if got.failed != nil || got.rejected != nil {
			t.Fatalf("%+v", got)
		}
		if fmt.Sprint(got.warnings) != "[an old field line break]" || got.audit["checked-by"] != "test" {
			t.Errorf("%+v", got)
		}
		create.object = without
		var status *apierrors.StatusError
		if got = a.do(t, t.Context(), create); !errors.As(got.rejected, &status) {
			t.Fatalf("%+v", got)
		}
		if s := status.Status(); s.Code != 422 || s.Reason != metav1.StatusReasonInvalid || len(s.Details.Causes) != 1 ||
			s.Details.Causes[0].Field != "spec.containers" || len(got.warnings) != 2 ||
			s.Message != `admission webhook "test.example.com" denied the request: Pod "web" is invalid: spec.containers: Required value: add one` {
			t.Errorf("%+v", s)
		}
		got = a.do(t, t.Context(), call{version: version, operation: admission.Delete, kind: reviews.PodKind(), resource: pods, old: small})
		if !apierrors.IsConflict(got.rejected) {
			t.Errorf("%+v", got)
		}
	})
}

func TestAPIServerAppliesPatches(t *testing.T) {
	mutate := admission.Mutating("pods.example.com", admission.ForKind("v1", "Pod"),
		admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[corev1.Pod]) error {
			r.Object.Labels = map[string]string{"a": "b"}
			r.Object.Spec.Containers = append([]corev1.Container{{Name: "side"}}, r.Object.Spec.Containers...)
			return nil
		}),
		admission.OnUpdate(func(context.Context, *admission.UpdateRequest[corev1.Pod]) error { return nil }),
		admission.OnDelete(func(_ context.Context, r *admission.DeleteRequest[corev1.Pod]) error {
			r.OldObject.Labels = map[string]string{"a": "b"}
			return nil
		}))
	a := newAPIServer(t, mutate)
	bothVersions(t, func(t *testing.T, version string) {
		got := a.do(t, t.Context(), call{version: version, operation: admission.Create, kind: reviews.PodKind(), resource: pods, object: small, mutating: true})
		const want = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","labels":{"a":"b"}},"spec":{"containers":[{"name":"side","resources":{}},{"name":"c","future":"kept"}]}}`
		if got.failed != nil || !sameJSON(t, got.object, []byte(want)) {
			t.Errorf("%v %s", got.failed, got.object)
		}
		for _, c := range []call{
			{operation: admission.Update, object: small, old: without},
			{operation: admission.Delete, old: small},
		} {
			c.version, c.kind, c.resource, c.mutating = version, reviews.PodKind(), pods, true
			if got := a.do(t, t.Context(), c); got.failed != nil || got.rejected != nil || string(got.object) != c.object {
				t.Errorf("%+v", got)
			}
		}
	})
}

func sameJSON(t testing.TB, a, b []byte) bool {
	return fmt.Sprint(reviews.Parse(t, a)) == fmt.Sprint(reviews.Parse(t, b))
}

func TestAPIServerSubresources(t *testing.T) {
	seen := map[string]bool{}
	for name, test := range map[string]struct {
		h http.Handler
		c call
	}{
		"scale": {
			admission.Validating("scale.example.com", admission.ForKind("autoscaling/v1", "Scale"),
				admission.OnUpdate(func(_ context.Context, r *admission.UpdateRequest[autoscalingv1.Scale]) error {
					seen["scale"] = r.Object.Spec.Replicas == 3 && r.SubResource == "scale"
					return nil
				})),
			call{operation: admission.Update, kind: scale, subResource: "scale", object: `{"spec":{"replicas":3}}`, old: `{}`},
		},
		"eviction": {
			admission.Validating("eviction.example.com", admission.ForKind("policy/v1", "Eviction"),
				admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[policyv1.Eviction]) error {
					seen["eviction"] = r.Object.Name == "web" && r.DryRun
					return nil
				})),
			call{operation: admission.Create, kind: eviction, subResource: "eviction", object: `{"metadata":{"name":"web"}}`, dryRun: true},
		},
		"exec": {
			admission.Mutating("exec.example.com", admission.ForKind("v1", "PodExecOptions"),
				admission.OnConnect(func(_ context.Context, r *admission.ConnectRequest[corev1.PodExecOptions]) error {
					seen["exec"] = r.Options.TTY && r.Name == "web"
					r.Options.TTY = false
					return nil
				})),
			call{operation: admission.Connect, kind: exec, subResource: "exec", object: `{"kind":"PodExecOptions","tty":true}`, mutating: true},
		},
		"any": {
			admission.Validating("any.example.com", admission.On(admission.Delete, func(_ context.Context, r *admission.RawRequest) error {
				seen["any"] = string(r.OldObject()) == small && r.Object() == nil
				return nil
			})),
			call{operation: admission.Delete, kind: reviews.PodKind(), old: small},
		},
	} {
		t.Run(name, func(t *testing.T) {
			test.c.resource = pods
			got := newAPIServer(t, test.h).do(t, t.Context(), test.c)
			if got.failed != nil || got.rejected != nil || !seen[name] {
				t.Errorf("%+v, seen %v", got, seen[name])
			}
			if name == "exec" && string(got.object) != `{"kind":"PodExecOptions"}` {
				t.Errorf("%s", got.object)
			}
		})
	}
}

// TestAPIServerSeesFailures checks that a failure is a call that failed, with a message for the user, and that the
// content of a request can only cause a denial.
func TestAPIServerSeesFailures(t *testing.T) {
	var mode string
	a := newAPIServer(t, admission.Validating("pods.example.com", admission.ForKind("v1", "Pod"), admission.BodyLimit(100<<10),
		admission.OnCreate(func(ctx context.Context, _ *admission.CreateRequest[corev1.Pod]) error {
			switch mode {
			case "panic":
				panic("out of stock")
			case "deadline":
				return context.DeadlineExceeded
			case "unavailable":
				return apierrors.NewServiceUnavailable("the store is closed")
			case "failure":
				return admission.Failure(errors.New("no stock list"))
			}
			return nil
		})))
	good := call{operation: admission.Create, kind: reviews.PodKind(), resource: pods, object: small}
	job, update, empty, large, wrong := good, good, good, good, good
	job.kind = metav1.GroupVersionKind{Group: "batch", Version: "v1", Kind: "Job"}
	update.operation, update.old = admission.Update, small
	empty.object = ""
	large.object = `{"x":"` + strings.Repeat("x", 200<<10) + `"}`
	wrong.object = `{"spec":{"containers":"none"}}`
	for _, test := range []struct {
		mode    string
		c       call
		message string
	}{
		{"deadline", good, "context deadline exceeded"},
		{"unavailable", good, "the store is closed"},
		{"failure", good, "no stock list"},
		{"wrong kind", job, "the object is Job of batch/v1 and webhook pods.example.com is for Pod of v1"},
		{"wrong operation", update, `the operation is "UPDATE"`},
		{"no object", empty, "the request has no object"},
	} {
		t.Run(test.mode, func(t *testing.T) {
			mode = test.mode
			got := a.do(t, t.Context(), test.c)
			if got.failed == nil || !strings.Contains(got.failed.Error(), test.message) {
				t.Errorf("got %v, want %q", got.failed, test.message)
			}
			if mode = ""; a.do(t, t.Context(), good).failed != nil {
				t.Error("it serves no more")
			}
		})
	}
	// The content of a request can only cause a denial.
	for _, test := range []struct {
		mode    string
		c       call
		code    int32
		message string
	}{
		{"panic", good, http.StatusInternalServerError, "denied the request: panic: out of stock"},
		{"too large", large, http.StatusRequestEntityTooLarge, "denied the request: the body has more than 102400 bytes"},
		{"wrong type", wrong, http.StatusBadRequest, "spec.containers: a string cannot be read as []v1.Container"},
	} {
		t.Run(test.mode, func(t *testing.T) {
			mode = test.mode
			got := a.do(t, t.Context(), test.c)
			var status apierrors.APIStatus
			if !errors.As(got.rejected, &status) || status.Status().Code != test.code || !strings.Contains(got.rejected.Error(), test.message) {
				t.Errorf("got %v and %v, want %d %q", got.failed, got.rejected, test.code, test.message)
			}
			if mode = ""; a.do(t, t.Context(), good).failed != nil {
				t.Error("it serves no more")
			}
		})
	}
}

// TestConnections checks behavior that only a connection can show.
func TestConnections(t *testing.T) {
	entered, left := make(chan struct{}), make(chan error, 1)
	h := admission.Validating("pods.example.com", admission.OnCreate(func(ctx context.Context, r *admission.CreateRequest[corev1.Pod]) error {
		if r.Object.Name == "waits" {
			close(entered)
			<-ctx.Done()
			left <- ctx.Err()
		}
		return nil
	}))
	a := newAPIServer(t, h)
	good := call{operation: admission.Create, kind: reviews.PodKind(), resource: pods, object: small}

	t.Run("a client that goes away ends the policy", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-entered; cancel() }()
		waits := good
		waits.object = strings.Replace(small, `"web"`, `"waits"`, 1)
		if got := a.do(t, ctx, waits); got.failed == nil {
			t.Errorf("%+v", got)
		}
		select {
		case err := <-left:
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		case <-time.After(5 * time.Second):
			t.Error("the policy still runs")
		}
	})
	t.Run("a slow client is waited for, others are served meanwhile", func(t *testing.T) {
		server := httptest.NewServer(h)
		defer server.Close()
		body := reviews.Of(t, admission.Create, reviews.PodKind(), []byte(small), nil)
		slow, feed := io.Pipe()
		answered := make(chan int, 1)
		go func() {
			response, err := http.Post(server.URL, "application/json", slow)
			if err != nil {
				t.Error(err)
				answered <- 0
				return
			}
			response.Body.Close()
			answered <- response.StatusCode
		}()
		for i := range 5 {
			_, _ = feed.Write(body[i*len(body)/5 : (i+1)*len(body)/5])
			response, err := http.Post(server.URL, "application/json; charset=utf-8", bytes.NewReader(body))
			if err != nil || response.StatusCode != http.StatusOK {
				t.Fatal(response, err)
			}
			response.Body.Close()
		}
		feed.Close()
		if code := <-answered; code != http.StatusOK {
			t.Errorf("HTTP %d", code)
		}
	})
	t.Run("a client that breaks off harms nobody", func(t *testing.T) {
		server := httptest.NewServer(h)
		defer server.Close()
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"kind\":")
		conn.Close()
		response, err := http.Post(server.URL, "application/json", bytes.NewReader(reviews.Of(t, admission.Create, reviews.PodKind(), []byte(small), nil)))
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatal(response, err)
		}
		response.Body.Close()
	})
}

// TestManagerStopEndsNoPolicy serves on controller-runtime's webhook server, whose base context ends with the manager,
// and stops it while a validator runs.
func TestManagerStopEndsNoPolicy(t *testing.T) {
	dir := t.TempDir()
	certificate, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"tls.crt": certificate, "tls.key": key} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	server := webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: port, CertDir: dir})
	manager, stop := context.WithCancel(context.Background())
	defer stop()

	lookup := func(ctx context.Context) error {
		stop()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
			return nil
		}
	}
	server.Register("/webhook", admission.Validating("pods.example.com", admission.OnCreate(
		func(ctx context.Context, _ *admission.CreateRequest[corev1.Pod]) error { return lookup(ctx) })))
	done := make(chan error, 1)
	go func() { done <- server.Start(manager) }()
	for range 100 {
		if server.StartedChecker()(nil) == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	a := apiServerFor(t, fmt.Sprintf("https://127.0.0.1:%d/webhook", port), certificate)
	got := a.do(t, t.Context(), call{operation: admission.Create, kind: reviews.PodKind(), resource: pods, object: small})
	if got.failed != nil || got.rejected != nil {
		t.Errorf("%+v", got)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
