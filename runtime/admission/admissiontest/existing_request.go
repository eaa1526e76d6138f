// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
)

// existingRequest is a request: the object that it is about, and the old object of an UPDATE.
type existingRequest struct {
	operation   admissionv1.Operation
	object, old json.RawMessage
	// ready is true after the mutating webhooks.
	ready bool
}

// shown returns the objects of a request as findings show them: as a user sends them, with the edits by defaults and
// mutating webhooks below. If the old object has other edits, both objects are shown as they reach the handler.
func (c existingCheck) shown(r existingRequest) string {
	edits := ""
	if ready, reaches := c.defaulted(r); reaches && !r.ready {
		edits = c.diff(r.object, ready.object)
		if r.old != nil && c.diff(r.old, ready.old) != edits {
			r, edits = ready, ""
		}
	}
	return c.described(r, edits)
}

// described returns a request as text, with the edits on the way to the handler.
func (c existingCheck) described(r existingRequest, edits string) string {
	object, old := c.withKind(r.object), c.withKind(r.old)
	text := string(r.operation) + " of\n" + failure.YAML(object)
	switch {
	case r.old == nil:
	case bytes.Equal(r.object, r.old):
		text = string(r.operation) + " without a change of\n" + failure.YAML(object)
	default:
		text = string(r.operation) + " of\n" + failure.YAML(old) + "\nwith the changes\n" + failure.Diff(old, object)
	}
	if edits != "" {
		text += "\nand the edits by defaults and mutating webhooks\n" + edits
	}
	return text
}

// diff returns the differences of two objects. One of them may lack the kind.
func (c existingCheck) diff(one, other json.RawMessage) string {
	return failure.Diff(c.withKind(one), c.withKind(other))
}

// withKind returns an object with the kind of the objects in a review.
func (c existingCheck) withKind(object json.RawMessage) json.RawMessage {
	return withKind(object, c.groupVersionKind())
}

// groupVersionKind returns the kind of the objects in a review.
func (c existingCheck) groupVersionKind() schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(c.call.kind.APIVersion, c.call.kind.Kind)
}

// existingReply is the answer of a handler.
type existingReply struct {
	// panicked is the value of a panic, and refused the reason for which an API server does not accept the answer.
	panicked, refused string
	response          *admissionv1.AdmissionResponse // nil if the call failed
	object            []byte                         // after the patch
}

// allowed reports whether the request is allowed.
func (r existingReply) allowed() bool { return r.response != nil && r.response.Allowed }

// message returns the reason of a denial.
func (r existingReply) message() string {
	if r.response == nil || r.response.Result == nil {
		return ""
	}
	if r.response.Result.Message == "" {
		return string(r.response.Result.Reason)
	}
	return r.response.Result.Message
}

// review returns the review of a request, always with the same uid.
func (c existingCheck) review(r existingRequest) (*admissionv1.AdmissionReview, error) {
	review, err := c.reviewOf(r.operation, c.call, r.object, r.old).review()
	if err == nil {
		review.Request.UID = "00000000-0000-4000-8000-000000000000"
	}
	return review, err
}

// ask sends a request to the mutating handlers before this one, and then to the handler.
func (c existingCheck) ask(r existingRequest) existingReply {
	if !r.ready {
		var reached bool
		if r, reached = c.defaulted(r); !reached {
			return existingReply{}
		}
	}
	review, err := c.review(r)
	if err != nil {
		return existingReply{refused: err.Error()}
	}
	body, err := json.Marshal(review)
	if err != nil {
		return existingReply{refused: err.Error()}
	}
	return c.send(review, body)
}

