package conversion

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Observer hears of every review when it has been answered. It is where metrics, logs and traces come from.
type Observer interface {
	Observe(ctx context.Context, o Observation)
}

// Observation is one review and how it went.
type Observation struct {
	UID types.UID
	// Kind is that of the objects, and empty unless a conversion of it is served; Desired is the version that is asked for, and
	// empty unless Kind has it. So both can be labels of a metric, which what a caller sends should not be: each new text makes
	// a new time series.
	Kind    schema.GroupKind
	Desired string
	// Objects is how many objects the review has.
	Objects int
	// BytesIn and BytesOut are the lengths of the review and of its answer.
	BytesIn, BytesOut int

	// Failed says that nothing has been converted.
	Failed bool
	// Code is 200 if the objects have been converted, else that of the status which says why they have not.
	Code int32
	// Err is why nothing has been converted; a panic is a *[PanicError] in it.
	Err error
	// Duration is the time from the call to the answer, both on the network included.
	Duration time.Duration
}

// Observe has the reviews told to an observer, after those that it has been given for before. Reviews that failed are logged by
// slog's default logger whatever observers there are.
func Observe(o Observer) Option {
	return func(h *Handler) { h.observers = append(h.observers, o) }
}

// failureLog is the observer that every handler has: what failed ought not to go unheard.
type failureLog struct{}

func (failureLog) Observe(ctx context.Context, o Observation) {
	if !o.Failed {
		return
	}
	attributes := []any{"kind", o.Kind.String(), "desired", o.Desired, "objects", o.Objects, "uid", o.UID, "code", o.Code, "error", o.Err}
	if p := (*PanicError)(nil); errors.As(o.Err, &p) {
		attributes = append(attributes, "stack", string(p.Stack))
	}
	slog.ErrorContext(ctx, "conversion failed", attributes...)
}
