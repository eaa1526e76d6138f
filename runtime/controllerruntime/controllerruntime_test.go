// SPDX-License-Identifier: Apache-2.0

package controllerruntime

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/log"
	theirs "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// existing is a validator and defaulter as projects have them: it denies whom the request does not authorise.
type existing struct{ err error }

func (e existing) authorised(ctx context.Context) error {
	r, err := theirs.RequestFromContext(ctx)
	if err != nil {
		return nil // as a project had it, whose check was skipped without a request
	}
	if r.UserInfo.Username != "jane" {
		return fmt.Errorf("%s may not %s %s", r.UserInfo.Username, r.Operation, r.Resource.Resource)
	}
	if p := (*panicking)(nil); errors.As(e.err, &p) {
		panic(p.value)
	}
	return e.err
}

// panicking has validators and defaulters panic in place of returning it.
type panicking struct{ value any }

func (p *panicking) Error() string { return fmt.Sprint(p.value) }

func (e existing) ValidateCreate(ctx context.Context, p *corev1.Pod) (theirs.Warnings, error) {
	log.FromContext(ctx).Info("asked")
	return theirs.Warnings{"create " + p.Name}, e.authorised(ctx)
}

func (e existing) ValidateUpdate(ctx context.Context, old, p *corev1.Pod) (theirs.Warnings, error) {
	return theirs.Warnings{"update " + old.Spec.NodeName + " " + p.Spec.NodeName}, e.authorised(ctx)
}

func (e existing) ValidateDelete(ctx context.Context, p *corev1.Pod) (theirs.Warnings, error) {
	return theirs.Warnings{"delete " + p.Spec.NodeName}, e.authorised(ctx)
}

func (e existing) Default(ctx context.Context, p *corev1.Pod) error {
	p.Spec.NodeName += "-set"
	return e.authorised(ctx)
}

// custom is existing for any object.
type custom struct{ existing }

func (c custom) ValidateCreate(ctx context.Context, o runtime.Object) (theirs.Warnings, error) {
	return c.existing.ValidateCreate(ctx, o.(*corev1.Pod))
}

func (c custom) ValidateUpdate(ctx context.Context, old, o runtime.Object) (theirs.Warnings, error) {
	return c.existing.ValidateUpdate(ctx, old.(*corev1.Pod), o.(*corev1.Pod))
}

func (c custom) ValidateDelete(ctx context.Context, o runtime.Object) (theirs.Warnings, error) {
	return c.existing.ValidateDelete(ctx, o.(*corev1.Pod))
}

func (c custom) Default(ctx context.Context, o runtime.Object) error {
	return c.existing.Default(ctx, o.(*corev1.Pod))
}

// typed is a validator and defaulter of typed requests.
type typed struct{ err error }

func (v typed) ValidateCreate(_ context.Context, r *admission.CreateRequest[corev1.Pod]) error {
	r.Warn("create "+r.Object.Name, fmt.Sprint(r.UserInfo.Username, r.DryRun, r.Options.FieldManager, len(r.AdmissionRequest().Object.Raw)))
	return v.err
}

func (v typed) ValidateUpdate(_ context.Context, r *admission.UpdateRequest[corev1.Pod]) error {
	old, err := r.OldObject()
	if err != nil {
		return err
	}
	r.Warn("update " + old.Spec.NodeName + " " + r.Object.Spec.NodeName)
	return v.err
}

func (v typed) ValidateDelete(_ context.Context, r *admission.DeleteRequest[corev1.Pod]) error {
	r.Warn("delete " + r.OldObject.Spec.NodeName)
	return v.err
}

func (v typed) DefaultCreate(_ context.Context, r *admission.CreateRequest[corev1.Pod]) error {
	r.Object.Spec.NodeName += "-set"
	return v.err
}

func (v typed) DefaultUpdate(_ context.Context, r *admission.UpdateRequest[corev1.Pod]) error {
	old, err := r.OldObject()
	if err != nil {
		return err
	}
	r.Object.Spec.NodeName += "-was-" + old.Spec.NodeName
	return v.err
}

