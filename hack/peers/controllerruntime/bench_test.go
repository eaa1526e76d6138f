// SPDX-License-Identifier: Apache-2.0

package controllerruntime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/log"
	peer "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/webhook-gen/webhook-gen/hack/peers/controllerruntime/reviews"
	"github.com/webhook-gen/webhook-gen/runtime/admission"
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

// discard is a response that nobody reads.
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

func rows(t testing.TB) []row {
	log.SetLogger(logr.Discard())
	create := reviews.Of(t, admissionv1.Create, reviews.PodKind(), reviews.Pod, nil)
	update := reviews.Of(t, admissionv1.Update, reviews.PodKind(), reviews.Pod, reviews.Pod)
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

// client calls a handler again and again with one body.
type client struct {
	h       http.Handler
	w       discard
	r       *http.Request
	body    []byte
	content reader
}

func newClient(b testing.TB, h http.Handler, body []byte) *client {
	c := &client{h: h, body: body, w: discard{make(http.Header)}}
	c.r = httptest.NewRequest(http.MethodPost, "/validate?timeout=10s", &c.content)
	c.r.ContentLength = int64(len(body))
	c.r.Header.Set("Content-Type", "application/json")
	if response := reviews.Ask(b, h, body); !response.Allowed {
		b.Fatalf("%+v", response)
	}
	return c
}

func (c *client) call() {
	c.content.Reset(c.body)
	c.r.Body = &c.content
	c.h.ServeHTTP(&c.w, c.r)
}

// block is the number of calls that are timed together: few enough that both sides run under the same conditions.
const block = 100

// measure times blocks of calls. It returns the time and the allocations of one call.
func (c *client) measure() (time.Duration, float64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	for range block {
		c.call()
	}
	elapsed := time.Since(start)
	runtime.ReadMemStats(&after)
	return elapsed / block, float64(after.Mallocs-before.Mallocs) / block
}

// BenchmarkRatio runs both sides in turn, and reports the median of each and their ratio.
func BenchmarkRatio(b *testing.B) {
	for _, row := range rows(b) {
		b.Run(row.name, func(b *testing.B) {
			ours, theirs := newClient(b, row.ours, row.body), newClient(b, row.theirs, row.body)
			var ourTimes, theirTimes []time.Duration
			var ourAllocs, theirAllocs float64
			for b.Loop() {
				var t time.Duration
				t, ourAllocs = ours.measure()
				ourTimes = append(ourTimes, t)
				t, theirAllocs = theirs.measure()
				theirTimes = append(theirTimes, t)
			}
			slices.Sort(ourTimes)
			slices.Sort(theirTimes)
			our, their := float64(ourTimes[len(ourTimes)/2]), float64(theirTimes[len(theirTimes)/2])
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(our/1e3, "our-µs")
			b.ReportMetric(their/1e3, "their-µs")
			b.ReportMetric(their/our, "times-faster")
			b.ReportMetric(ourAllocs, "our-allocs")
			b.ReportMetric(theirAllocs, "their-allocs")
			b.ReportMetric(ourAllocs/theirAllocs, "allocs-ratio")
		})
	}
}

func BenchmarkOurs(b *testing.B) {
	for _, row := range rows(b) {
		b.Run(row.name, func(b *testing.B) {
			c := newClient(b, row.ours, row.body)
			b.ReportAllocs()
			for b.Loop() {
				c.call()
			}
		})
	}
}

// podOf returns a Pod of about so many bytes.
func podOf(bytes int) ([]byte, int) {
	var env []string
	for size := 200; size < bytes; size += len(env[0]) + 1 {
		env = append(env, fmt.Sprintf(`{"name":"SETTING_%05d","value":"the value of setting %05d","future":%d}`, len(env), len(env), len(env)))
	}
	return []byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"},"spec":{"containers":[{"name":"c","env":[` +
		strings.Join(env, ",") + `]}]}}`), len(env)
}

// BenchmarkGrowth reports the cost of a kilobyte in objects of different sizes, and of an edit in lists of different
// lengths. If these do not grow, the cost is linear.
func BenchmarkGrowth(b *testing.B) {
	decide := func(edit func([]corev1.EnvVar) []corev1.EnvVar) *admission.Handler {
		return admission.Mutating("pods.example.com", admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[corev1.Pod]) error {
			env := &r.Object.Spec.Containers[0].Env
			*env = edit(*env)
			return nil
		}))
	}
	for _, edit := range []struct {
		name string
		do   func([]corev1.EnvVar) []corev1.EnvVar
	}{
		{"nothing", func(env []corev1.EnvVar) []corev1.EnvVar { return env }},
		{"all values", func(env []corev1.EnvVar) []corev1.EnvVar {
			for i := range env {
				env[i].Value = "new"
			}
			return env
		}},
		{"one in front", func(env []corev1.EnvVar) []corev1.EnvVar {
			return slices.Insert(env, 0, corev1.EnvVar{Name: "N"})
		}},
		{"every other removed", func(env []corev1.EnvVar) []corev1.EnvVar {
			return slices.DeleteFunc(env, func(e corev1.EnvVar) bool { return e.Name[len(e.Name)-1]%2 == 0 })
		}},
		{"reversed", func(env []corev1.EnvVar) []corev1.EnvVar { slices.Reverse(env); return env }},
	} {
		for _, kB := range []int{1, 10, 100, 1000} {
			object, elements := podOf(kB << 10)
			b.Run(fmt.Sprintf("%s/%dkB", edit.name, kB), func(b *testing.B) {
				c := newClient(b, decide(edit.do), reviews.Of(b, admissionv1.Create, reviews.PodKind(), object, nil))
				for b.Loop() {
					c.call()
				}
				perCall := float64(b.Elapsed()) / float64(b.N)
				b.ReportMetric(perCall/float64(kB), "ns/kB")
				b.ReportMetric(perCall/float64(elements), "ns/element")
			})
		}
	}
}
