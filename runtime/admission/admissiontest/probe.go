// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// Probe replaces the validators and defaulters of a package. It records the calls of their functions, and returns the
// answer that the Suite has set.
type Probe struct {
	asked    []question
	answer   func(question) error
	observed []admission.Observation
}

// Request is a request of any operation: *admission.CreateRequest, *admission.RawRequest and so on.
type Request interface {
	// AdmissionRequest returns the request as the API server sent it.
	AdmissionRequest() admissionv1.AdmissionRequest
	// Warn has the API server show messages to the user.
	Warn(messages ...string)
	// AuditAnnotation has the API server write a value into its audit log.
	AuditAnnotation(key, value string)
}

// question is one recorded call of a function.
type question struct {
	function string
	deadline bool // whether the context has one
	request  Request
	sent     admissionv1.AdmissionRequest
	err      error // of the old object
	// object and old are the decoded objects; invalid if the request has no such object.
	object, old reflect.Value
}

// Record records a call of a function and returns the answer that the Suite has set. Each function of a probe consists
// of one call of Record.
func (p *Probe) Record(ctx context.Context, function string, r Request) error {
	q := question{function: function, request: r, sent: r.AdmissionRequest()}
	_, q.deadline = ctx.Deadline()
	request := reflect.ValueOf(r)
	fields := request.Elem()
	q.object, q.old = fields.FieldByName("Object"), fields.FieldByName("OldObject")
	if q.sent.Operation == admissionv1.Connect {
		q.object = fields.FieldByName("Options")
	}
	// The old object of an update is decoded on the call of OldObject. The JSON of raw requests is in sent already.
	if get := request.MethodByName("OldObject"); get.IsValid() && get.Type().NumOut() == 2 {
		results := get.Call(nil)
		q.old = results[0]
		q.err, _ = results[1].Interface().(error)
	}
	p.asked = append(p.asked, q)
	if p.answer == nil {
		return nil
	}
	return p.answer(q)
}

// Observe records a call of a webhook, however the webhook was registered.
func (p *Probe) Observe(_ context.Context, o admission.Observation) {
	p.observed = append(p.observed, o)
}

// expect sets the answer of the probe from now on, and clears its record.
func (p *Probe) expect(answer func(question) error) { *p = Probe{answer: answer} }

// written returns a decoded object as JSON; empty if the object is nil.
func written(object reflect.Value) string {
	if !object.IsValid() || object.IsNil() {
		return ""
	}
	data, err := json.Marshal(object.Interface())
	if err != nil {
		return fmt.Sprintf("%s: %v", object.Type(), err)
	}
	return string(data)
}
