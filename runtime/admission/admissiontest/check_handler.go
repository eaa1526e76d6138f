// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
)

// handlerCheck calls a handler, as an API server does and as it never would, with a probe in place of the validator or
// defaulter.
type handlerCheck struct {
	Webhook
	handler http.Handler
	probe   *Probe
}

func (c handlerCheck) checks(calls []call) []check {
	name := c.Name + "/handler/"
	var checks []check
	for _, operation := range c.operations() {
		checks = append(checks, check{name + string(operation), func(t testing.TB) {
			for _, call := range calls {
				c.answers(t, c.review(operation, call, 1))
				c.answers(t, c.review(operation, call, 2).V1beta1())
			}
			c.edits(t, c.review(operation, calls[0], 3))
		}})
	}
	for _, list := range c.Lists {
		checks = append(checks, check{name + "list " + list.Member, func(t testing.TB) { c.movesElements(t, list, calls[0]) }})
	}
	return append(checks,
		check{name + "other reviews", func(t testing.TB) { c.refusesOthers(t, calls[0]) }},
		check{name + "bad objects", func(t testing.TB) { c.deniesBadObjects(t, calls[0]) }},
		check{name + "bad bodies", func(t testing.TB) { c.refusesBodies(t, calls[0]) }})
}

// review returns a review of objects that are filled at random.
func (w Webhook) review(operation admissionv1.Operation, c call, seed uint64) Review[json.RawMessage] {
	const elements = 2
	return w.reviewOf(operation, c, filled(w.objectType(), seed, elements), filled(w.objectType(), seed+1000, elements))
}

// reviewOf returns a review of an object, an old object or both, as the operation requires.
func (w Webhook) reviewOf(operation admissionv1.Operation, c call, object, old json.RawMessage) Review[json.RawMessage] {
	var r Review[json.RawMessage]
	switch operation {
	case admissionv1.Create:
		r = Create(&object).Options(&metav1.CreateOptions{TypeMeta: optionsType("CreateOptions"), FieldManager: "suite"})
	case admissionv1.Update:
		r = Update(&old, &object).Options(&metav1.UpdateOptions{TypeMeta: optionsType("UpdateOptions"), FieldManager: "suite"})
	case admissionv1.Delete:
		r = Delete(&object)
	default:
		r = Connect(&object)
	}
	resource, subResource, _ := strings.Cut(c.resource, "/")
	return r.As(c.kind.APIVersion, c.kind.Kind).Resource(anyKind(c.apiVersion).APIVersion, resource, subResource).Named("default", "filled")
}

// warned checks the warning of a function. The handler itself may warn of deprecated fields before
// ([admission.Deprecated]).
func (c handlerCheck) warned(r *Result[json.RawMessage], want string) {
	r.t.Helper()
	if !r.answered() {
		return
	}
	warnings := slices.DeleteFunc(slices.Clone(r.Response.Warnings), func(w string) bool { return strings.Contains(w, " is deprecated: ") })
	if !slices.Equal(warnings, []string{want}) {
		r.t.Errorf("warnings %q, want %q", r.Response.Warnings, []string{want})
	}
}

// answers checks that a review reaches the function for its operation, and that each answer reaches the API server.
func (c handlerCheck) answers(t testing.TB, r Review[json.RawMessage]) {
	t.Helper()
	for _, answer := range []struct {
		name string
		with func(question) error
		want func(*Result[json.RawMessage])
	}{
		{
			"allowing",
			func(q question) error {
				q.request.Warn("a warning")
				q.request.AuditAnnotation("audited", "yes")
				return nil
			},
			func(r *Result[json.RawMessage]) {
				r.t.Helper()
				c.warned(r.Allowed().Audited("audited", "yes").Unchanged(), "a warning")
			},
		},
		{
			"denying",
			func(q question) error { q.request.Warn("a warning"); return errors.New("no reason") },
			func(r *Result[json.RawMessage]) {
				r.t.Helper()
				c.warned(r.Denied(http.StatusForbidden, "no reason"), "a warning")
			},
		},
		{
			"denying fields",
			func(q question) error {
				return field.Invalid(field.NewPath("spec", "field"), string(q.sent.Object.Raw), "no reason")
			},
			func(r *Result[json.RawMessage]) {
				r.t.Helper()
				r.Denied(http.StatusUnprocessableEntity, "no reason").Causes("spec.field")
			},
		},
		{
			"failing",
			func(question) error { return admission.Failure(errors.New("no answer")) },
			func(r *Result[json.RawMessage]) { r.t.Helper(); r.Failed(http.StatusInternalServerError, "no answer") },
		},
		{
			"panicking",
			func(question) error { panic("no way") },
			func(r *Result[json.RawMessage]) { r.t.Helper(); r.Denied(http.StatusInternalServerError, "no way") },
		},
	} {
		c.probe.expect(answer.with)
		result := r.Send(t, c.handler)
		answer.want(result)
		asked := 1
		if c.Ratchet && r.operation == admissionv1.Update && answer.name == "denying fields" {
			asked = 2 // the second time about the stored object
		}
		c.reached(t, result.sent, asked)
		if t.Failed() {
			t.Fatalf("this is about a function that is %s, and a review of %s", answer.name, r.version)
		}
	}
}

