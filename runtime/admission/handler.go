// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/webhook-gen/webhook-gen/runtime/internal/serving"
	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// Handler serves one webhook: an http.Handler that answers AdmissionReviews of admission.k8s.io/v1 and v1beta1 with the
// functions registered for their operations.
type Handler struct {
	name     string
	mutating bool
	kinds    []metav1.GroupVersionKind
	actions  map[Operation]*action
	listKeys map[wire.ListField][]string
	limit    int64
	// forbidInvalid answers field errors as other errors.
	forbidInvalid bool
	// enforcement is empty for deny.
	enforcement Enforcement
	// ratchet makes errors of a validator on UPDATE warnings if the stored object has them.
	ratchet bool
	// deprecations are fields and values of which a validating webhook warns.
	deprecations []deprecation
	// skip reports whether an UPDATE is allowed without the validator; nil for no UPDATE.
	skip func(*envelope) bool

	log       *failureLog // the first of the observers
	observers []Observer
	calls     sync.Pool // of *call
}

// Option configures a handler: a function for an operation, an expected kind, a limit, an observer.
type Option func(*Handler)

// Validating returns the handler of a validating webhook, which allows or denies. The name is the webhook's name in its
// configuration.
func Validating(name string, options ...Option) *Handler { return newHandler(name, false, options) }

// Mutating returns the handler of a mutating webhook, which may also edit the object. The name is the webhook's name in
// its configuration.
func Mutating(name string, options ...Option) *Handler { return newHandler(name, true, options) }

func newHandler(name string, mutating bool, options []Option) *Handler {
	log := new(failureLog)
	h := &Handler{
		name:      name,
		mutating:  mutating,
		actions:   make(map[Operation]*action),
		listKeys:  make(map[wire.ListField][]string),
		limit:     DefaultBodyLimit,
		log:       log,
		observers: []Observer{log},
	}
	h.calls.New = func() any { return new(call) }
	return h.With(options...)
}

// With applies further options and returns the handler, which must not be serving yet.
func (h *Handler) With(options ...Option) *Handler {
	for _, option := range options {
		option(h)
	}
	made := wire.Shapes{Keys: h.listKeys}
	for _, a := range h.actions {
		a.ratchet = h.ratchet && !h.mutating
		if a.objectType != nil {
			a.object = made.Of(a.objectType)
		}
		if a.optionsType != nil {
			a.options = made.Of(a.optionsType)
		}
	}
	return h
}

// ForKind makes the handler refuse objects of other kinds. Pass it several times for several kinds. The kind is the
// kind of the request: for a subresource, for example, Scale of autoscaling/v1, and for CONNECT the kind of the
// options.
func ForKind(apiVersion, kind string) Option {
	gv, _ := schema.ParseGroupVersion(apiVersion)
	return func(h *Handler) {
		h.kinds = append(h.kinds, metav1.GroupVersionKind{Group: gv.Group, Version: gv.Version, Kind: kind})
	}
}

// ListKeys declares the members that identify the elements of the list S.member, as +listMapKey markers do. Patches
// then follow elements that are added, removed or moved. Types with the struct tag patchMergeKey, such as Kubernetes'
// own types, do not need it. Without keys, the list is a set: its values identify its elements.
func ListKeys[S any](member string, keys ...string) Option {
	return func(h *Handler) { h.listKeys[wire.ListField{Structure: reflect.TypeFor[S](), Member: member}] = keys }
}

// Name returns the name of the webhook.
func (h *Handler) Name() string { return h.name }

// Mutating reports whether the webhook is a mutating one.
func (h *Handler) Mutating() bool { return h.mutating }

// Kinds returns the kinds that the webhook accepts, in the order of [ForKind]. It is empty if the webhook accepts all.
func (h *Handler) Kinds() []metav1.GroupVersionKind { return slices.Clone(h.kinds) }

// Operations returns the operations that the webhook has functions for, sorted.
func (h *Handler) Operations() []Operation { return slices.Sorted(maps.Keys(h.actions)) }

// ServeHTTP answers one review.
//
// Verdicts, allowed or denied, are answered with 200. All other calls have failed, and the API server applies the
// failurePolicy: 400, 405, 408, 413 and 415 for a call that is not a review for this webhook, 500 if the validator or
// defaulter could not decide. The body is then a metav1.Status with the reason.
//
// The content of a request can only cause a verdict: an object that cannot be decoded is denied with code 400, a review
// that is too large with 413, and code that panics with 500.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	c := h.calls.Get().(*call)
	o := Observation{Webhook: h.name, Code: http.StatusOK, Allowed: true}
	returned := false
	defer func() {
		if !returned { // The user's code has called runtime.Goexit.
			h.finish(w, r, c, start, &o, sendLast)
		}
	}()
	h.answer(c, r, start, &o)
	returned = true
	h.finish(w, r, c, start, &o, send)
}

// finish sends the answer and calls the observers.
func (h *Handler) finish(w http.ResponseWriter, r *http.Request, c *call, start time.Time, o *Observation, send func(http.ResponseWriter, int, []byte)) {
	if p := c.problem; p != nil {
		o.Allowed, o.Failed, o.Code, o.Patched, o.Err = false, true, int32(p.Code), false, p.Err
		if p.Code == http.StatusMethodNotAllowed {
			w.Header().Set("Allow", http.MethodPost)
		}
		body, _ := json.Marshal(bounded(*p.Status())) // A Status of strings can always be written.
		send(w, p.Code, body)
	} else {
		send(w, http.StatusOK, c.out)
	}
	o.Operation, o.UID, o.Resource = validOperation(c.head.Operation), c.head.UID, c.head.Resource
	o.Namespace, o.Name, o.DryRun = c.head.Namespace, c.head.Name, c.head.DryRun
	c.reset()
	h.calls.Put(c)
	o.Duration = time.Since(start)
	for _, observer := range h.observers {
		h.observe(r.Context(), observer, *o)
	}
}

