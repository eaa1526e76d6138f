// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
)

// deletingCheck updates objects that are being deleted, for a webhook that does not check all of these updates.
type deletingCheck struct {
	Webhook
	// probed calls the probe, and handler the validator.
	probed, handler http.Handler
	probe           *Probe
	// samples are objects of the webhook's kinds, accepted and denied ones.
	samples []json.RawMessage
}

func (c deletingCheck) checks(call call) []check {
	if c.Deleting == "" || c.Functions[admissionv1.Update] == "" {
		return nil
	}
	name := c.Name + "/deleting/"
	return []check{
		{name + "handler", func(t testing.TB) { c.checkHandler(t, call) }},
		{name + "finalizers", func(t testing.TB) { c.checkFinalizers(t, call) }},
	}
}

// checkHandler has the validator deny everything. It must not be called for an object that is being deleted, and must
// be called for every other update.
func (c deletingCheck) checkHandler(t testing.TB, call call) {
	for seed := range uint64(rounds) {
		object := json.RawMessage(filled(c.objectType(), seed, 2))
		for _, update := range []struct {
			name        string
			object, old json.RawMessage
			allowed     bool
		}{
			{"the last finalizer goes", dying(object), dying(object, "example.com/last"), true},
			{"the object is not being deleted", object, object, false},
			{"only the new object has a deletionTimestamp", dying(object), object, false},
			{"another member changes", withMember(dying(object), "changed", true), dying(object), c.Deleting == "skip"},
			{"another member goes", dying(object), withMember(dying(object), "changed", true), c.Deleting == "skip"},
		} {
			for _, r := range []rawReview{
				c.reviewOf(admissionv1.Update, call, update.object, update.old),
				c.reviewOf(admissionv1.Update, call, update.object, update.old).V1beta1(),
			} {
				c.probe.expect(func(question) error { return errors.New("no reason") })
				result := r.Send(t, c.probed)
				allowed := result.Response != nil && result.Response.Allowed
				if allowed != update.allowed || (len(c.probe.asked) == 0) != update.allowed {
					t.Errorf("with deleting: %s and a validator that denies everything, %s: allowed is %v after %d calls of %s, want %v\n%s",
						c.Deleting, update.name, allowed, len(c.probe.asked), c.Functions[admissionv1.Update], update.allowed, failure.Diff(update.old, update.object))
					return
				}
			}
		}
	}
}

// checkFinalizers removes the last finalizer of each object that the validator refuses, while the object is being
// deleted. All of these updates must be allowed, or the object stays for ever.
func (c deletingCheck) checkFinalizers(t testing.TB, call call) {
	objects := slices.Concat(c.samples, c.randomObjects())
	refused := 0
	for _, object := range objects {
		if c.allows(t, c.reviewOf(admissionv1.Update, call, object, object)) &&
			(c.Functions[admissionv1.Create] == "" || c.allows(t, c.reviewOf(admissionv1.Create, call, object, nil))) {
			continue
		}
		refused++
		r := c.reviewOf(admissionv1.Update, call, dying(object), dying(object, "example.com/last"))
		if result := r.Send(t, c.handler); result.Response == nil || !result.Response.Allowed {
			t.Errorf("%s refuses this object, and that its last finalizer is removed while it is being deleted: %s\n%s",
				c.Functions[admissionv1.Update], result.reason(), failure.YAML(object))
			return
		}
	}
	if refused == 0 {
		t.Logf("%s refuses none of %d objects: an object in a folder denied of the samples would show that its finalizer can go", c.Name, len(objects))
	}
}

func (c deletingCheck) allows(t testing.TB, r rawReview) bool {
	result := r.Send(t, c.handler)
	return result.Response != nil && result.Response.Allowed
}

// dying returns an object that is being deleted and has these finalizers.
func dying(object json.RawMessage, finalizers ...any) json.RawMessage {
	return edited(object, func(members map[string]any) {
		meta, ok := members["metadata"].(map[string]any)
		if !ok {
			meta = map[string]any{}
			members["metadata"] = meta
		}
		meta["deletionTimestamp"] = time.Unix(0, 0).UTC().Format(time.RFC3339)
		delete(meta, "finalizers")
		if len(finalizers) > 0 {
			meta["finalizers"] = finalizers
		}
	})
}

// withMember returns an object with one more member.
func withMember(object json.RawMessage, name string, value any) json.RawMessage {
	return edited(object, func(members map[string]any) { members[name] = value })
}

// edited returns an object after an edit of its members; the same if it has none.
func edited(object json.RawMessage, edit func(map[string]any)) json.RawMessage {
	value, err := failure.Decode(object)
	members, ok := value.(map[string]any)
	if err != nil || !ok {
		return object
	}
	edit(members)
	data, err := json.Marshal(members)
	if err != nil {
		return object
	}
	return data
}
