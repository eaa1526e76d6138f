// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/webhook-gen/webhook-gen/runtime/internal/serving"
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
	// LeftOut is the number of objects with values left out. Values of stored objects may not fit their Go type, the
	// other version or the annotation: each of these objects is logged by its name. Values of an annotation may take
	// too much work: the first of these objects is logged, and then one a minute.
	LeftOut int
	// BytesIn and BytesOut are the lengths of the review and of its answer.
	BytesIn, BytesOut int

	// Failed is set if nothing was converted.
	Failed bool
	// Code is 200 if the objects were converted, otherwise the code of the failure status.
	Code int32
	// Err is the reason why nothing was converted. If a function panicked, it wraps a *[PanicError].
	Err error
	// Duration is the time from the call to the answer, including reading the review and writing the answer.
	Duration time.Duration
}

// Observe adds an observer. Observers are called in the order in which they were added. Failed reviews are always
// logged too, see [Log]. For each kind and desired version, the first failure is logged, and then one a minute
// with the number since, because the content of objects can make conversions fail.
func Observe(o Observer) Option {
	return func(h *Handler) { h.observers = append(h.observers, o) }
}

// Log sets the logger for failed reviews, and for objects that are read without some of their values. The default is
// slog.Default() at the time of the call. For a logger of logr, such as the manager's in controller-runtime, pass
// slog.New(logr.ToSlogHandler(logger)).
func Log(log *slog.Logger) Option {
	return func(h *Handler) { h.failures.log, h.failures.malformed.Log, h.failures.dropped.Log = log, log, log }
}

// failureLog is the observer that every handler has, so that no failure goes unnoticed. Failures are counted, and not
// logged one by one: anybody who reaches the port can send calls that are not reviews, and anybody who may write
// objects can make conversions fail.
type failureLog struct {
	log       *slog.Logger // nil means slog.Default()
	malformed serving.Tally
	dropped   serving.Tally
	failed    serving.Tallies[failure]
}

// failure is the key under which failed reviews are counted. There are few keys: kind and version are served ones.
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
	f.logger().ErrorContext(ctx, "conversion failed", attributes...)
}

func (f *failureLog) logger() *slog.Logger { return cmp.Or(f.log, slog.Default()) }
