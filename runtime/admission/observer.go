package admission

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// Observer is called after each call of a webhook has been answered. It is the place for metrics, logs and traces.
type Observer interface {
	Observe(ctx context.Context, o Observation)
}

// Observation is one call of a webhook and its outcome. Fields of the request are set as far as the request could be read.
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
	// Code is 200 if the request is allowed, otherwise the code of the status that says why not.
	Code int32
	// Patched says that the answer changes the object.
	Patched bool
	// Err is why the request is not allowed. If a policy panicked, it wraps a *[PanicError].
	Err error
	// Duration is the time from the call to the answer, including reading the one and writing the other.
	Duration time.Duration
}

// Observe adds an observer to a webhook. Observers are called in the order in which they were added. Failed calls are logged to
// slog.Default whatever observers there are.
func Observe(o Observer) Option {
	return func(h *Handler) { h.observers = append(h.observers, o) }
}

// known returns the operation if it is one of those there are, else "".
func known(operation Operation) Operation {
	switch operation {
	case Create, Update, Delete, Connect:
		return operation
	}
	return ""
}

// failureLog is the observer that every webhook has, so that no failure goes unnoticed. Calls that are no reviews for the webhook are
// counted, and not logged one by one: anybody who reaches the port can make them.
type failureLog struct{ malformed wire.Tally }

func (f *failureLog) Observe(ctx context.Context, o Observation) {
	switch {
	case !o.Failed:
		return
	case o.Code < http.StatusInternalServerError:
		f.malformed.Add(ctx, "webhook", o.Webhook, "code", o.Code, "last", o.Err)
		return
	}
	attributes := []any{
		"webhook", o.Webhook, "operation", o.Operation, "resource", schema.GroupResource{Group: o.Resource.Group, Resource: o.Resource.Resource}.String(),
		"namespace", o.Namespace, "name", o.Name, "uid", o.UID, "code", o.Code, "error", o.Err,
	}
	if p := (*PanicError)(nil); errors.As(o.Err, &p) {
		attributes = append(attributes, "stack", string(p.Stack))
	}
	slog.ErrorContext(ctx, "webhook failed", attributes...)
}
