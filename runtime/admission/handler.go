package admission

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// Handler serves one webhook: an http.Handler that answers AdmissionReviews of admission.k8s.io/v1 and v1beta1 with the
// functions registered for their operations.
type Handler struct {
	name      string
	mutating  bool
	kinds     []metav1.GroupVersionKind
	policies  map[Operation]*policy
	listKeys  map[wire.ListField][]string
	limit     int64
	observers []Observer
	calls     sync.Pool // of *call
}

// Option configures a handler: a function for an operation, an expected kind, a limit, an observer.
type Option func(*Handler)

// Validating returns the handler of a validating webhook, which allows or denies. The name is that of the webhook in its
// configuration.
func Validating(name string, options ...Option) *Handler { return newHandler(name, false, options) }

// Mutating returns the handler of a mutating webhook, which may also edit the object. The name is that of the webhook in its
// configuration.
func Mutating(name string, options ...Option) *Handler { return newHandler(name, true, options) }

func newHandler(name string, mutating bool, options []Option) *Handler {
	h := &Handler{
		name:      name,
		mutating:  mutating,
		policies:  make(map[Operation]*policy),
		listKeys:  make(map[wire.ListField][]string),
		limit:     DefaultBodyLimit,
		observers: []Observer{&failureLog{malformed: wire.Tally{What: "calls that are no reviews for the webhook failed"}}},
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
	for _, p := range h.policies {
		if p.objectType != nil {
			p.object = made.Of(p.objectType)
		}
		if p.optionsType != nil {
			p.options = made.Of(p.optionsType)
		}
	}
	return h
}

// ForKind makes the handler refuse objects of other kinds. It may be given several times, for several kinds. The kind is that
// of the request: for a subresource that is, for example, Scale of autoscaling/v1, and for CONNECT the kind of the options.
func ForKind(apiVersion, kind string) Option {
	gv, _ := schema.ParseGroupVersion(apiVersion)
	return func(h *Handler) {
		h.kinds = append(h.kinds, metav1.GroupVersionKind{Group: gv.Group, Version: gv.Version, Kind: kind})
	}
}

// ListKeys declares which members identify the elements of the list S.member, as +listMapKey markers do. Patches then follow
// elements that are added, removed or moved. Types with the struct tag patchMergeKey, such as those of Kubernetes itself, do
// not need it.
func ListKeys[S any](member string, keys ...string) Option {
	return func(h *Handler) { h.listKeys[wire.ListField{Structure: reflect.TypeFor[S](), Member: member}] = keys }
}

// Name returns the name of the webhook.
func (h *Handler) Name() string { return h.name }

// Operations returns the operations that the webhook has functions for, sorted.
func (h *Handler) Operations() []Operation { return slices.Sorted(maps.Keys(h.policies)) }

// ServeHTTP answers one review.
//
// Verdicts, allowed or denied, are answered with 200. Everything else is a failed call, to which the API server applies the
// failurePolicy: 400, 405, 408, 413 and 415 for a call that is not a review for this webhook, 500 if the policy could not
// decide. A metav1.Status says what is wrong.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	c := h.calls.Get().(*call)
	o := Observation{Webhook: h.name, Code: http.StatusOK, Allowed: true}
	if err := h.answer(c, r, start, &o); err != nil {
		p := (*wire.Problem)(nil)
		if !errors.As(err, &p) {
			p = wire.InternalError(err)
		}
		o.Allowed, o.Failed, o.Code, o.Patched, o.Err = false, true, int32(p.Code), false, p.Err
		if p.Code == http.StatusMethodNotAllowed {
			w.Header().Set("Allow", http.MethodPost)
		}
		body, _ := json.Marshal(p.Status()) // A Status of strings can always be written.
		send(w, p.Code, body)
	} else {
		send(w, http.StatusOK, c.out)
	}
	o.Operation, o.UID, o.Resource = known(c.head.Operation), c.head.UID, c.head.Resource
	o.Namespace, o.Name, o.DryRun = c.head.Namespace, c.head.Name, c.head.DryRun
	c.reset()
	h.calls.Put(c)
	o.Duration = time.Since(start)
	for _, observer := range h.observers {
		observer.Observe(r.Context(), o)
	}
}

// answer leaves the review that answers the call in c.out. Its error is a call that fails.
func (h *Handler) answer(c *call, r *http.Request, start time.Time, o *Observation) error {
	if err := wire.CheckPost(r, "an AdmissionReview"); err != nil {
		return err
	}
	var err error
	if c.body, err = wire.ReadBody(&c.memory, r, h.limit); err != nil {
		return err
	}
	if err := c.open(); err != nil {
		return wire.BadRequest(err)
	}
	if err := h.expects(c); err != nil {
		return wire.BadRequest(err)
	}
	ctx, deadline, err := requestContext(r, start)
	if err != nil {
		return wire.BadRequest(err)
	}
	defer deadline.end()
	if err := c.decide(ctx, h.mutating); err != nil {
		return h.reject(c, err, o)
	}
	o.Patched = len(c.patch) > 0
	return c.appendReview(nil)
}

// expects says whether the webhook is for such a request, and looks up what it does with it.
func (h *Handler) expects(c *call) error {
	r := &c.head
	if len(h.kinds) > 0 && !slices.Contains(h.kinds, r.Kind) {
		return fmt.Errorf("the object is %s and webhook %s is for %s: correct its rules or its path in the configuration",
			kindName(r.Kind), h.name, h.kindNames())
	}
	if c.policy = h.policies[r.Operation]; c.policy == nil {
		return fmt.Errorf("the operation is %q and webhook %s is for %s: correct its rules or its path in the configuration",
			r.Operation, h.name, h.operations())
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
	return fmt.Sprintf("%s of %s", kind.Kind, schema.GroupVersion{Group: kind.Group, Version: kind.Version})
}

// reject answers for a request that could not be decoded or whose policy has returned an error: with a denial, unless
// the error is a failure.
func (h *Handler) reject(c *call, err error, o *Observation) error {
	if p, ok := err.(*wire.Problem); ok {
		return p
	}
	if isFailure(err) {
		return wire.InternalError(fmt.Errorf("webhook %s: %w", h.name, err))
	}
	status := denial(err, c.head.Kind, c.head.Name)
	o.Allowed, o.Code, o.Err = false, status.Code, err
	return c.appendReview(&status)
}