// errorCases are the errors that both sides have to answer alike.
func errorCases() map[string]error {
	return map[string]error{
		"allowed":      nil,
		"plain":        errors.New("no"),
		"field":        field.Required(field.NewPath("spec", "nodeName"), "say where"),
		"fields":       field.ErrorList{field.Required(field.NewPath("a"), ""), field.Required(field.NewPath("b"), "")}.ToAggregate(),
		"conflict":     apierrors.NewConflict(corev1.Resource("pods"), "web", errors.New("x")),
		"server error": apierrors.NewInternalError(errors.New("x")),
		"too many":     fmt.Errorf("asked: %w", apierrors.NewTooManyRequestsError("later")),
		"cancelled":    context.Canceled,
		"failure":      admission.Failure(errors.New("no answer")),
		"panic":        &panicking{"no way"},
		"panic error":  &panicking{errors.New("no way")},
	}
}

func TestFrom(t *testing.T) {
	scheme := podScheme(t)
	for name, err := range errorCases() {
		e := existing{err}
		v, d := FromValidator(e), FromDefaulter(e)
		cv, cd := FromCustomValidator[corev1.Pod](custom{e}), FromCustomDefaulter[corev1.Pod](custom{e})
		for _, pair := range []struct {
			name        string
			ours, peers http.Handler
		}{
			{"validator", validating(v.ValidateCreate, v.ValidateUpdate, v.ValidateDelete), theirs.WithValidator(scheme, e)},
			{"custom validator", validating(cv.ValidateCreate, cv.ValidateUpdate, cv.ValidateDelete), theirs.WithCustomValidator(scheme, &corev1.Pod{}, custom{e})}, //nolint:staticcheck // projects still use it
			{"defaulter", mutating(d.DefaultCreate, d.DefaultUpdate), theirs.WithDefaulter(scheme, e)},
			{"custom defaulter", mutating(cd.DefaultCreate, cd.DefaultUpdate), theirs.WithCustomDefaulter(scheme, &corev1.Pod{}, custom{e})},
		} {
			for _, user := range []string{"jane", "mallory"} {
				t.Run(name+"/"+pair.name+"/"+user, func(t *testing.T) { compare(t, pair.ours, pair.peers, user) })
			}
		}
	}
}

func TestTo(t *testing.T) {
	scheme := podScheme(t)
	for name, err := range errorCases() {
		if strings.HasPrefix(name, "panic") {
			continue // controller-runtime itself recovers there
		}
		w := typed{err}
		v, err1 := ToValidator[corev1.Pod](w)
		d, err2 := ToDefaulter[corev1.Pod](w)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		t.Run(name+"/validator", func(t *testing.T) {
			compare(t, validating(w.ValidateCreate, w.ValidateUpdate, w.ValidateDelete), theirs.WithValidator(scheme, v), "jane")
		})
		t.Run(name+"/defaulter", func(t *testing.T) {
			compare(t, mutating(w.DefaultCreate, w.DefaultUpdate), theirs.WithDefaulter(scheme, d), "jane")
		})
	}
}

// TestToWithoutMethods registers values that lack methods, and asks without a request.
func TestToWithoutMethods(t *testing.T) {
	if v, err := ToValidator[corev1.Pod](existing{}); err == nil || !strings.Contains(err.Error(), "existing has no method ValidateCreate") {
		t.Errorf("%v %v", v, err)
	}
	if v, err := ToValidator[corev1.Secret](typed{}); err == nil {
		t.Errorf("%v takes Secrets", v)
	}
	if d, err := ToDefaulter[corev1.Pod](existing{}); err == nil {
		t.Errorf("%v", d)
	}
	creating, err := ToValidator[corev1.Pod](struct{ creator }{})
	if err != nil {
		t.Fatal(err)
	}
	scheme := podScheme(t)
	got := ask(t, theirs.WithValidator(scheme, creating), review(admissionv1.Delete, "jane"))
	if got.Allowed || got.Result.Code != http.StatusInternalServerError || !strings.Contains(got.Result.Message, "no method for the operation DELETE") {
		t.Errorf("%+v", got)
	}
	if _, err := creating.ValidateCreate(t.Context(), &corev1.Pod{}); err == nil {
		t.Error("allowed without a request")
	}
}

