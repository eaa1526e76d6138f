// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
)

// ratchetCheck updates invalid objects, for a webhook with ratchet: true.
type ratchetCheck struct {
	Webhook
	// probed calls the probe, handler the validator, and strict the validator without ratchet.
	probed, handler, strict http.Handler
	probe                   *Probe
	// samples are objects of the webhook's kinds, accepted and denied ones.
	samples []json.RawMessage
}

func (c ratchetCheck) checks(call call) []check {
	if !c.Ratchet || c.Functions[admissionv1.Update] == "" {
		return nil
	}
	name := c.Name + "/ratchet/"
	return []check{
		{name + "handler", func(t testing.TB) { c.checkHandler(t, call) }},
		{name + "updates", func(t testing.TB) { c.checkUpdates(t, call) }},
	}
}

// checkHandler has the validator deny each object with a field error that has the object as its value, and with other
// errors. Only the field error of an update that changes nothing becomes a warning.
func (c ratchetCheck) checkHandler(t testing.TB, call call) {
	const elements = 2
	object, other := json.RawMessage(filled(c.objectType(), 1, elements)), json.RawMessage(filled(c.objectType(), 2, elements))
	path := field.NewPath("spec")
	for _, test := range []struct {
		name   string
		object json.RawMessage
		err    func(question) error
		warned bool
	}{
		{"a field error of the stored object", object, func(q question) error { return field.Invalid(path, written(q.object), "no reason") }, true},
		{"a new field error", withMember(other, "changed", true), func(q question) error { return field.Invalid(path, string(q.sent.Object.Raw), "no reason") }, false},
		{"a forbidden field", object, func(question) error { return field.Forbidden(path, "no reason") }, false},
		{"another error", object, func(question) error { return errors.New("no reason") }, false},
	} {
		c.probe.expect(test.err)
		result := c.reviewOf(admissionv1.Update, call, test.object, object).Send(t, c.probed)
		allowed := result.Response != nil && result.Response.Allowed
		if allowed != test.warned || allowed != (result.Response != nil && len(result.Response.Warnings) == 1) {
			t.Errorf("with ratchet, %s: allowed is %v with warnings %q, want %v", test.name, allowed, warningsOf(result), test.warned)
		}
	}
}

// checkUpdates updates objects that the validator refuses. An update that changes nothing must be allowed. An update by
// which an error comes must be denied.
func (c ratchetCheck) checkUpdates(t testing.TB, call call) {
	objects := slices.Concat(c.samples, c.randomObjects())
	for i, object := range objects {
		unchanged := c.reviewOf(admissionv1.Update, call, object, object)
		result := unchanged.Send(t, c.handler)
		if why := notRatcheted(result); why != "" {
			t.Errorf("%s denies an update that changes nothing, and ratchet: true %s: %s\n%s", c.Functions[admissionv1.Update], why, result.reason(), failure.YAML(object))
			return
		}
		old := objects[(i+1)%len(objects)]
		before := c.reviewOf(admissionv1.Update, call, old, old).Send(t, c.strict)
		update := c.reviewOf(admissionv1.Update, call, object, old)
		strict, ratcheted := update.Send(t, c.strict), update.Send(t, c.handler)
		added := addedCause(before.Status, strict.Status)
		if added == nil && (strict.Response == nil || !strict.Response.Allowed || ratcheted.Response != nil && ratcheted.Response.Allowed) {
			continue
		}
		if added != nil && (ratcheted.Response == nil || !ratcheted.Response.Allowed) {
			continue
		}
		message := "denies an update that it allows without ratchet"
		if added != nil {
			message = "allows an update that adds the error " + added.Field + ": " + added.Message
		}
		t.Errorf("%s %s\n%s", c.Functions[admissionv1.Update], message, failure.Diff(old, object))
		return
	}
}

// notRatcheted returns the reason why ratchet has not allowed an update that changes nothing; empty if the update is
// allowed, or denied on purpose.
func notRatcheted(r *rawResult) string {
	switch {
	case r.Response == nil || r.Response.Allowed || r.panic != nil || strings.Contains(r.Status.Message, "panic: "):
		return ""
	case r.Status.Code != http.StatusForbidden && r.Status.Code != http.StatusUnprocessableEntity:
		return ""
	case r.Status.Details == nil && r.Status.Code == http.StatusForbidden:
		return "compares field errors: return them, or an error of apierrors.NewForbidden if the rule is about the user"
	case r.Status.Details == nil:
		return ""
	}
	for _, cause := range r.Status.Details.Causes {
		if cause.Type != metav1.CauseType(field.ErrorTypeForbidden) && cause.Type != metav1.CauseType(field.ErrorTypeInternal) {
			return "does not make a warning of " + cause.Field
		}
	}
	return ""
}

// addedCause returns a cause of a denial that another denial lacks; nil without such a cause. It leaves out causes in
// lists, whose elements may have moved.
func addedCause(before, now metav1.Status) *metav1.StatusCause {
	if now.Details == nil || now.Code != http.StatusUnprocessableEntity {
		return nil
	}
	known := map[metav1.StatusCause]bool{}
	if before.Details != nil {
		for _, cause := range before.Details.Causes {
			known[cause] = true
		}
	}
	for _, cause := range now.Details.Causes {
		if !known[cause] && !strings.Contains(cause.Field, "[") {
			return &cause
		}
	}
	return nil
}

func warningsOf(r *rawResult) []string {
	if r.Response == nil {
		return nil
	}
	return r.Response.Warnings
}