// send sends a body to the handler, and reads the answer as an API server does.
func (c existingCheck) send(review *admissionv1.AdmissionReview, body []byte) existingReply {
	c.sent.add(review.Request.Operation, body)
	request := httptest.NewRequest(http.MethodPost, c.Path+"?timeout=10s", bytes.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, */*")
	recorder := httptest.NewRecorder()
	recovering{c.handler}.ServeHTTP(recorder, request)
	if recovered := recorder.Header().Get(panicHeader); recovered != "" {
		return existingReply{panicked: recovered}
	}
	if !succeeded(recorder.Code) {
		return existingReply{refused: fmt.Sprintf("HTTP %d: %s", recorder.Code, bytes.TrimSpace(recorder.Body.Bytes()))}
	}
	response, err := takeAnswer(review, recorder.Header(), recorder.Body.Bytes())
	if err != nil {
		return existingReply{refused: fmt.Sprintf("an API server does not accept the answer: %v", err)}
	}
	reply := existingReply{response: response, object: review.Request.Object.Raw}
	// controller-runtime and this runtime recover, and deny the request with the value of the panic.
	if _, value, ok := strings.Cut(reply.message(), "panic: "); ok && !response.Allowed && response.Result.Code == http.StatusInternalServerError {
		reply.panicked = strings.TrimSuffix(value, " [recovered]")
		return reply
	}
	if len(response.Patch) > 0 {
		if reply.object, err = applyPatch(review.Request.Object.Raw, response.Patch); err != nil {
			reply.refused = fmt.Sprintf("an API server cannot apply the patch: %v: %s", err, response.Patch)
		}
	}
	return reply
}

// panicHeader has the value and position of a panic in the answers of recovering.
const panicHeader = "X-Panic"

// recovering is a handler that answers a panic with HTTP 500. A server would close the connection.
type recovering struct{ handler http.Handler }

func (h recovering) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if value := recover(); value != nil {
			w.Header().Set(panicHeader, strings.Join(strings.Fields(fmt.Sprint(value)), " ")+", at "+panicPosition())
			http.Error(w, fmt.Sprintf("panic: %v", value), http.StatusInternalServerError)
		}
	}()
	h.handler.ServeHTTP(w, r)
}

// logPanics has controller-runtime pass panics to log, until the function that it returns is called. Without it,
// controller-runtime logs a stack for each of them.
func logPanics(log func()) (reset func()) {
	before := utilruntime.PanicHandlers
	utilruntime.PanicHandlers = nil
	if log != nil {
		utilruntime.PanicHandlers = []func(context.Context, any){func(context.Context, any) { log() }}
	}
	return func() { utilruntime.PanicHandlers = before }
}

// panicPosition returns the position of a panic: "order_webhook.go:33". It must be called while the panic is handled.
func panicPosition() string {
	if f, ok := failure.UserFrame(string(debug.Stack())); ok {
		return f.Position.String()
	}
	return "an unknown position"
}

// panics reports a panic of the handler.
func (c existingCheck) panics(r existingRequest) string {
	if reply := c.ask(r); reply.panicked != "" {
		return "panics: " + reply.panicked + c.position(r)
	}
	return ""
}

// position returns the position of a panic that controller-runtime recovers; empty if another one does.
func (c existingCheck) position(r existingRequest) string {
	position := ""
	defer logPanics(func() { position = ", at " + panicPosition() })()
	c.ask(r)
	return position
}

// refused reports an answer that an API server does not accept.
func (c existingCheck) refused(r existingRequest) string {
	if reply := c.ask(r); reply.panicked == "" && reply.refused != "" {
		return "fails: " + reply.refused
	}
	return ""
}

// patchless reports a patch of a webhook that must not send one.
func (c existingCheck) patchless(r existingRequest) string {
	reply := c.ask(r)
	if reply.allowed() && len(reply.response.Patch) > 0 && (!c.Mutating || r.operation == admissionv1.Delete) {
		return fmt.Sprintf("sends a patch, which API servers accept of mutating webhooks only:\n%s", failure.YAML(reply.response.Patch))
	}
	return ""
}

// differs reports two answers to the same request that are not the same.
func (c existingCheck) differs(r existingRequest) string {
	return difference(c.ask(r), c.ask(r))
}

// difference returns the difference between two answers to the same request; empty for equal answers.
func difference(first, then existingReply) string {
	one, other := first.summary(), then.summary()
	if one == other {
		return ""
	}
	if diff := failure.Diff(first.object, then.object); diff != "" && first.allowed() && then.allowed() {
		return "answers the same request differently (-first +then):\n" + diff
	}
	return fmt.Sprintf("answers the same request differently:\nfirst: %s\nthen:  %s", cut(one, other), cut(other, one))
}

// cut returns the part of a text around the place where another one begins to differ.
func cut(text, other string) string {
	const before, most = 100, 400
	from := 0
	for from < min(len(text), len(other)) && text[from] == other[from] {
		from++
	}
	from = max(0, from-before)
	part := strings.ToValidUTF8(text[from:min(len(text), from+most)], "")
	if from > 0 {
		part = "…" + part
	}
	if from+most < len(text) {
		part += "…"
	}
	return part
}

// moment matches the texts that may differ in answers to the same request: times, and random UUIDs.
var moment = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*(Z|[+-]\d\d:\d\d)|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// summary returns the parts of an answer that every answer to the same request shares.
func (r existingReply) summary() string {
	var parts []string
	switch {
	case r.panicked != "":
		parts = append(parts, "panic: "+r.panicked)
	case r.refused != "":
		parts = append(parts, r.refused)
	case r.response == nil:
	case r.response.Allowed:
		parts = append(parts, "allowed")
	default:
		parts = append(parts, "denied: "+r.message())
	}
	if r.response != nil {
		if len(r.response.Warnings) > 0 {
			parts = append(parts, fmt.Sprintf("warnings %q", r.response.Warnings))
		}
		if len(r.response.AuditAnnotations) > 0 {
			parts = append(parts, fmt.Sprintf("audit annotations %q", r.response.AuditAnnotations))
		}
		// The order of a patch's operations is no difference: the objects count.
		if len(r.response.Patch) > 0 {
			parts = append(parts, fmt.Sprintf("the object becomes %s", r.object))
		}
	}
	return moment.ReplaceAllString(strings.Join(parts, ", "), "…")
}

// changesAgain reports a change that a mutating handler makes to its own result. An API server may call it again
// (reinvocationPolicy), and calls it for each update.
func (c existingCheck) changesAgain(r existingRequest) string {
	reply := c.patched(r)
	if reply.object == nil {
		return ""
	}
	result := c.decoded(reply.object) // an API server sets defaults again
	again := c.ask(existingRequest{operation: r.operation, object: result, old: r.old})
	switch {
	case again.panicked != "":
		return "panics when it is asked about its own result: " + again.panicked
	case !again.allowed():
		return "denies its own result: " + again.message()
	}
	if diff := failure.Diff(result, c.decoded(again.object)); diff != "" {
		return "changes its own result (-result +changed):\n" + diff
	}
	return ""
}

// patched returns the answer with which a mutating handler has changed the object. Its object is nil if there is no
// change.
func (c existingCheck) patched(r existingRequest) existingReply {
	if !c.Mutating || r.operation == admissionv1.Delete {
		return existingReply{}
	}
	reply := c.ask(r)
	if reply.panicked+reply.refused != "" || !reply.allowed() || len(reply.response.Patch) == 0 {
		return existingReply{}
	}
	return reply
}

// losesUnknown reports members of the object that a patch removes because the Go type does not have them.
func (c existingCheck) losesUnknown(r existingRequest) string {
	if !r.ready {
		r, _ = c.defaulted(r)
		r.ready = true // the schema has the members that the type lacks
	}
	r.object = withUnknown(c.objectType(), r.object)
	reply := c.patched(r)
	if reply.object == nil {
		return ""
	}
	before, err := failure.Decode(r.object)
	after, afterErr := failure.Decode(reply.object)
	if errors.Join(err, afterErr) != nil {
		return ""
	}
	if lost := lostUnknown(before, after, ""); lost != "" {
		return fmt.Sprintf("removes members that are unknown to the Go type, such as %s:\n%s", strings.TrimPrefix(lost, "."), failure.YAML(reply.response.Patch))
	}
	return ""
}

// checkProtocol sends a review with members of a later version, and bodies that cannot be read.
func (c existingCheck) checkProtocol(t testing.TB) {
	r := existingRequest{operation: c.operations()[0], object: c.least(), old: c.least()}
	r, _ = c.defaulted(r)
	review, err := c.review(r)
	if err != nil {
		t.Fatalf("admissiontest: %v", err)
	}
	good, err := json.Marshal(review)
	if err != nil {
		t.Fatalf("admissiontest: %v", err)
	}
	first := c.send(review, good)
	if first.panicked+first.refused != "" || difference(first, c.send(review, good)) != "" {
		return // which is reported by the test of the operation
	}
	newer := bytes.Replace(good, []byte(`"request":{`), []byte(`"later":{"version":1},"request":{"later":{"version":1},`), 1)
	if message := difference(first, c.send(review, newer)); message != "" {
		t.Errorf("with members that a later API server may add to the review, %s", strings.Replace(message, "the same request ", "", 1))
	}
	if c.beta {
		review.APIVersion = admissionv1.GroupName + "/v1beta1"
		older, err := json.Marshal(review)
		if err != nil {
			t.Fatalf("admissiontest: %v", err)
		}
		if reply := c.send(review, older); reply.refused != "" {
			t.Errorf("admissionReviewVersions has v1beta1, and a review of that version fails: %s", reply.refused)
		}
	}
	for _, bad := range []struct {
		name string
		body []byte
	}{
		{"an empty body", nil},
		{"a body that is no JSON", []byte("nonsense")},
		{"half a review", good[:len(good)/2]},
		{"a review without a request", []byte(`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}`)},
		{"a text in place of the object", c.withText(review)},
	} {
		if reply := c.send(review, bad.body); reply.panicked != "" && !strings.Contains(bad.name, "without") {
			t.Errorf("%s: the handler panics: %s", bad.name, reply.panicked)
		} else if reply.allowed() && c.Object != nil {
			t.Errorf("%s: the handler allows the request, want it denied", bad.name)
		}
	}
}

// withText returns the review with a text in place of its objects.
func (c existingCheck) withText(review *admissionv1.AdmissionReview) []byte {
	request := *review.Request
	for _, raw := range []*[]byte{&request.Object.Raw, &request.OldObject.Raw} {
		if *raw != nil {
			*raw = []byte(`"no object"`)
		}
	}
	body, err := json.Marshal(admissionv1.AdmissionReview{TypeMeta: review.TypeMeta, Request: &request})
	if err != nil {
		return nil
	}
	return body
}

// checkDeletion removes the finalizer of objects that are being deleted. If a webhook denies that, the object stays
// for ever.
func (c existingCheck) checkDeletion(t testing.TB) {
	denied := defect{of: func(r existingRequest) (message string) {
		stored := c.stored(r.object)
		for _, finalizer := range slices.Backward(c.finalizers) {
			reply := c.ask(deleting(stored, finalizer))
			if reply.panicked+reply.refused != "" || reply.allowed() || reply.response == nil || reply.response.Result == nil || reply.response.Result.Code == http.StatusBadRequest {
				return ""
			}
			if message = reply.message(); strings.Contains(message, "no kind is registered for the type") {
				return "" // the scheme of a fake client lacks it
			}
		}
		return message
	}}
	var before *existingRequest // the first request whose CREATE is denied, too
	for _, r := range c.requests(admissionv1.Create) {
		if denied.of(r) == "" {
			continue
		}
		if c.Functions[admissionv1.Create] != "" && c.ask(r).allowed() {
			both := defect{of: func(r existingRequest) string {
				if !c.ask(r).allowed() {
					return ""
				}
				return denied.of(r)
			}}
			c.reportDeletion(t, both, r, "Its CREATE is allowed.")
			return
		}
		if before == nil {
			before = &r
		}
	}
	if before != nil {
		c.reportDeletion(t, denied, *before, "Such an object may be older than the rule.")
	}
}

func (c existingCheck) reportDeletion(t testing.TB, d defect, r existingRequest, why string) {
	t.Helper()
	r = c.smallest(r, func(r existingRequest) bool { return d.of(r) != "" })
	files := c.written(t, func() { d.of(r) })
	t.Errorf("%s denies that the last finalizer is removed from an object that is being deleted, so that it stays for ever: %s\n"+
		"%s Allow updates of objects with a deletionTimestamp.\n%s%s", c.Functions[admissionv1.Update], d.of(r), why,
		c.described(deleting(r.object, othersFinalizer), c.diff(r.object, c.stored(r.object))), files)
}

// stored returns an object as its creation stores it.
func (c existingCheck) stored(object json.RawMessage) json.RawMessage {
	r, _ := c.defaulted(existingRequest{operation: admissionv1.Create, object: object})
	return r.object
}

// othersFinalizer is a finalizer that no project compares with.
const othersFinalizer = "example.com/last"

// deleting returns the update that removes the last finalizer of an object.
func deleting(stored json.RawMessage, finalizer string) existingRequest {
	return existingRequest{operation: admissionv1.Update, object: dying(stored), old: dying(stored, finalizer)}
}