// TestFromNil has denials in place of a validator and a defaulter that nobody has set.
func TestFromNil(t *testing.T) {
	v, d := FromValidator[corev1.Pod](theirs.Validator[*corev1.Pod](nil)), FromDefaulter[corev1.Pod](theirs.Defaulter[*corev1.Pod](nil))
	cv, cd := FromCustomValidator[corev1.Pod](nil), FromCustomDefaulter[corev1.Pod](nil)
	var unset Validator[corev1.Pod]
	for name, handler := range map[string]http.Handler{
		"validator":        validating(v.ValidateCreate, v.ValidateUpdate, v.ValidateDelete),
		"custom validator": validating(cv.ValidateCreate, cv.ValidateUpdate, cv.ValidateDelete),
		"zero validator":   validating(unset.ValidateCreate, unset.ValidateUpdate, unset.ValidateDelete),
		"defaulter":        mutating(d.DefaultCreate, d.DefaultUpdate),
		"custom defaulter": mutating(cd.DefaultCreate, cd.DefaultUpdate),
	} {
		for _, operation := range []admissionv1.Operation{admissionv1.Create, admissionv1.Update, admissionv1.Delete} {
			if operation == admissionv1.Delete && strings.HasSuffix(name, "defaulter") {
				continue
			}
			got := ask(t, handler, review(operation, "jane"))
			if got == nil || got.Allowed || got.Result.Code != http.StatusInternalServerError {
				t.Errorf("%s, %s: got %+v", name, operation, got)
			}
		}
	}
}

func podScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return scheme
}

// creator has one method.
type creator struct{}

func (creator) ValidateCreate(context.Context, *admission.CreateRequest[corev1.Pod]) error {
	return nil
}

// TestLogger compares what code logs behind the adapter with what it logs in controller-runtime.
func TestLogger(t *testing.T) {
	scheme := podScheme(t)
	var lines []string
	base := funcr.New(func(_, args string) { lines = append(lines, args) }, funcr.Options{})
	peer, err := theirs.StandaloneWebhook(theirs.WithValidator(scheme, existing{}), theirs.StandaloneOptions{Logger: base})
	if err != nil {
		t.Fatal(err)
	}
	ask(t, peer, review(admissionv1.Create, "jane"))
	ask(t, validating(FromValidator(existing{}, WithLogger(base)).ValidateCreate, nil, nil), review(admissionv1.Create, "jane"))
	var asked []string
	for _, line := range lines {
		if strings.Contains(line, `"msg"="asked"`) {
			asked = append(asked, line)
		}
	}
	if len(asked) != 2 || asked[0] != asked[1] || !strings.Contains(asked[0], `"user"="jane"`) {
		t.Errorf("%q", asked)
	}
	lines = nil
	own := WithLogConstructor(func(base logr.Logger, r *theirs.Request) logr.Logger { return base.WithValues("call", r.UID) })
	ask(t, validating(FromValidator(existing{}, own, WithLogger(base)).ValidateCreate, nil, nil), review(admissionv1.Create, "jane"))
	if len(lines) != 1 || !strings.Contains(lines[0], `"call"="uid-1"`) {
		t.Errorf("%q", lines)
	}
}

func validating(create func(context.Context, *admission.CreateRequest[corev1.Pod]) error, update func(context.Context, *admission.UpdateRequest[corev1.Pod]) error, remove func(context.Context, *admission.DeleteRequest[corev1.Pod]) error) http.Handler {
	options := []admission.Option{admission.OnCreate(create)}
	if update != nil {
		options = append(options, admission.OnUpdate(update), admission.OnDelete(remove))
	}
	return admission.Validating("pods.example.com", options...)
}

func mutating(create func(context.Context, *admission.CreateRequest[corev1.Pod]) error, update func(context.Context, *admission.UpdateRequest[corev1.Pod]) error) http.Handler {
	return admission.Mutating("pods.example.com", admission.OnCreate(create), admission.OnUpdate(update))
}

