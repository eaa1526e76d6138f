// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"cmp"
	"context"
	"errors"
	"math"
)

// The work that the annotation of an object may cause, in bytes that are read, written or compared: workFloor, and
// workFactor times the length of the object with its annotation. Annotations that this package writes cause less than
// half of it.
const (
	workFloor  = 64 << 10
	workFactor = 16
)

// work counts the work for one object, and ends it when the budget is spent, the caller has gone or a value fails.
type work struct {
	ctx   context.Context
	left  int   // bytes of the budget
	until int   // bytes until take examines the context again
	size  int   // bytes of the object with its annotation
	err   error // the reason why the work ended
	// object measures the object. It is nil if the size includes it.
	object func() int
}

// errSpent is the reason why an annotation is dropped.
var errSpent = errors.New("the annotation takes more work than its length allows")

// workFor returns the work for an object of a number of bytes.
func workFor(ctx context.Context, size int) work {
	return work{ctx: ctx, left: workFloor + workFactor*size, size: size}
}

// take counts bytes before they are worked on. It returns false if the work has to end.
func (w *work) take(bytes int) bool {
	w.left -= bytes
	if w.until -= bytes + 1; w.until < 0 && w.err == nil {
		w.until, w.err = workFloor, context.Cause(w.ctx)
	}
	if w.left < 0 {
		w.measure()
	}
	if w.left < 0 && w.err == nil {
		w.err = errSpent
	}
	return w.err == nil
}

// measure adds the object to the size and to the budget, if they lack it, and counts the one try before.
func (w *work) measure() {
	if w.object != nil {
		size := w.object()
		w.object, w.size, w.left = nil, w.size+size, w.left+(workFactor-tryCost)*size
	}
}

// used returns how many bytes of the budget were worked on.
func (w *work) used() int { return workFloor + workFactor*w.size - w.left }

// fail ends the work if there is an error.
func (w *work) fail(err error) { w.err = cmp.Or(w.err, err) }

// unbounded returns work that only the caller ends: work for what the object itself has.
func unbounded(ctx context.Context) *work { return &work{ctx: ctx, left: math.MaxInt} }