// answer leaves the review that answers the call in c.out, or the reason of a failed call in c.problem. It runs the
// users' code: validators, defaulters, the methods of their types, and the methods of their errors. If that code
// panics, the request is denied.
func (h *Handler) answer(c *call, r *http.Request, start time.Time, o *Observation) {
	done := false
	defer func() {
		if v := recover(); !done {
			h.panicked(c, v, o)
		}
	}()
	if err := h.decide(c, r, start, o); err != nil {
		h.reject(c, err, o)
	} else {
		o.Patched = len(c.patch) > 0
		c.appendReview(nil)
	}
	done = true
}

// panicked answers a call whose code panicked with a value, or called runtime.Goexit, which leaves no value.
func (h *Handler) panicked(c *call, v any, o *Observation) {
	if v == nil {
		v = errors.New("runtime.Goexit was called")
	}
	c.patch = nil
	err := &PanicError{Value: v, Stack: debug.Stack()}
	if c.version == "" || c.head.UID == "" { // there is no request to deny
		c.problem = serving.InternalError(fmt.Errorf("webhook %s: %w", h.name, err))
		return
	}
	h.reject(c, err, o)
}

// decide reads the request and calls the function for it.
func (h *Handler) decide(c *call, r *http.Request, start time.Time, o *Observation) error {
	o.refused = noReview
	if err := serving.CheckPost(r, "an AdmissionReview"); err != nil {
		return err
	}
	var err error
	if c.body, err = serving.ReadBody(&c.memory, r, h.limit); err != nil {
		return h.unread(c, r, err)
	}
	if err := c.open(); err != nil {
		return serving.BadRequest(err)
	}
	if err := h.expects(c); err != nil {
		o.refused = notForThis
		return serving.BadRequest(err)
	}
	ctx, deadline, err := requestContext(r, start)
	if err != nil {
		return serving.BadRequest(err)
	}
	defer deadline.end()
	o.refused = ""
	if h.skip != nil && c.head.Operation == Update && h.skip(&c.envelope) {
		return nil
	}
	h.deprecated(c)
	return c.decide(ctx, h.mutating)
}

// unread returns the error for a body that could not be read. A body that is too large is denied if its beginning
// identifies the request, because users choose the size of their objects.
func (h *Handler) unread(c *call, r *http.Request, err error) error {
	p := (*serving.Problem)(nil)
	if !errors.As(err, &p) || p.Code != http.StatusRequestEntityTooLarge {
		return err
	}
	if !c.openHead(r) || h.expects(c) != nil {
		return err
	}
	return &verdict{p.Err, *p.Status()}
}

// expects reports whether the webhook is for such a request, and looks up its function.
func (h *Handler) expects(c *call) error {
	r := &c.head
	if len(h.kinds) > 0 && !slices.Contains(h.kinds, r.Kind) {
		return fmt.Errorf("the object is %s and webhook %s is for %s: correct its rules or its path in the configuration",
			kindName(r.Kind), h.name, h.kindNames())
	}
	if c.action = h.actions[r.Operation]; c.action == nil {
		return fmt.Errorf("the operation is %q and webhook %s is for %s: correct its rules or its path in the configuration",
			wire.Shorten(longestName, string(r.Operation)), h.name, h.operations())
	}
	return nil
}

func (h *Handler) operations() string {
	var names []string
	for _, operation := range h.Operations() {
		names = append(names, string(operation))
	}
	return strings.Join(names, ", ")
}

func (h *Handler) kindNames() string {
	var names []string
	for _, kind := range h.kinds {
		names = append(names, kindName(kind))
	}
	return strings.Join(names, ", ")
}

func kindName(kind metav1.GroupVersionKind) string {
	return fmt.Sprintf("%s of %s", wire.Shorten(longestName, kind.Kind), wire.Shorten(longestName, schema.GroupVersion{Group: kind.Group, Version: kind.Version}.String()))
}

// reject answers a call that is not a request for the webhook, a request that could not be decoded, or a request whose
// function has returned an error. The answer is a denial, unless the call is at fault or the error is a failure. A
// function cannot turn an object that cannot be decoded into a failure.
func (h *Handler) reject(c *call, err error, o *Observation) {
	if p, ok := err.(*serving.Problem); ok {
		c.problem = p
		o.refused = cmp.Or(o.refused, noReview)
		return
	}
	failed := isFailure(err)
	if failed && c.envelope.unreadable == nil {
		c.problem = serving.InternalError(&failedError{h.name, err})
		return
	}
	status := denial(err, c.head.Kind, c.head.Name, h.forbidInvalid)
	if failed {
		status = c.envelope.unreadable.Status()
	}
	status = bounded(status)
	if !h.mutating && (h.enforcement == EnforceWarn || h.enforcement == EnforceAudit) {
		h.unenforced(c, o, &status, err)
		return
	}
	o.Allowed, o.Patched, o.Code, o.Err = false, false, status.Code, err
	o.refused = ""
	c.patch = nil
	c.appendReview(&status)
}
