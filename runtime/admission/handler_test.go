// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// reviewOf returns a review of an operation on a Pod. An empty object or old object becomes null.
func reviewOf(operation Operation, object, old string) string {
	orNull := func(s string) string {
		if s == "" {
			return "null"
		}
		return s
	}
	return `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u\"1","kind":{"group":"","version":"v1","kind":"Pod"},` +
		`"resource":{"group":"","version":"v1","resource":"pods"},"name":"web","namespace":"shop","operation":"` + string(operation) + `",` +
		`"userInfo":{"username":"jane"},"object":` + orNull(object) + `,"oldObject":` + orNull(old) + `,"dryRun":false,` +
		`"options":{"fieldManager":"kubectl","dryRun":["All"]}}}`
}

const podJSON = `{"kind":"Pod","metadata":{"name":"web"},"spec":{"containers":[{"name":"c"}]}}`

// ask posts a body and returns the answer.
func ask(h http.Handler, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/?timeout=10s", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// verdictOf posts a body and returns the review that comes back.
func verdictOf(t *testing.T, h http.Handler, body string) admissionv1.AdmissionReview {
	t.Helper()
	w := ask(h, body)
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(w.Body.Bytes(), &review); err != nil || w.Code != http.StatusOK || review.Response == nil {
		t.Fatalf("HTTP %d %s: %v", w.Code, w.Body, err)
	}
	if got := w.Header().Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type is %q", got)
	}
	return review
}

// observed collects observations.
type observed []Observation

func (o *observed) Observe(_ context.Context, one Observation) { *o = append(*o, one) }

func allowCreate(context.Context, *CreateRequest[corev1.Pod]) error { return nil }

func TestHandlerAnswersInTheVersionAsked(t *testing.T) {
	h := Validating("pods.example.com", OnCreate(allowCreate))
	for _, version := range []string{"v1", "v1beta1"} {
		body := strings.Replace(reviewOf(Create, podJSON, ""), "admission.k8s.io/v1", "admission.k8s.io/"+version, 1)
		review := verdictOf(t, h, body)
		if review.APIVersion != "admission.k8s.io/"+version || review.Kind != "AdmissionReview" {
			t.Errorf("%s %s", review.APIVersion, review.Kind)
		}
		if review.Response.UID != `u"1` || !review.Response.Allowed || review.Response.Result != nil {
			t.Errorf("%+v", review.Response)
		}
	}
}

func TestHandlerGivesEachOperationItsRequest(t *testing.T) {
	common := func(r *Request, operation Operation) error {
		switch {
		case r.UID != `u"1` || r.Operation != operation || r.Name != "web" || r.Namespace != "shop" || r.UserInfo.Username != "jane",
			r.Kind != metav1.GroupVersionKind{Version: "v1", Kind: "Pod"} || r.RequestKind != r.Kind,
			r.Resource != metav1.GroupVersionResource{Version: "v1", Resource: "pods"} || r.RequestResource != r.Resource:
			t.Errorf("%+v", r)
		}
		return nil
	}
	h := Validating("pods.example.com", ForKind("v1", "Pod"),
		OnCreate(func(_ context.Context, r *CreateRequest[corev1.Pod]) error {
			if r.Object.Name != "new" || r.Options.FieldManager != "kubectl" {
				t.Errorf("%+v", r)
			}
			return common(&r.Request, Create)
		}),
		OnUpdate(func(_ context.Context, r *UpdateRequest[corev1.Pod]) error {
			old, err := r.OldObject()
			again, _ := r.OldObject()
			if err != nil || old.Name != "old" || again != old || r.Object.Name != "new" || r.Options.FieldManager != "kubectl" {
				t.Errorf("%+v, %v, %v", r, old, err)
			}
			return common(&r.Request, Update)
		}),
		OnDelete(func(_ context.Context, r *DeleteRequest[corev1.Pod]) error {
			if r.OldObject.Name != "old" || r.Options.DryRun[0] != "All" {
				t.Errorf("%+v", r)
			}
			return common(&r.Request, Delete)
		}),
		OnConnect(func(_ context.Context, r *ConnectRequest[corev1.PodExecOptions]) error {
			if len(r.Options.Command) != 1 || !r.Options.TTY {
				t.Errorf("%+v", r)
			}
			return common(&r.Request, Connect)
		}),
	)
	const object, old = `{"metadata":{"name":"new"}}`, `{"metadata":{"name":"old"}}`
	for _, body := range []string{
		reviewOf(Create, object, ""), reviewOf(Update, object, old), reviewOf(Delete, "", old),
		reviewOf(Connect, `{"kind":"PodExecOptions","tty":true,"command":["sh"]}`, ""),
	} {
		if review := verdictOf(t, h, body); !review.Response.Allowed {
			t.Errorf("%+v", review.Response)
		}
	}
}

