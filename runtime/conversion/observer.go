// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// Observer is called after each review has been answered. It is the place for metrics, logs and traces.
type Observer interface {
	// Observe is called in the goroutine of the review, which ends when it returns. Reviews run at the same time.
	Observe(ctx context.Context, o Observation)
}

// Observation is one review and its outcome.
type Observation struct {
	// UID is the uid of the review.
	UID types.UID
	// Kind is the kind of the objects, or empty if no conversion of it is served. Desired is the requested version, or
	// empty if Kind does not have it. So both are safe as labels of a metric, unlike text that a caller chooses: each
	// new label value makes a new time series.
	Kind    schema.GroupKind
	Desired string
	// Objects is the number of objects in the review.
	Objects int
	// LeftOut is of how many objects values were left out, because they do not fit their Go type, the other version or
	// the annotation. These objects were read from storage. Each is logged by its name.
	LeftOut int
	// BytesIn and BytesOut are the lengths of the review and of its answer.
	BytesIn, BytesOut int

	// Failed says that nothing was converted.
	Failed bool
	// Code is 200 if the objects were converted, otherwise the code of the status that says why not.
	Code int32
	// Err is why nothing was converted. If a function panicked, it wraps a *[PanicError].
	Err error
	// Duration is the time from the call to the answer, including reading the one and writing the other.
	Duration time.Duration
}

// Observe adds an observer. Observers are called in the order in which they were added. Failed reviews are logged to
// slog.Default whatever observers there are: of each kind and desired version the first, and then one a minute with the
// number since, because what objects hold can make conversions fail.
func Observe(o Observer) Option {
	return func(h *Handler) { h.observers = append(h.observers, o) }
}

// failureLog is the observer that every handler has, so that no failure goes unnoticed. Failures are counted, and not
// logged one by one: anybody who reaches the port can make calls that are no reviews, and whoever may write objects can
// make conversions fail.
type failureLog struct {
	malformed wire.Tally
	failed    wire.Tallies[failure]
}

// failure tells reviews apart that could not be answered. There are few: kind and version are among those that are
// served.
type failure struct {
	kind     schema.GroupKind
	desired  string
	panicked bool
}

func (f *failureLog) Observe(ctx context.Context, o Observation) {
	switch {
	case !o.Failed:
		return
	case o.Code < http.StatusInternalServerError:
		f.malformed.Add(ctx, "code", o.Code, "last", o.Err)
		return
	}
	var p *PanicError
	panicked := errors.As(o.Err, &p)
	times := f.failed.Due(failure{o.Kind, o.Desired, panicked})
	if times == 0 {
		return
	}
	attributes := []any{"kind", o.Kind.String(), "desired", o.Desired, "objects", o.Objects, "uid", o.UID, "code", o.Code, "error", o.Err, "times", times}
	if panicked {
		attributes = append(attributes, "stack", string(p.Stack))
	}
	slog.ErrorContext(ctx, "conversion failed", attributes...)
}
