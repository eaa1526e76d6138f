// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// deletingPod returns a Pod with other members in metadata, and members after it.
func deletingPod(metadata, rest string) string {
	return `{"kind":"Pod","metadata":{"name":"web"` + metadata + `}` + rest + `}`
}

const (
	stamp     = `,"deletionTimestamp":"2026-01-01T00:00:00Z"`
	finalizer = `,"finalizers":["example.com/last"]`
)

// TestSkipDeleting wants a validator that denies everything to be called for all requests but updates of objects that
// are being deleted.
func TestSkipDeleting(t *testing.T) {
	deny := errors.New("no")
	for _, test := range []struct {
		name                      string
		operation                 Operation
		object, old               string
		skipped, skippedUnchanged bool
	}{
		{"the last finalizer goes", Update, deletingPod(stamp, `,"spec":{"nodeName":"a"}`), deletingPod(stamp+finalizer, `,"spec":{"nodeName":"a"}`), true, true},
		{"of an object without a spec", Update, deletingPod(stamp, ""), deletingPod(stamp+finalizer, ""), true, true},
		{"members in another order", Update, deletingPod(stamp, `,"spec":{"a":1,"b":2}`), deletingPod(stamp, `,"spec":{"b":2,"a":1}`), true, true},
		{"the status changes", Update, deletingPod(stamp, `,"status":{"phase":"Failed"}`), deletingPod(stamp, ""), true, true},
		{"the spec changes", Update, deletingPod(stamp, `,"spec":{"nodeName":"b"}`), deletingPod(stamp, `,"spec":{"nodeName":"a"}`), true, false},
		{"a large number changes", Update, deletingPod(stamp, `,"spec":{"n":9007199254740993}`), deletingPod(stamp, `,"spec":{"n":9007199254740992}`), true, false},
		{"the spec goes", Update, deletingPod(stamp, ""), deletingPod(stamp, `,"spec":{"nodeName":"a"}`), true, false},
		{"a spec comes", Update, deletingPod(stamp, `,"spec":{}`), deletingPod(stamp, ""), true, false},
		{"data changes", Update, deletingPod(stamp, `,"data":{"a":"1"}`), deletingPod(stamp, `,"data":{"a":"2"}`), true, false},
		{"an object that the type cannot hold", Update, deletingPod(stamp, `,"spec":7`), deletingPod(stamp+finalizer, `,"spec":7`), true, true},
		{"an object that is not being deleted", Update, deletingPod("", ""), deletingPod(finalizer, ""), false, false},
		{"a timestamp that the user sends", Update, deletingPod(stamp, ""), deletingPod("", ""), false, false},
		{"a timestamp that the user removes", Update, deletingPod("", ""), deletingPod(stamp, ""), true, true},
		{"a timestamp that is null", Update, deletingPod("", ""), deletingPod(`,"deletionTimestamp":null`, ""), false, false},
		{"a key in other letters", Update, deletingPod("", ""), deletingPod(`,"DeletionTimestamp":"2026-01-01T00:00:00Z"`, `,"Metadata":{"deletionTimestamp":"x"}`), false, false},
		{"a timestamp in the spec", Update, deletingPod("", ""), deletingPod("", `,"spec":{"deletionTimestamp":"2026-01-01T00:00:00Z"}`), false, false},
		{"metadata of another type", Update, deletingPod("", ""), `{"metadata":7}`, false, false},
		{"a creation", Create, deletingPod(stamp, ""), "", false, false},
		{"a deletion", Delete, "", deletingPod(stamp, ""), false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, option := range []struct {
				name    string
				option  Option
				skipped bool
			}{
				{"SkipDeleting", SkipDeleting(), test.skipped},
				{"SkipDeletingUnchanged", SkipDeletingUnchanged(), test.skippedUnchanged},
				{"neither", func(*Handler) {}, false},
			} {
				typed := Validating("pods.example.com",
					OnCreate(func(context.Context, *CreateRequest[corev1.Pod]) error { return deny }),
					OnUpdate(func(context.Context, *UpdateRequest[corev1.Pod]) error { return deny }),
					OnDelete(func(context.Context, *DeleteRequest[corev1.Pod]) error { return deny }),
					option.option)
				raw := Validating("pods.example.com", option.option)
				for _, o := range []Operation{Create, Update, Delete} {
					raw.With(On(o, func(context.Context, *RawRequest) error { return deny }))
				}
				for name, handler := range map[string]*Handler{"typed": typed, "raw": raw} {
					if got := verdictOf(t, handler, reviewOf(test.operation, test.object, test.old)).Response; got.Allowed != option.skipped {
						t.Errorf("%s, %s: allowed is %v, want %v: %v", option.name, name, got.Allowed, option.skipped, got.Result)
					}
				}
			}
		})
	}
}