func TestHandlerRawRequest(t *testing.T) {
	var kept *RawRequest
	h := Mutating("pods.example.com", On(Update, func(_ context.Context, r *RawRequest) error {
		kept = r
		if string(r.Object()) != `{"a":1}` || string(r.OldObject()) != `{"b":2}` || !strings.Contains(string(r.Options()), "kubectl") {
			t.Errorf("%s %s %s", r.Object(), r.OldObject(), r.Options())
		}
		return nil
	}))
	review := verdictOf(t, h, reviewOf(Update, `{"a":1}`, `{"b":2}`))
	if !review.Response.Allowed || review.Response.Patch != nil || review.Response.PatchType != nil {
		t.Errorf("%+v", review.Response)
	}
	if kept.Object() != nil {
		t.Error("the body can still be read after the validator has returned")
	}
}

func TestHandlerOldObjectEndsWithTheValidator(t *testing.T) {
	var kept *UpdateRequest[corev1.Pod]
	h := Validating("pods.example.com", OnUpdate(func(_ context.Context, r *UpdateRequest[corev1.Pod]) error { kept = r; return nil }))
	verdictOf(t, h, reviewOf(Update, podJSON, podJSON))
	if _, err := kept.OldObject(); err == nil || !isFailure(err) {
		t.Errorf("got %v", err)
	}
	if old, err := NewUpdateRequest(&corev1.Pod{}, &corev1.Pod{}).OldObject(); old == nil || err != nil {
		t.Errorf("%v, %v", old, err)
	}
}

// TestHandlerKeepsCallsApart checks that a function which keeps its objects sees nothing of the next call, whose body
// reuses the memory.
func TestHandlerKeepsCallsApart(t *testing.T) {
	var first *UpdateRequest[corev1.Pod]
	h := Validating("pods.example.com", OnUpdate(func(_ context.Context, r *UpdateRequest[corev1.Pod]) error {
		if first == nil {
			first = r
		} else if _, err := first.OldObject(); err == nil {
			t.Error("the first request has an old object in the second call")
		}
		return nil
	}))
	sharedCall(h)
	for range 2 {
		verdictOf(t, h, reviewOf(Update, podJSON, podJSON))
	}

	var objects []json.RawMessage
	raw := Validating("pods.example.com", On(Create, func(_ context.Context, r *RawRequest) error {
		objects = append(objects, r.Object())
		return nil
	}))
	sharedCall(raw)
	for _, object := range []string{`{"a":1}`, `{"b":2}`} {
		verdictOf(t, raw, reviewOf(Create, object, ""))
	}
	if string(objects[0]) != `{"a":1}` {
		t.Errorf("the first object is %s after the second call", objects[0])
	}
}

// sharedCall makes all calls of a handler use the memory of one call, which the pool alone does not guarantee.
func sharedCall(h *Handler) {
	c := new(call)
	h.calls.New = func() any { return c }
}

