package admission

import (
	"context"
	"errors"
	"log/slog"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Observer hears of every call of a webhook when it has been answered. It is where metrics, logs and traces come from.
type Observer interface {
	Observe(ctx context.Context, o Observation)
}

// Observation is one call of a webhook and how it went. What the request says is there as far as it could be read.
type Observation struct {
	// Webhook is the name of the webhook.
	Webhook string
	// Operation is one of the four there are, and empty where the request names none of them. So it can be the label of
	// a metric, which what a caller sends should not be: each new text makes a new time series.
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
	// Code is 200 if the request is allowed, else that of the status which says why it is not.
	Code int32
	// Patched says that the answer changes the object.
	Patched bool
	// Err is why the request is not allowed; a panic is a *[PanicError] in it.
	Err error
	// Duration is the time from the call to the answer, both on the network included.
	Duration time.Duration
}

// Observe has a webhook's calls told to an observer, after those that it has been given for before. Calls that failed
// are logged by slog's default logger whatever observers there are.
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

// failureLog is the observer that every webhook has: what failed ought not to go unheard.
type failureLog struct{}

func (failureLog) Observe(ctx context.Context, o Observation) {
	if !o.Failed {
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