// reached checks that the function for the operation has been called that often, the first time with the request that
// was sent.
func (c handlerCheck) reached(t testing.TB, sent *admissionv1.AdmissionRequest, times int) {
	t.Helper()
	want := c.Functions[sent.Operation]
	if len(c.probe.asked) != times {
		t.Errorf("%d functions are asked, want one: %s", len(c.probe.asked), want)
		return
	}
	if o := c.probe.observed; len(o) != 1 || o[0].Webhook != c.Name || o[0].Operation != sent.Operation {
		t.Errorf("the observer that the webhooks were registered with hears of %d calls, want one: %s of %s", len(o), sent.Operation, c.Name)
	}
	got := c.probe.asked[0]
	if got.function != want {
		t.Errorf("%s is asked, want %s", got.function, want)
	}
	if !got.deadline {
		t.Errorf("the context of %s does not end when the API server stops waiting", got.function)
	}
	if got.err != nil {
		t.Errorf("the old object: %v", got.err)
	}
	if diff := cmp.Diff(compacted(*sent), got.sent); diff != "" {
		t.Errorf("the request (-sent +asked):\n%s", diff)
	}
	if c.Object == nil {
		return
	}
	for what, part := range map[string]struct {
		sent []byte
		got  reflect.Value
	}{"object": {sent.Object.Raw, got.object}, "old object": {sent.OldObject.Raw, got.old}} {
		if diff := cmp.Diff(c.throughType(part.sent), written(part.got)); diff != "" {
			t.Errorf("the %s (-sent +asked):\n%s", what, diff)
		}
	}
}

// compacted returns a request with its objects in the compact JSON of a review.
func compacted(r admissionv1.AdmissionRequest) admissionv1.AdmissionRequest {
	for _, raw := range []*[]byte{&r.Object.Raw, &r.OldObject.Raw, &r.Options.Raw} {
		var text bytes.Buffer
		if len(*raw) > 0 && json.Compact(&text, *raw) == nil {
			*raw = text.Bytes()
		}
	}
	return r
}

// throughType returns an object after decoding it into the Go type and encoding it again; empty if there is no object.
func (w Webhook) throughType(object []byte) string {
	text, _ := through(w.objectType(), object)
	return string(text)
}

// edits has the function replace the object by another one. A mutating webhook must answer with a patch that leads to
// the other object and keeps the members that are unknown to the type. All other webhooks must answer without a patch.
func (c handlerCheck) edits(t testing.TB, r Review[json.RawMessage]) {
	if c.Object == nil {
		return
	}
	patched := c.Mutating && r.operation != admissionv1.Delete
	if patched {
		object := json.RawMessage(withUnknown(c.objectType(), *r.object))
		r.object = &object
	}
	other := filled(c.objectType(), 4, 2)
	var edited []byte
	c.probe.expect(func(q question) error {
		object := q.object
		if r.operation == admissionv1.Delete {
			object = q.old
		}
		kind := typeMeta(object)
		object.Elem().SetZero()
		if err := json.Unmarshal(other, object.Interface()); err != nil {
			return err
		}
		setTypeMeta(object, kind)
		edited = []byte(written(object))
		return nil
	})
	result := r.Send(t, c.handler).Allowed()
	if !patched {
		result.Unchanged()
		return
	}
	after, err := failure.Decode(result.object)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := after.(map[string]any); !ok || got[unknownMember] == nil {
		t.Errorf("a member that the type does not know is lost: %s", result.object)
	}
	got, err := json.Marshal(withoutUnknown(after))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c.throughType(withKind(edited, result.review.kind)), c.throughType(got)); diff != "" {
		t.Errorf("the object after the patch (-edited +got):\n%s", diff)
	}
}

// typeMeta is the TypeMeta of an object whose type has one.
func typeMeta(object reflect.Value) metav1.TypeMeta {
	if m := object.Elem().FieldByName("TypeMeta"); m.IsValid() {
		if kind, ok := m.Interface().(metav1.TypeMeta); ok {
			return kind
		}
	}
	return metav1.TypeMeta{}
}

func setTypeMeta(object reflect.Value, kind metav1.TypeMeta) {
	if m := object.Elem().FieldByName("TypeMeta"); m.IsValid() && m.CanSet() && m.Type() == reflect.TypeOf(kind) {
		m.Set(reflect.ValueOf(kind))
	}
}

// refusesOthers sends reviews of other operations and kinds.
func (c handlerCheck) refusesOthers(t testing.TB, call call) {
	c.probe.expect(nil)
	for _, operation := range allOperations() {
		if c.Functions[operation] == "" {
			c.review(operation, call, 1).Send(t, c.handler).Failed(http.StatusBadRequest, string(operation))
		}
	}
	if len(c.Kinds) > 0 {
		for _, kind := range []Kind{{call.kind.APIVersion, "Other"}, {"other.example.com/v1", call.kind.Kind}, {call.kind.APIVersion + "other1", call.kind.Kind}} {
			c.review(c.operations()[0], call, 1).As(kind.APIVersion, kind.Kind).Send(t, c.handler).Failed(http.StatusBadRequest, kind.Kind)
		}
	}
	c.wantUnasked(t)
}

// wantUnasked checks that no function was called.
func (c handlerCheck) wantUnasked(t testing.TB) {
	t.Helper()
	for _, q := range c.probe.asked {
		t.Errorf("%s is asked about a review that is to be refused", q.function)
	}
}
