// SPDX-License-Identifier: Apache-2.0

package admissiontest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/admission/admissiontest"
)

// order is a user's type: projections have no apiVersion and kind of their own.
type order struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Priority string            `json:"priority,omitempty"`
}

func newOrder() *order {
	return &order{Metadata: metav1.ObjectMeta{Namespace: "shop", Name: "first"}}
}

// TestWhatIsSent checks the body of every kind of review. The handler allows.
func TestWhatIsSent(t *testing.T) {
	pod := &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"},
	}
	orders := admissiontest.Create(newOrder()).As("shop.example.com/v1", "Order")
	for name, test := range map[string]struct {
		send func(testing.TB, http.Handler)
		want string // parts of the review, as JSON
	}{
		"create": {sent(orders), `{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
			"operation": "CREATE", "name": "first", "namespace": "shop", "dryRun": false,
			"kind": {"group": "shop.example.com", "version": "v1", "kind": "Order"},
			"resource": {"group": "shop.example.com", "version": "v1", "resource": "orders"},
			"requestKind": {"group": "shop.example.com", "version": "v1", "kind": "Order"},
			"requestResource": {"group": "shop.example.com", "version": "v1", "resource": "orders"},
			"userInfo": {"username": "admissiontest", "groups": ["system:authenticated"]},
			"object": {"apiVersion": "shop.example.com/v1", "kind": "Order"}, "oldObject": null,
			"options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"}}}`},
		"update": {sent(admissiontest.Update(newOrder(), &order{Priority: "high"}).As("shop.example.com/v1", "Order").Named("", "first")),
			`{"request": {"operation": "UPDATE", "name": "first", "object": {"priority": "high"},
			"oldObject": {"kind": "Order", "metadata": {"name": "first"}}, "options": {"kind": "UpdateOptions"}}}`},
		"delete": {sent(admissiontest.Delete(pod)), `{"request": {"operation": "DELETE", "name": "web", "object": null,
			"oldObject": {"kind": "Pod"}, "options": {"kind": "DeleteOptions"}}}`},
		"connect": {sent(admissiontest.Connect(&corev1.PodExecOptions{Command: []string{"sh"}}).
			As("v1", "PodExecOptions").Resource("v1", "pods", "exec").Named("default", "web")), `{"request": {
			"operation": "CONNECT", "name": "web", "namespace": "default", "subResource": "exec", "requestSubResource": "exec",
			"resource": {"group": "", "version": "v1", "resource": "pods"},
			"object": {"kind": "PodExecOptions", "command": ["sh"]}, "oldObject": null, "options": null}}`},
		"subresource of another kind": {sent(admissiontest.Update(&autoscalingv1.Scale{}, &autoscalingv1.Scale{}).
			As("autoscaling/v1", "Scale").Resource("apps/v1", "deployments", "scale")), `{"request": {
			"kind": {"group": "autoscaling", "version": "v1", "kind": "Scale"},
			"resource": {"group": "apps", "version": "v1", "resource": "deployments"}, "subResource": "scale"}}`},
		"converted": {sent(orders.SentAs("shop.example.com/v2", "Order")), `{"request": {
			"kind": {"version": "v1", "group": "shop.example.com", "kind": "Order"},
			"requestKind": {"version": "v2", "group": "shop.example.com", "kind": "Order"},
			"requestResource": {"version": "v2", "group": "shop.example.com", "resource": "orders"}}}`},
		"user": {sent(orders.By("alice", "a", "b")), `{"request": {"userInfo": {"username": "alice", "groups": ["a", "b"]}}}`},
		"dry run and options": {sent(orders.DryRun().Options(&metav1.CreateOptions{FieldManager: "kubectl"})),
			`{"request": {"dryRun": true, "options": {"fieldManager": "kubectl"}}}`},
		"old version":    {sent(orders.V1beta1()), `{"apiVersion": "admission.k8s.io/v1beta1"}`},
		"unknown fields": {sent(orders.JSON(`{"future": 9007199254740993}`)), `{"request": {"object": {"kind": "Order", "future": 9007199254740993}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			var got any
			test.send(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodPost || r.URL.RawQuery != "timeout=10s" || r.Header.Get("Content-Type") != "application/json" {
					t.Errorf("%s %s of %s", r.Method, r.URL, r.Header.Get("Content-Type"))
				}
				body, _ := io.ReadAll(r.Body)
				got = decode(t, body)
				agree(w, body, "")
			}))
			if diff := cmp.Diff(decode(t, []byte(test.want)), partsOf(got, decode(t, []byte(test.want)))); diff != "" {
				t.Errorf("review (-want +got):\n%s", diff)
			}
		})
	}
}

// sent returns a function that sends a review and checks that it is allowed unchanged.
func sent[T any](r admissiontest.Review[T]) func(testing.TB, http.Handler) {
	return func(t testing.TB, h http.Handler) { t.Helper(); r.Send(t, h).Allowed().Unchanged() }
}

// TestReviewsDoNotShare changes a copy and sends the original.
func TestReviewsDoNotShare(t *testing.T) {
	base := admissiontest.Create(newOrder()).As("shop.example.com/v1", "Order")
	base.By("mallory").DryRun().Timeout(time.Second).Named("a", "b")
	uids := map[string]bool{}
	for range 2 {
		base.Send(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			var review admissionv1.AdmissionReview
			if err := json.Unmarshal(body, &review); err != nil {
				t.Fatal(err)
			}
			uids[string(review.Request.UID)] = true
			if review.Request.UserInfo.Username == "mallory" || *review.Request.DryRun || review.Request.Name != "first" {
				t.Errorf("the original has changed: %s", body)
			}
			agree(w, body, "")
		})).Allowed()
	}
	if len(uids) != 2 {
		t.Errorf("uids %v, want another one for each call", uids)
	}
}

// agree allows a review, with more members in its response, such as `,"warnings":["a"]`.
func agree(w http.ResponseWriter, review []byte, more string) {
	var asked admissionv1.AdmissionReview
	json.Unmarshal(review, &asked)
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"kind":"AdmissionReview","apiVersion":"`+asked.APIVersion+`","response":{"uid":"`+
		string(asked.Request.UID)+`","allowed":true`+more+`}}`)
}

func decode(t testing.TB, data []byte) any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%v in %s", err, strings.TrimSpace(string(data)))
	}
	return value
}

// partsOf returns the parts of got that are in want.
func partsOf(got, want any) any {
	all, ok := got.(map[string]any)
	wanted, also := want.(map[string]any)
	if !ok || !also {
		return got
	}
	parts := map[string]any{}
	for member, value := range wanted {
		if part, ok := all[member]; ok {
			parts[member] = partsOf(part, value)
		}
	}
	return parts
}