func TestHandlerPatches(t *testing.T) {
	addLabel := func(_ context.Context, r *CreateRequest[corev1.Pod]) error {
		r.Object.Labels = map[string]string{"a": "b"}
		return nil
	}
	review := verdictOf(t, Mutating("pods.example.com", OnCreate(addLabel)), reviewOf(Create, podJSON, ""))
	if got, want := string(review.Response.Patch), `[{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]`; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if review.Response.PatchType == nil || *review.Response.PatchType != admissionv1.PatchTypeJSONPatch {
		t.Errorf("patchType %v", review.Response.PatchType)
	}
	for name, h := range map[string]*Handler{
		"a validating webhook": Validating("pods.example.com", OnCreate(addLabel)),
		"no change":            Mutating("pods.example.com", OnCreate(allowCreate)),
		"a denial": Mutating("pods.example.com", OnCreate(func(ctx context.Context, r *CreateRequest[corev1.Pod]) error {
			return errors.Join(addLabel(ctx, r), errors.New("no"))
		})),
	} {
		if review := verdictOf(t, h, reviewOf(Create, podJSON, "")); review.Response.Patch != nil || review.Response.PatchType != nil {
			t.Errorf("%s: %+v", name, review.Response)
		}
	}
	// The API server answers any patch of a DELETE with an internal error, whatever the failurePolicy.
	onDelete := Mutating("pods.example.com", OnDelete(func(_ context.Context, r *DeleteRequest[corev1.Pod]) error {
		r.OldObject.Labels = map[string]string{"a": "b"}
		return nil
	}))
	if review := verdictOf(t, onDelete, reviewOf(Delete, "", podJSON)); review.Response.Patch != nil {
		t.Errorf("%+v", review.Response)
	}
	replaced := Mutating("pods.example.com", OnCreate(func(_ context.Context, r *CreateRequest[corev1.Pod]) error {
		r.Object = &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
		return nil
	}))
	if got, want := string(verdictOf(t, replaced, reviewOf(Create, podJSON, "")).Response.Patch),
		`[{"op":"add","path":"/spec/containers/0/image","value":"i"}]`; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestHandlerProjection(t *testing.T) {
	type labelled struct {
		Metadata struct {
			Labels map[string]string `json:"labels,omitempty"`
		} `json:"metadata"`
	}
	h := Mutating("any.example.com", OnCreate(func(_ context.Context, r *CreateRequest[labelled]) error {
		r.Object.Metadata.Labels["a"] = "b"
		return nil
	}))
	review := verdictOf(t, h, reviewOf(Create, `{"metadata":{"name":"x","labels":{"c":"d"}},"spec":{"x":1,"x":1}}`, ""))
	if got, want := string(review.Response.Patch), `[{"op":"add","path":"/metadata/labels/a","value":"b"}]`; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestHandlerSubresource(t *testing.T) {
	h := Validating("scale.example.com", ForKind("autoscaling/v1", "Scale"),
		OnUpdate(func(_ context.Context, r *UpdateRequest[autoscalingv1.Scale]) error {
			if r.SubResource != "scale" || r.RequestSubResource != "scale" || r.Object.Spec.Replicas != 3 || !r.DryRun {
				t.Errorf("%+v", r)
			}
			return nil
		}))
	if review := verdictOf(t, h, createReview); !review.Response.Allowed {
		t.Errorf("%+v", review.Response)
	}
}

func TestHandlerRefusals(t *testing.T) {
	onCreate := OnCreate(func(_ context.Context, r *CreateRequest[corev1.Pod]) error {
		switch r.Object.Name {
		case "fails":
			return Failure(errors.New("the stock does not answer"))
		}
		return nil
	})
	var o observed
	h := Mutating("pods.example.com", ForKind("v1", "Pod"), onCreate, BodyLimit(4096), Observe(&o))
	post := func(media, body string) *http.Request {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.Header.Set("Content-Type", media)
		return r
	}
	json0 := func(body string) *http.Request { return post("application/json", body) }
	good := reviewOf(Create, podJSON, "")
	large := `{"x":"` + strings.Repeat("x", 5000) + `"}`
	chunked := json0(large)
	chunked.ContentLength = -1
	bad := json0(good)
	bad.URL.RawQuery = "x=y&timeout=soon"
	// Each refusal follows a call that is answered, in its memory.
	sharedCall(h)
	ask(h, good)
	for name, test := range map[string]struct {
		r       *http.Request
		code    int
		message string
	}{
		"GET":             {httptest.NewRequest(http.MethodGet, "/", nil), 405, "use POST"},
		"no Content-Type": {post("", good), 415, "send application/json"},
		"YAML":            {post("application/yaml", good), 415, `"application/yaml"`},
		"empty":           {json0(""), 400, "the body is empty"},
		"malformed":       {json0(good[:len(good)-1]), 400, "not JSON: the JSON ends too early"},
		"garbage behind":  {json0(good + "x"), 400, `unexpected 'x'`},
		"another kind":    {json0(`{"kind":"Status","apiVersion":"v1","request":{}}`), 400, `send an AdmissionReview`},
		"another version": {json0(strings.Replace(good, "k8s.io/v1", "k8s.io/v2", 1)), 400, `admission.k8s.io/v2`},
		"no request":      {json0(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}`), 400, "no request"},
		"twice":           {json0(strings.Replace(good, `"uid"`, `"uid":"x","uid"`, 1)), 400, `"uid" stands twice`},
		"too large":       {json0(large), 413, "more than 4096 bytes"},
		"chunked":         {chunked, 413, "more than 4096 bytes"},
		"no object":       {json0(reviewOf(Create, "", "")), 400, "the request has no object"},
		"wrong kind":      {json0(strings.Replace(good, `"kind":"Pod"`, `"kind":"Job"`, 1)), 400, "the object is Job of v1 and webhook pods.example.com is for Pod of v1"},
		"operation":       {json0(reviewOf(Update, podJSON, podJSON)), 400, `the operation is "UPDATE" and webhook pods.example.com is for CREATE`},
		"large, no uid":   {json0(strings.Replace(reviewOf(Create, large, ""), `"uid":`, `"id":`, 1)), 413, "more than 4096 bytes"},
		"large, wrong":    {json0(strings.Replace(reviewOf(Create, large, ""), `"kind":"Pod"`, `"kind":"Job"`, 1)), 413, "more than 4096 bytes"},
		"timeout":         {bad, 400, "no duration"},
		"failure":         {json0(reviewOf(Create, `{"metadata":{"name":"fails"}}`, "")), 500, "webhook pods.example.com: the stock does not answer"},
	} {
		t.Run(name, func(t *testing.T) {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, test.r)
			var status metav1.Status
			if err := json.Unmarshal(w.Body.Bytes(), &status); err != nil {
				t.Fatalf("%v: %s", err, w.Body)
			}
			if w.Code != test.code || int(status.Code) != test.code || status.Kind != "Status" || status.APIVersion != "v1" ||
				status.Status != metav1.StatusFailure || status.Reason == "" || !strings.Contains(status.Message, test.message) {
				t.Errorf("HTTP %d, %+v, want %d and %q", w.Code, status, test.code, test.message)
			}
			if last := o[len(o)-1]; !last.Failed || last.Allowed || int(last.Code) != test.code || last.Err == nil {
				t.Errorf("observed %+v", last)
			}
			if test.code == 405 && w.Header().Get("Allow") != "POST" {
				t.Error("no Allow")
			}
			// It still serves.
			r := post("application/json; charset=utf-8", good)
			w = httptest.NewRecorder()
			if h.ServeHTTP(w, r); w.Code != http.StatusOK {
				t.Errorf("then HTTP %d %s", w.Code, w.Body)
			}
		})
	}
}

func TestHandlerWarnsAndAnnotates(t *testing.T) {
	for name, err := range map[string]error{"allowed": nil, "denied": errors.New("no")} {
		h := Validating("pods.example.com", OnCreate(func(_ context.Context, r *CreateRequest[corev1.Pod]) error {
			r.Warn("first\nline", "", "first line", "second")
			r.AuditAnnotation("z", "1")
			r.AuditAnnotation("a/b c", "\"2\"")
			return err
		}))
		got := verdictOf(t, h, reviewOf(Create, podJSON, "")).Response
		if strings.Join(got.Warnings, "|") != "first line|second" || len(got.AuditAnnotations) != 2 || got.AuditAnnotations["a-b-c"] != `"2"` {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestHandlerObserves(t *testing.T) {
	var o observed
	h := Mutating("pods.example.com", Observe(&o), OnCreate(func(_ context.Context, r *CreateRequest[corev1.Pod]) error {
		if r.Object.Name == "bad" {
			return field.Invalid(field.NewPath("metadata", "name"), "bad", "no")
		}
		r.Object.Labels = map[string]string{"a": "b"}
		return nil
	}))
	verdictOf(t, h, reviewOf(Create, podJSON, ""))
	verdictOf(t, h, reviewOf(Create, `{"metadata":{"name":"bad"}}`, ""))
	for i, want := range []Observation{{Allowed: true, Code: 200, Patched: true}, {Code: 422}} {
		got := o[i]
		if got.Webhook != "pods.example.com" || got.Operation != Create || got.UID != `u"1` || got.Resource.Resource != "pods" ||
			got.Namespace != "shop" || got.Name != "web" || got.Duration <= 0 || got.Failed ||
			got.Allowed != want.Allowed || got.Code != want.Code || got.Patched != want.Patched || (got.Err == nil) != want.Allowed {
			t.Errorf("%+v", got)
		}
	}
}

func TestHandlerDeadline(t *testing.T) {
	var ctx context.Context
	h := Validating("pods.example.com", OnCreate(func(c context.Context, _ *CreateRequest[corev1.Pod]) error {
		ctx = c
		deadline, ok := c.Deadline()
		if left := time.Until(deadline); !ok || left > 10*time.Second || left < 9*time.Second {
			t.Errorf("%v left, %v", left, ok)
		}
		return nil
	}))
	verdictOf(t, h, reviewOf(Create, podJSON, ""))
	if ctx.Err() == nil {
		t.Error("the context outlives the call")
	}
	timedOut := Validating("pods.example.com", OnCreate(func(ctx context.Context, _ *CreateRequest[corev1.Pod]) error {
		<-ctx.Done()
		return ctx.Err()
	}))
	r := httptest.NewRequest(http.MethodPost, "/?timeout=10ms", strings.NewReader(reviewOf(Create, podJSON, "")))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	if timedOut.ServeHTTP(w, r); w.Code != http.StatusInternalServerError {
		t.Errorf("HTTP %d %s", w.Code, w.Body)
	}
}

// TestContextOfServers checks the end of a function's context. A client that hangs up ends it if net/http can tell that
// from the end of the server. The end of the server never ends it.
func TestContextOfServers(t *testing.T) {
	type key struct{}
	for name, test := range map[string]struct {
		base      bool
		cancelled bool // by a client that hangs up
	}{
		"plain":            {false, true},
		"with BaseContext": {true, false},
	} {
		t.Run(name, func(t *testing.T) {
			entered, ended := make(chan context.Context, 1), make(chan error, 1)
			h := Validating("pods.example.com", OnCreate(func(ctx context.Context, _ *CreateRequest[corev1.Pod]) error {
				entered <- ctx
				select {
				case <-ctx.Done():
				case <-time.After(300 * time.Millisecond):
				}
				ended <- ctx.Err()
				return nil
			}))
			server := httptest.NewUnstartedServer(h)
			base, stop := context.WithCancel(context.WithValue(context.Background(), key{}, "value"))
			defer stop()
			if test.base {
				server.Config.BaseContext = func(net.Listener) context.Context { return base }
			}
			server.Start()
			defer server.Close()
			ctx, hangUp := context.WithCancel(context.Background())
			defer hangUp()
			call := func() {
				r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"?timeout=5s", strings.NewReader(reviewOf(Create, podJSON, "")))
				if err != nil {
					t.Error(err)
					return
				}
				r.Header.Set("Content-Type", "application/json")
				if response, err := http.DefaultClient.Do(r); err == nil {
					_, _ = io.Copy(io.Discard, response.Body)
					response.Body.Close()
				}
			}
			go call()
			inside := <-entered
			if test.base && inside.Value(key{}) != "value" {
				t.Error("the values of the server's context are gone")
			}
			hangUp()
			if err := <-ended; (err != nil) != test.cancelled {
				t.Errorf("after the client hung up the context says %v", err)
			}
			if !test.base {
				return
			}
			ctx, hangUp = context.WithCancel(context.Background())
			defer hangUp()
			go call()
			<-entered
			stop()
			if err := <-ended; err != nil {
				t.Errorf("after the server was told to stop the context says %v", err)
			}
		})
	}
}

func TestKinds(t *testing.T) {
	h := Validating("v.example.com", ForKind("v1", "Pod"), ForKind("shop.example.com/v1", "Order"))
	want := []metav1.GroupVersionKind{{Version: "v1", Kind: "Pod"}, {Group: "shop.example.com", Version: "v1", Kind: "Order"}}
	if got := h.Kinds(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	h.Kinds()[0].Kind = "Other"
	if got := h.Kinds(); got[0].Kind != "Pod" {
		t.Errorf("the caller changes the handler: %v", got)
	}
	if got := Validating("v.example.com").Kinds(); len(got) != 0 {
		t.Errorf("without ForKind there are %v", got)
	}
}
