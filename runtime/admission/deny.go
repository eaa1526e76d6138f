// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/webhook-gen/webhook-gen/runtime/internal/serving"
	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// Failure marks an error as a failure: the webhook could not decide. The failurePolicy of the webhook's configuration
// then allows or rejects the request. Any other error denies it. Failure(nil) is nil.
//
// Mark only errors of infrastructure, such as a lookup without an answer. With failurePolicy Ignore, users pass a
// webhook whenever the content of their requests can make it fail.
func Failure(err error) error {
	if err == nil {
		return nil
	}
	return &failure{err}
}

// Deny returns err as a denial with the given status, whatever its code. Other errors with a 5xx or 429 are failures,
// and plain errors are 403 Forbidden. Deny(nil, status) is nil.
func Deny(err error, status metav1.Status) error {
	if err == nil {
		return nil
	}
	return &verdict{err, status}
}

// ForbidInvalid answers field errors with 403 Forbidden and their text, as controller-runtime does. The default is 422
// Invalid with a cause for each field, as the API server's own validation answers. With names, only the webhooks of
// these names do so. A name that no webhook has changes nothing, because the handlers of other packages may have it.
func ForbidInvalid(webhooks ...string) Option {
	return func(h *Handler) {
		if len(webhooks) == 0 || slices.Contains(webhooks, h.name) {
			h.forbidInvalid = true
		}
	}
}

type failure struct{ error }

// failedError is the error of a webhook that could not decide. Its text has a bound, and is made when it is needed.
type failedError struct {
	webhook string
	error
}

func (e *failedError) Error() string { return "webhook " + e.webhook + ": " + messageOf(e.error) }
func (e *failedError) Unwrap() error { return e.error }

func (f *failure) Unwrap() error { return f.error }

// PanicError is a recovered panic of a validator or defaulter, of a method of its types, or of an error that it
// returned. It denies the request with code 500. A call of [runtime.Goexit] counts as a panic.
type PanicError struct {
	// Value is what recover returned, and Stack the stack of the panic as debug.Stack writes it.
	Value any
	Stack []byte
}

// Error returns the value of the panic as text.
func (e *PanicError) Error() (text string) {
	// Package fmt survives a value that panics when printed, but not one that then panics with another such value.
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("panic: a %T", e.Value)
		}
	}()
	return fmt.Sprintf("panic: %v", e.Value)
}

// undecodable is a part of a request that does not fit the type of a validator or defaulter. It denies the request with
// code 400.
type undecodable struct {
	part   part
	err    error
	stored bool   // whether the stored object has the fault
	name   string // of the stored object; may be empty
}

func (u *undecodable) Error() string {
	text := fmt.Sprintf("the %s of the request cannot be read: %v", u.part, u.err)
	if !u.stored {
		return text
	}
	name := u.name
	if name == "" || len(name) > longestName {
		name = "NAME"
	}
	return text + fmt.Sprintf(". This object is stored already: to repair or delete it, exclude it from this webhook for that time, "+
		"with the match condition oldObject == null || oldObject.metadata.name != %q", name)
}

// longestName is the length of the longest name of an object (k8s.io/apimachinery/pkg/util/validation).
const longestName = validation.DNS1123SubdomainMaxLength

// Status is what the API server is told.
func (u *undecodable) Status() metav1.Status { return *serving.BadRequest(u).Status() }

// fault returns the denial, with code 500, for an error that a mistake in a validator or defaulter causes.
func fault(err error) error { return &verdict{err, *serving.InternalError(err).Status()} }

// isFailure reports whether an error is a failure and not a denial. Joined errors are a failure only if all of them
// are: one good reason to deny is enough.
func isFailure(err error) bool {
	switch e := err.(type) {
	case *failure:
		return true
	case *verdict, *PanicError:
		return false
	case apierrors.APIStatus:
		code := e.Status().Code
		return code >= http.StatusInternalServerError || code == http.StatusTooManyRequests
	case net.Error: // context.DeadlineExceeded and os.ErrDeadlineExceeded are ones
		if e.Timeout() {
			return true
		}
	}
	if err == context.Canceled {
		return true
	}
	reasons := causes(err)
	return len(reasons) > 0 && !slices.ContainsFunc(reasons, func(err error) bool { return !isFailure(err) })
}

