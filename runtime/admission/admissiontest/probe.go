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

// Probe stands in for the policies of a package: what their functions are asked it notes, and it answers as the Suite
// wants to see it answered.
type Probe struct {
	asked    []question
	answer   func(question) error
	observed []admission.Observation
}

// Request is what a function of a policy gets: *admission.CreateRequest, *admission.RawRequest and so on.
type Request interface {
	// AdmissionRequest returns the request as the API server sent it.
	AdmissionRequest() admissionv1.AdmissionRequest
	// Warn has the API server show messages to the user.
	Warn(messages ...string)
	// AuditAnnotation has the API server write a value into its audit log.
	AuditAnnotation(key, value string)
}

// question is what a function of a policy has been asked.
type question struct {
	function string
	deadline bool // whether the context has one
	request  Request
	sent     admissionv1.AdmissionRequest
	err      error // of the old object
	// object and old are the decoded objects; invalid where there is none.
	object, old reflect.Value
}

// Asked is all that the functions of a policy do which is a probe.
func (p *Probe) Asked(ctx context.Context, function string, r Request) error {
	q := question{function: function, request: r, sent: r.AdmissionRequest()}
	_, q.deadline = ctx.Deadline()
	request := reflect.ValueOf(r)
	fields := request.Elem()
	q.object, q.old = fields.FieldByName("Object"), fields.FieldByName("OldObject")
	if q.sent.Operation == admissionv1.Connect {
		q.object = fields.FieldByName("Options")
	}
	// The old object of an update is decoded when it is asked for. The JSON of raw requests is in sent already.
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

// Observe notes that a webhook has been called, by whichever way it was registered.
func (p *Probe) Observe(_ context.Context, o admission.Observation) {
	p.observed = append(p.observed, o)
}

// expect has the probe answer so from now on, and forget what it has been asked.
func (p *Probe) expect(answer func(question) error) { *p = Probe{answer: answer} }

// written is a decoded object as JSON; empty where there is none.
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
