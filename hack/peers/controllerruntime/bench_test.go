package controllerruntime

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/log"
	peer "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/webhook-gen/webhook-gen/templates/admission"
)

// The user's code is the same on both sides.

func checkImages(p *corev1.Pod) error {
	for i := range p.Spec.Containers {
		if p.Spec.Containers[i].Image == "" {
			return errors.New("a container has no image")
		}
	}
	return nil
}

func addLabel(p *corev1.Pod) error {
	if p.Labels == nil {
		p.Labels = make(map[string]string)
	}
	p.Labels["example.com/tier"] = "standard"
	return nil
}

func checkUser(user string) error {
	if user == "" {
		return errors.New("nobody")
	}
	return nil
}

type peerValidator struct{}

func (peerValidator) ValidateCreate(_ context.Context, p *corev1.Pod) (peer.Warnings, error) {
	return nil, checkImages(p)
}
func (peerValidator) ValidateUpdate(_ context.Context, _, p *corev1.Pod) (peer.Warnings, error) {
	return nil, checkImages(p)
}
func (peerValidator) ValidateDelete(context.Context, *corev1.Pod) (peer.Warnings, error) {
	return nil, nil
}

type peerDefaulter func(*corev1.Pod) error

func (d peerDefaulter) Default(_ context.Context, p *corev1.Pod) error { return d(p) }

// peerUser sees no object of its own accord, but controller-runtime decodes the review into one all the same.
type peerUser struct{}

func (peerUser) Handle(_ context.Context, r peer.Request) peer.Response {
	if err := checkUser(r.UserInfo.Username); err != nil {
		return peer.Denied(err.Error())
	}
	return peer.Allowed("")
}

// imagesOnly is a projection of a Pod.
type imagesOnly struct {
	Metadata struct {
		Labels map[string]string `json:"labels,omitempty"`
	} `json:"metadata"`
	Spec struct {
		Containers []struct {
			Name  string `json:"name"`
			Image string `json:"image,omitempty"`
		} `json:"containers" patchMergeKey:"name"`
	} `json:"spec"`
}

func checkProjected(p *imagesOnly) error {
	for i := range p.Spec.Containers {
		if p.Spec.Containers[i].Image == "" {
			return errors.New("a container has no image")
		}
	}
	return nil
}

// discard is a connection that nobody listens at.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(int)             {}

type row struct {
	name   string
	body   []byte
	ours   http.Handler
	theirs http.Handler
}

var podKind = metav1.GroupVersionKind{Version: "v1", Kind: "Pod"}

func rows(t testing.TB) []row {
	log.SetLogger(logr.Discard())
	create := review(t, admissionv1.Create, podKind, pod, nil)
	update := review(t, admissionv1.Update, podKind, pod, pod)
	validator := peer.WithValidator[*corev1.Pod](scheme.Scheme, peerValidator{})
	return []row{
		{"validate CREATE", create, admission.Validating("pods.example.com", admission.ForKind("v1", "Pod"),
			admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[corev1.Pod]) error { return checkImages(r.Object) })),
			validator},
		{"validate UPDATE", update, admission.Validating("pods.example.com", admission.ForKind("v1", "Pod"),
			admission.OnUpdate(func(_ context.Context, r *admission.UpdateRequest[corev1.Pod]) error { return checkImages(r.Object) })),
			validator},
		{"validate UPDATE with old", update, admission.Validating("pods.example.com", admission.ForKind("v1", "Pod"),
			admission.OnUpdate(func(_ context.Context, r *admission.UpdateRequest[corev1.Pod]) error {
				if _, err := r.OldObject(); err != nil {
					return err
				}
				return checkImages(r.Object)
			})),
			validator},
		{"default nothing", create, admission.Mutating("pods.example.com", admission.ForKind("v1", "Pod"),
			admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[corev1.Pod]) error { return checkImages(r.Object) })),
			peer.WithDefaulter[*corev1.Pod](scheme.Scheme, peerDefaulter(checkImages))},
		{"default adds label", create, admission.Mutating("pods.example.com", admission.ForKind("v1", "Pod"),
			admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[corev1.Pod]) error { return addLabel(r.Object) })),
			peer.WithDefaulter[*corev1.Pod](scheme.Scheme, peerDefaulter(addLabel))},
		{"metadata alone", create, admission.Validating("pods.example.com", admission.ForKind("v1", "Pod"),
			admission.On(admission.Create, func(_ context.Context, r *admission.RawRequest) error { return checkUser(r.UserInfo.Username) })),
			validator},
		{"projection", create, admission.Validating("pods.example.com", admission.ForKind("v1", "Pod"),
			admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[imagesOnly]) error { return checkProjected(r.Object) })),
			validator},
	}
}

// reader is a request body that can be read again.
type reader struct{ bytes.Reader }

func (*reader) Close() error { return nil }

func serve(b *testing.B, h http.Handler, body []byte) {
	w := &discard{header: make(http.Header)}
	content := &reader{}
	r := httptest.NewRequest(http.MethodPost, "/validate?timeout=10s", content)
	r.ContentLength = int64(len(body))
	r.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	content.Reset(body)
	if h.ServeHTTP(answer, r); answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), `"allowed":true`) {
		b.Fatalf("%d %s", answer.Code, answer.Body)
	}
	b.ReportAllocs()
	for b.Loop() {
		content.Reset(body)
		r.Body = content
		h.ServeHTTP(w, r)
	}
}

func BenchmarkOurs(b *testing.B) {
	for _, row := range rows(b) {
		b.Run(row.name, func(b *testing.B) { serve(b, row.ours, row.body) })
	}
}

func BenchmarkTheirs(b *testing.B) {
	for _, row := range rows(b) {
		b.Run(row.name, func(b *testing.B) { serve(b, row.theirs, row.body) })
	}
}