// causes returns the errors that err wraps, joins or aggregates.
func causes(err error) []error {
	switch e := err.(type) {
	case interface{ Unwrap() []error }:
		return e.Unwrap()
	case interface{ Errors() []error }: // k8s.io/apimachinery/pkg/util/errors.Aggregate
		return e.Errors()
	case interface{ Unwrap() error }:
		if cause := e.Unwrap(); cause != nil {
			return []error{cause}
		}
	}
	return nil
}

// verdict is a denial whose status is settled.
type verdict struct {
	error
	status metav1.Status
}

func (v *verdict) Unwrap() error { return v.error }

// denial returns the status that tells the user why the request is denied:
//
//   - an error with a status, such as an error of k8s.io/apimachinery/pkg/api/errors, keeps it;
//   - an object that cannot be decoded is 400 BadRequest, a panic 500 InternalError;
//   - field errors, one or several, joined, aggregated or wrapped, are 422 Invalid with a cause for each, as the API
//     server's own validation answers;
//   - any other error is 403 Forbidden with its message.
//
// With forbidInvalid, field errors are like any other.
func denial(err error, kind metav1.GroupVersionKind, name string, forbidInvalid bool) metav1.Status {
	if status, ok := ownStatus(err); ok {
		return status
	}
	invalid, other := fieldErrors(err, nil)
	if len(invalid) == 0 || forbidInvalid {
		return forbidden(err)
	}
	status := invalidStatus(kind, name, invalid)
	if other {
		status.Message = strings.ReplaceAll(messageOf(err), "\n", "; ")
	}
	return status
}

// The bounds of a denial. A validator may return an error for each element of an object, and an error that contains a
// value of the object. The API server passes the denial on to the user.
const (
	mostCauses  = 64
	longMessage = 8 << 10
	longCause   = 512
)

// invalidStatus returns the status of apierrors.NewInvalid, within the bounds. Its message has only whole errors.
func invalidStatus(kind metav1.GroupVersionKind, name string, invalid field.ErrorList) metav1.Status {
	name = wire.Shorten(longCause, name)
	status := apierrors.NewInvalid(schema.GroupKind{Group: kind.Group, Kind: kind.Kind}, name, nil).Status()
	var texts []string
	shown, size := 0, len(status.Message)
	for _, e := range invalid[:min(len(invalid), mostCauses)] {
		body := shortBody(longCause, e)
		status.Details.Causes = append(status.Details.Causes, metav1.StatusCause{
			Type: metav1.CauseType(e.Type), Message: body, Field: wire.ShortPath(e.Field),
		})
		text := wire.ShortPath(e.Field) + ": " + body
		// As in the message of NewInvalid, a text appears once.
		repeated := slices.Contains(texts, text)
		if !repeated {
			size += len(text) + len(", ")
		}
		if size > longMessage {
			continue
		}
		if shown++; !repeated {
			texts = append(texts, text)
		}
	}
	all := strings.Join(texts, ", ")
	if len(texts) > 1 {
		all = "[" + all + "]"
	}
	status.Message += ": " + all
	if more := len(invalid) - shown; more > 0 {
		status.Message += fmt.Sprintf(", and %d more errors", more)
	}
	return status
}

// shortBody returns the body of a field error in at most most bytes. A long body has the beginning of the value and the
// detail. A detail of more than three quarters of the bytes is cut in its middle.
func shortBody(most int, e *field.Error) string {
	body := e.ErrorBody()
	if len(body) <= most || e.Detail == "" {
		return wire.Shorten(most, body)
	}
	const end = wire.Gap + ": "
	head := strings.TrimSuffix(body, e.Detail)
	if room := max(most-len(e.Detail), most/4); len(head) > room {
		head = wire.Head(room-len(end), head) + end
	}
	return head + wire.Shorten(most-len(head), e.Detail)
}

