// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/webhook-gen/webhook-gen/runtime/internal/serving"
)

// Observer is called after each call of a webhook has been answered. It is the place for metrics, logs and traces.
type Observer interface {
	// Observe is called in the goroutine of the call, which ends when it returns. Calls run at the same time.
	Observe(ctx context.Context, o Observation)
}

// Observation is one call of a webhook and its outcome. Fields of the request are set as far as the request could be
// read.
type Observation struct {
	// Webhook is the name of the webhook.
	Webhook string
	// Operation is one of the four operations, or empty if the request names another. So it is safe as the label of a
	// metric, unlike text that a caller chooses: each new label value makes a new time series.
	Operation Operation
	UID       types.UID
	Resource  metav1.GroupVersionResource
	Namespace string
	Name      string
	DryRun    bool

	// Allowed is the verdict.
	Allowed bool
	// Failed says that there is no verdict, so that the failurePolicy of the webhook's configuration applies.
	Failed bool
	// Code is 200 if the request is allowed, otherwise the code of the status that says why not. A request is denied
	// with 500 if the user's code panicked, and with 400 if an object could not be decoded.
	Code int32
	// Unenforced says that the request is allowed and would be denied, but for the webhook's [Enforcement].
	Unenforced bool
	// Patched says that the answer changes the object.
	Patched bool
	// Err is why the request is not allowed, or would not be. If the user's code panicked, it wraps a *[PanicError].
	Err error
	// Duration is the time from the call to the answer, including reading the one and writing the other.
	Duration time.Duration

	refused refusal
}

// Observe adds an observer to a webhook. Observers are called in the order in which they were added, once the answer
// has been written; a panic of one is logged.
//
// Failed calls and panics are logged, see [Log], whatever observers there are. Of panics, which the content of a
// request can cause, and of calls that are not reviews for the webhook, which anybody who reaches the server can make,
// one a minute and kind is logged, with their number.
func Observe(o Observer) Option {
	return func(h *Handler) { h.observers = append(h.observers, o) }
}

// Log sets the logger for failed calls and panics. The default is slog.Default() at the time of the call. For a logger
// of logr, such as the manager's in controller-runtime, pass slog.New(logr.ToSlogHandler(logger)).
func Log(log *slog.Logger) Option {
	return func(h *Handler) { h.log.log = log }
}

// validOperation returns the operation if it is one of the four operations, else "".
func validOperation(operation Operation) Operation {
	switch operation {
	case Create, Update, Delete, Connect:
		return operation
	}
	return ""
}

// observe calls an observer after the answer has been written. It recovers panics, which would keep net/http from
// sending the answer.
func (h *Handler) observe(ctx context.Context, observer Observer, o Observation) {
	defer func() {
		if v := recover(); v != nil {
			h.log.observerPanicked(ctx, o.Webhook, &PanicError{Value: v, Stack: debug.Stack()})
		}
	}()
	observer.Observe(ctx, o)
}

// refusal is why a call is refused before it becomes a request. It is empty if the call is a request.
type refusal string

const (
	noReview   refusal = "no review"
	notForThis refusal = "not for this webhook"
)

// failureLog is the observer that every webhook has: it logs all failures and panics. Anybody who reaches the server
// can make calls that are refused, and the content of an object can make validators panic. So it logs only the first of
// each kind in an interval, with the number since the last line.
type failureLog struct {
	log      *slog.Logger // nil means slog.Default()
	repeated serving.Tallies[repeated]
}

func (l *failureLog) error(ctx context.Context, message string, attributes ...any) {
	cmp.Or(l.log, slog.Default()).ErrorContext(ctx, message, attributes...)
}

// repeated identifies a kind of event that callers can repeat.
type repeated struct {
	what string // a refusal, or one of the messages
	code int32  // of a refusal
}

// Messages of the log.
const (
	failed           = "webhook failed"
	panicked         = "webhook panicked"
	observerPanicked = "observer panicked"
)

// Observe logs failures, and verdicts that a mistake in a validator or defaulter has caused.
func (l *failureLog) Observe(ctx context.Context, o Observation) {
	p := (*PanicError)(nil)
	if !o.Failed && o.Code < http.StatusInternalServerError && !(o.Unenforced && errors.As(o.Err, &p)) {
		return
	}
	if failed := serving.Failures(ctx); failed != nil {
		failed(o.Err)
		return
	}
	attributes := []any{
		"webhook", o.Webhook, "operation", o.Operation,
		"resource", cut(schema.GroupResource{Group: o.Resource.Group, Resource: o.Resource.Resource}.String()),
		"namespace", cut(o.Namespace), "name", cut(o.Name), "uid", cut(string(o.UID)), "code", o.Code, "error", cut(o.Err.Error()),
	}
	message := failed
	if errors.As(o.Err, &p) {
		message = panicked
		attributes = append(attributes, "stack", string(p.Stack))
	}
	if o.refused != "" || message == panicked || !o.Failed {
		kind := repeated{what: message}
		if o.refused != "" {
			kind = repeated{string(o.refused), o.Code}
		}
		times := l.repeated.Due(kind)
		if times == 0 {
			return
		}
		attributes = append(attributes, "times", times)
	}
	l.error(ctx, message, attributes...)
}

// observerPanicked logs the panic of an observer, unless the log is what panics.
func (l *failureLog) observerPanicked(ctx context.Context, webhook string, err *PanicError) {
	defer func() { _ = recover() }()
	if times := l.repeated.Due(repeated{what: observerPanicked}); times > 0 {
		l.error(ctx, observerPanicked, "webhook", webhook, "error", cut(err.Error()), "stack", string(err.Stack), "times", times)
	}
}

// logLimit is how many bytes of a text are logged. Callers choose some of them.
const logLimit = 1024

func cut(text string) string {
	if len(text) > logLimit {
		return strings.ToValidUTF8(text[:logLimit], "") + "…"
	}
	return text
}