// compare sends the same reviews to both handlers, and wants the same answers.
func compare(t *testing.T, ours, peers http.Handler, user string) {
	t.Helper()
	for _, operation := range []admissionv1.Operation{admissionv1.Create, admissionv1.Update, admissionv1.Delete} {
		handler, isOurs := ours.(*admission.Handler)
		if isOurs && operation == admissionv1.Delete && !hasOperation(handler, admission.Delete) {
			continue
		}
		body := review(operation, user)
		got, want := ask(t, ours, body), ask(t, peers, body)
		if got == nil { // controller-runtime has no failures
			if want.Allowed || want.Result.Code != http.StatusInternalServerError {
				t.Errorf("%s: got a failure, want %+v", operation, want)
			}
			continue
		}
		if got.Allowed != want.Allowed || !reflect.DeepEqual(got.Warnings, want.Warnings) {
			t.Errorf("%s: got %+v, want %+v", operation, got, want)
		}
		if !got.Allowed && (got.Result.Code != want.Result.Code || got.Result.Reason != want.Result.Reason || got.Result.Message != want.Result.Message) {
			t.Errorf("%s: got %+v, want %+v", operation, got.Result, want.Result)
		}
		if (len(got.Patch) > 0) != (len(want.Patch) > 0) || len(got.Patch) > 0 && !samePatch(t, got.Patch, want.Patch) {
			t.Errorf("%s: got patch %s, want %s", operation, got.Patch, want.Patch)
		}
	}
}

func hasOperation(h *admission.Handler, operation admission.Operation) bool {
	for _, o := range h.Operations() {
		if o == operation {
			return true
		}
	}
	return false
}

// samePatch compares patches of one replaced value.
func samePatch(t *testing.T, a, b []byte) bool {
	t.Helper()
	var left, right []map[string]any
	if err := errors.Join(json.Unmarshal(a, &left), json.Unmarshal(b, &right)); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(left, right)
}

func review(operation admissionv1.Operation, user string) []byte {
	pod := func(node string) runtime.RawExtension {
		p := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}, Spec: corev1.PodSpec{NodeName: node}}
		text, err := json.Marshal(p)
		if err != nil {
			panic(err)
		}
		return runtime.RawExtension{Raw: text}
	}
	dry := true
	r := admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
		Request: &admissionv1.AdmissionRequest{
			UID: "uid-1", Operation: operation, Namespace: "shop", Name: "web", DryRun: &dry,
			Kind:     metav1.GroupVersionKind{Version: "v1", Kind: "Pod"},
			Resource: metav1.GroupVersionResource{Version: "v1", Resource: "pods"},
			UserInfo: authenticationv1.UserInfo{Username: user},
			Options:  runtime.RawExtension{Raw: []byte(`{"kind":"CreateOptions","apiVersion":"meta.k8s.io/v1","fieldManager":"kubectl"}`)},
		},
	}
	if operation != admissionv1.Delete {
		r.Request.Object = pod("new")
	}
	if operation != admissionv1.Create {
		r.Request.OldObject = pod("old")
		r.Request.Options.Raw = nil
	}
	text, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	return text
}

// ask returns the answer to a review; nil if the handler fails with 500.
func ask(t *testing.T, handler http.Handler, body []byte) *admissionv1.AdmissionResponse {
	t.Helper()
	request := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	if recorder.Code == http.StatusInternalServerError {
		return nil
	}
	var answer admissionv1.AdmissionReview
	if err := json.Unmarshal(recorder.Body.Bytes(), &answer); err != nil || answer.Response == nil {
		t.Fatalf("%v: %s", err, recorder.Body)
	}
	return answer.Response
}

// TestFailuresReachLogr has the failures of a handler in a logger of logr, as controller-runtime has one.
func TestFailuresReachLogr(t *testing.T) {
	var lines []string
	logger := funcr.New(func(prefix, args string) { lines = append(lines, prefix+" "+args) }, funcr.Options{}).WithName("webhooks")
	for message, fail := range map[string]func() error{
		"webhook panicked": func() error { panic("no way") },
		"webhook failed":   func() error { return admission.Failure(errors.New("no way")) },
	} {
		lines = nil
		h := admission.Validating("pods.example.com", admission.Log(slog.New(logr.ToSlogHandler(logger))),
			admission.OnCreate(func(context.Context, *admission.CreateRequest[corev1.Pod]) error { return fail() }))
		body := `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"1","operation":"CREATE","object":{}}}`
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		h.ServeHTTP(httptest.NewRecorder(), r)
		if len(lines) != 1 || !strings.HasPrefix(lines[0], "webhooks ") || !strings.Contains(lines[0], message) ||
			!strings.Contains(lines[0], `"webhook"="pods.example.com"`) || !strings.Contains(lines[0], "no way") {
			t.Errorf("the log has %q, want one line with %q", lines, message)
		}
	}
}