// bounded returns a status whose message and causes do not exceed the bounds.
func bounded(status metav1.Status) metav1.Status {
	status.Message = wire.Shorten(longMessage+longCause, status.Message)
	if status.Details == nil {
		return status
	}
	details := *status.Details
	details.Name = wire.Shorten(longCause, details.Name)
	details.Causes = slices.Clone(details.Causes[:min(len(details.Causes), mostCauses)])
	for i := range details.Causes {
		cause := &details.Causes[i]
		cause.Message, cause.Field = wire.Shorten(longCause, cause.Message), wire.ShortPath(cause.Field)
	}
	status.Details = &details
	return status
}

// messageOf returns the text of an error. Of a long text of joined or aggregated errors it has a part of each error. Of
// many it has the first: the work of their own Error methods may grow with the square of their number.
func messageOf(err error) string {
	list := joinedErrors(err, nil)
	if len(list) <= mostCauses {
		if text := err.Error(); len(text) <= longMessage {
			return text
		}
	}
	first := list[:min(len(list), mostCauses)]
	each := max(longMessage/len(first), longCause)
	texts := make([]string, len(first))
	for i, one := range first {
		texts[i] = shortText(each, one)
	}
	text := wire.Shorten(longMessage, strings.Join(texts, "; "))
	if more := len(list) - len(first); more > 0 {
		text += fmt.Sprintf("; and %d more errors", more)
	}
	return text
}

// shortText returns the text of an error in about most bytes.
func shortText(most int, err error) string {
	if e, ok := err.(*field.Error); ok {
		path := wire.ShortPath(e.Field) + ": "
		return path + shortBody(most-len(path), e)
	}
	return wire.Shorten(most, err.Error())
}

// joinedErrors appends the errors that are joined or aggregated in err, at any depth, or else err itself. The text of
// an error that wraps others is made only once.
func joinedErrors(err error, list []error) []error {
	var several []error
	switch e := err.(type) {
	case *failure: // has the text of its error
		return joinedErrors(e.error, list)
	case interface{ Errors() []error }: // k8s.io/apimachinery/pkg/util/errors.Aggregate
		several = e.Errors()
	case interface{ Unwrap() []error }:
		if reflect.TypeOf(err) == joined {
			several = e.Unwrap()
		}
	}
	if several == nil {
		return append(list, err)
	}
	for _, one := range several {
		list = joinedErrors(one, list)
	}
	return list
}

// joined is the type of the errors of errors.Join.
var joined = reflect.TypeOf(errors.Join(context.Canceled))

func forbidden(err error) metav1.Status {
	return metav1.Status{
		Status:  metav1.StatusFailure,
		Message: messageOf(err),
		Reason:  metav1.StatusReasonForbidden,
		Code:    http.StatusForbidden,
	}
}

// ownStatus returns the first status in err that denies.
func ownStatus(err error) (metav1.Status, bool) {
	switch e := err.(type) {
	case *verdict:
		return e.status, true
	case *PanicError:
		return *serving.InternalError(e).Status(), true
	case apierrors.APIStatus:
		return e.Status(), !isFailure(err)
	}
	for _, cause := range causes(err) {
		if status, ok := ownStatus(cause); ok {
			return status, true
		}
	}
	return metav1.Status{}, false
}

// fieldErrors appends the field errors in err, and says whether err says anything else.
func fieldErrors(err error, list field.ErrorList) (field.ErrorList, bool) {
	if e, ok := err.(*field.Error); ok {
		return append(list, e), false
	}
	reasons := causes(err)
	_, wrapped := err.(interface{ Unwrap() error })
	other := wrapped || len(reasons) == 0
	for _, cause := range reasons {
		var more bool
		list, more = fieldErrors(cause, list)
		other = other || more
	}
	return list, other
}
