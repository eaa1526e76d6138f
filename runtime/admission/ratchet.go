// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"reflect"
	"slices"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Ratchet makes an error of a validator on UPDATE a warning, if the stored object has the same error. So objects that
// are older than a rule can still be updated, as long as an update adds no error (kubernetes/kubernetes#94060).
//
// The errors of the stored object are the errors of the same function for an update that changes nothing: by the same
// user, with the stored object as both objects. The function is called a second time only after it has denied.
//
// Field errors are the same if their path, type, value and message are, and the object's own value at the path, unless
// that is a list, a map or a struct. The index of an element does not count. In a list for which [ListKeys] declares
// members, these identify the element. In other lists its content does: an element that was edited is a new one, and an
// element that was moved is not. Of nested lists, the content of the innermost element counts.
//
// An error about a list or a map stays the same if all of its elements are in the stored object. An error about the
// length, which is [field.TooMany], [field.TooLong] or an error with the length as its value, stays the same unless the
// list has become longer.
//
// Forbidden and all errors other than field errors always deny: they may be about the user or the change, and not about
// the object.
//
// The last option of this name counts.
func Ratchet(on bool) Option { return func(h *Handler) { h.ratchet = on } }

// ratcheted returns the error that remains of err, with which f has denied r, and warns of the errors that the stored
// object has, too.
func ratcheted[T any](ctx context.Context, c *call, r *UpdateRequest[T], f func(context.Context, *UpdateRequest[T]) error, err error) error {
	if !ratchetable(err) {
		return err
	}
	all := leaves(err, nil)
	if !slices.ContainsFunc(all, isAboutObject) {
		return err
	}
	e := c.envelope
	e.found[objectPart] = e.found[oldObjectPart]
	same := &UpdateRequest[T]{Request: c.head, Object: new(T), Options: r.Options, shape: r.shape}
	same.envelope = &e
	defer func() { same.envelope = nil }()
	if e.content(objectPart, r.shape, reflect.ValueOf(same.Object)) != nil {
		return err
	}
	before := f(ctx, same)
	if !ratchetable(before) {
		return err // without the errors of the stored object, all errors are new
	}
	room := identityRoom + identityFactor*(len(c.envelope.raw(objectPart))+len(c.envelope.raw(oldObjectPart)))
	stored := storedErrors{}
	old := newIdentifier(r.shape, reflect.ValueOf(same.Object), &room)
	for _, leaf := range leaves(before, nil) {
		if known, ok := old.errorOf(leaf); ok {
			stored[known.fieldError] = append(stored[known.fieldError], known.about)
		}
	}
	now := newIdentifier(r.shape, reflect.ValueOf(r.Object), &room)
	var known []string
	var rest []error
	onlyFields := true
	for _, leaf := range all {
		if id, ok := now.errorOf(leaf); ok && stored.take(id) {
			if len(known) < mostKnown {
				known = append(known, "as before: "+shortText(longCause, leaf))
			}
			continue
		}
		_, isField := leaf.(*field.Error)
		onlyFields = onlyFields && isField
		rest = append(rest, leaf)
	}
	if room < 0 {
		return err
	}
	switch _, other := fieldErrors(err, nil); {
	case len(known) == 0, len(rest) > 0 && (other || !onlyFields):
		return err
	}
	r.Warn(known...)
	return utilerrors.NewAggregate(rest)
}

// mostKnown is how many warnings of errors as before fit the limit of warnings.
const mostKnown = warningsLimit / len("as before: ")

// ratchetable reports whether an error can be the same as another one: it is a denial without a status of its own.
func ratchetable(err error) bool {
	if err == nil || isFailure(err) {
		return false
	}
	_, settled := ownStatus(err)
	return !settled
}

// leaves appends the errors that err wraps, joins or aggregates, at any depth, or else err itself.
func leaves(err error, list []error) []error {
	if _, ok := err.(*field.Error); ok {
		return append(list, err)
	}
	reasons := causes(err)
	if len(reasons) == 0 {
		return append(list, err)
	}
	for _, reason := range reasons {
		list = leaves(reason, list)
	}
	return list
}

// isAboutObject reports a field error that is about a value of the object.
func isAboutObject(err error) bool {
	e, ok := err.(*field.Error)
	return ok && e != nil && e.Type != field.ErrorTypeForbidden && e.Type != field.ErrorTypeInternal
}
