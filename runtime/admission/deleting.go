// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"reflect"

	"k8s.io/apimachinery/pkg/util/json"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// SkipDeleting allows each UPDATE of an object that is being deleted, and does not call the validator. A validator that
// denies it keeps the object's finalizers for ever.
//
// An object is being deleted if the stored object has metadata.deletionTimestamp. The new object does not count: its
// timestamp is what the user has sent.
func SkipDeleting() Option {
	return func(h *Handler) { h.skip = isDeleting }
}

// SkipDeletingUnchanged is [SkipDeleting] for updates that change nothing outside of metadata and status. The validator
// decides on other updates.
func SkipDeletingUnchanged() Option {
	return func(h *Handler) { h.skip = isDeletingUnchanged }
}

// deletable is the part of an object that says whether it is being deleted.
type deletable struct {
	Metadata struct {
		DeletionTimestamp string `json:"deletionTimestamp"`
	} `json:"metadata"`
}

var deletableShape = new(wire.Shapes).Of(reflect.TypeFor[deletable]())

// isDeleting reports whether the stored object is being deleted. The object need not fit the type of the validator.
func isDeleting(e *envelope) bool {
	old := new(deletable)
	return e.optional(oldObjectPart, deletableShape, reflect.ValueOf(old)) == nil && old.Metadata.DeletionTimestamp != ""
}

// isDeletingUnchanged reports whether the stored object is being deleted, and the new one differs from it at most in
// metadata and status.
func isDeletingUnchanged(e *envelope) bool {
	if !isDeleting(e) {
		return false
	}
	object, ok := desired(e.raw(objectPart))
	old, ok2 := desired(e.raw(oldObjectPart))
	return ok && ok2 && reflect.DeepEqual(object, old)
}

// desired returns the members of an object besides metadata and status. Its numbers are int64 or float64, as in an
// API server.
func desired(raw []byte) (map[string]any, bool) {
	var members map[string]any
	if json.Unmarshal(raw, &members) != nil {
		return nil, false
	}
	delete(members, "metadata")
	delete(members, "status")
	return members, true
}
