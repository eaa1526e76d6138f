// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
	"github.com/webhook-gen/webhook-gen/runtime/conversion"
)

// mebibytes is the length of heavy bodies: nearly the maximum of an admission review.
const mebibytes = 7

// heavyBodies are updates of large objects, which carry two, and a conversion of many small ones, by the paths of their
// handlers.
func heavyBodies(t testing.TB) map[string][]byte {
	t.Helper()
	pod := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "d"}}
	for i := range 16 * mebibytes {
		container := corev1.Container{Name: fmt.Sprint("c", i), Image: "registry.example.com/image:v1"}
		for j := range 500 {
			container.Env = append(container.Env, corev1.EnvVar{Name: fmt.Sprint("NAME_", j), Value: strings.Repeat("v", 32)})
		}
		pod.Spec.Containers = append(pod.Spec.Containers, container)
	}
	config := &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: "d"}}
	config.Data = map[string]string{"text": strings.Repeat("a line of text\n", mebibytes<<20/2/16)}
	lights := func(note int) []byte {
		var objects []string
		for i := range mebibytes << 20 / (note + 284) {
			objects = append(objects, fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Light","metadata":{"name":"l-%d","namespace":"d","labels":{"app":"light","tier":"front"},`+
				`"annotations":{"note":%q}},"spec":{"watts":60,"color":"white","room":{"name":"kitchen","floor":"first"},"hours":[{"from":"08:00","to":"12:00"}]}}`,
				i, strings.Repeat("n", note)))
		}
		return fmt.Appendf(nil, `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u","desiredAPIVersion":"example.com/v2","objects":[%s]}}`,
			strings.Join(objects, ","))
	}
	return map[string][]byte{
		"validate-pods": update(t, pod), "default-pods": update(t, pod), "validate-configs": update(t, config),
		"convert": lights(4000), "convert-small": lights(0),
	}
}

// heavyHandlers are the handlers of heavyBodies.
func heavyHandlers() map[string]http.Handler {
	conversions := conversion.NewHandler(conversion.Serve(conversion.Between("example.com", "Light", "v1", "v2", brighten, dim, nil)))
	return map[string]http.Handler{
		"convert": conversions, "convert-small": conversions,
		"validate-pods": admission.Validating("pods.example.com", admission.OnUpdate(func(_ context.Context, r *admission.UpdateRequest[corev1.Pod]) error {
			_, err := r.OldObject()
			return err
		})),
		"default-pods": admission.Mutating("pods.example.com", admission.OnUpdate(func(_ context.Context, r *admission.UpdateRequest[corev1.Pod]) error {
			for i := range r.Object.Spec.Containers {
				r.Object.Spec.Containers[i].ImagePullPolicy = corev1.PullAlways
			}
			return nil
		})),
		"validate-configs": admission.Validating("configs.example.com", admission.OnUpdate(func(_ context.Context, r *admission.UpdateRequest[corev1.ConfigMap]) error {
			_, err := r.OldObject()
			return err
		})),
	}
}

// light is a kind whose version v2 has the watts in text.
type light[W any] struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec struct {
		Watts W                   `json:"watts"`
		Color string              `json:"color,omitempty"`
		Room  map[string]string   `json:"room,omitempty"`
		Hours []map[string]string `json:"hours,omitempty"`
	} `json:"spec"`
}

func brighten(_ context.Context, src *light[int64], dst *light[string]) error {
	dst.TypeMeta = metav1.TypeMeta{APIVersion: "example.com/v2", Kind: "Light"}
	dst.ObjectMeta = *src.ObjectMeta.DeepCopy()
	dst.Spec.Watts, dst.Spec.Color, dst.Spec.Room, dst.Spec.Hours = fmt.Sprint(src.Spec.Watts), src.Spec.Color, src.Spec.Room, src.Spec.Hours
	return nil
}

func dim(context.Context, *light[string], *light[int64]) error { return nil }

// update is a review of an update that changes nothing.
func update(t testing.TB, object any) []byte {
	t.Helper()
	content, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	var kind metav1.TypeMeta
	if err := json.Unmarshal(content, &kind); err != nil {
		t.Fatal(err)
	}
	return fmt.Appendf(nil, `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u","kind":{"group":"","version":"v1","kind":%q},`+
		`"resource":{"group":"","version":"v1","resource":"objects"},"operation":"UPDATE","userInfo":{},"object":%s,"oldObject":%s}}`, kind.Kind, content, content)
}

// TestWorkFactor compares workFactor, by which MaxBytesInFlight counts bodies that handlers work on, with the measured
// need of such handlers.
func TestWorkFactor(t *testing.T) {
	if race {
		t.Skip("its bounds of memory and time are those without the race detector")
	}
	handlers := heavyHandlers()
	for name, body := range heavyBodies(t) {
		t.Run(name, func(t *testing.T) {
			defer debug.SetGCPercent(debug.SetGCPercent(5)) // little garbage beside the memory in use
			// A collector that gets no processor leaves more garbage, so the least of some runs is closest to the need.
			const runs = 5
			length := float64(len(body))
			least := math.Inf(1)
			for i := 0; i < runs && least > 6; i++ {
				least = min(least, float64(inUse(t, handlers[name], body))/length)
			}
			if least > 6 {
				t.Errorf("%.1f times a body of %.1f MB is in use, and the server reckons with 6 times", least, length/1e6)
			}
		})
	}
}

// inUse is the most memory that is in use while a handler answers.
func inUse(t *testing.T, handler http.Handler, body []byte) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	stop := peak()
	r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	_, most := stop()
	runtime.ReadMemStats(&after)
	if w.Code != http.StatusOK {
		t.Fatalf("HTTP %d: %.300s", w.Code, w.Body)
	}
	length := float64(len(body))
	t.Logf("a body of %.1f MB: at most %.1f times that in use, %.1f times allocated, an answer of %.1f MB",
		length/1e6, float64(most)/length, float64(after.TotalAlloc-before.TotalAlloc)/length, float64(w.Body.Len())/1e6)
	return most
}
