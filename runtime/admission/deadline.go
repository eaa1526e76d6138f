// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"sync"
	"time"
)

// deadline replaces context.WithDeadline: it starts its timer only when somebody waits. Most functions only read the
// object.
type deadline struct {
	parent context.Context
	at     time.Time

	mu     sync.Mutex
	inner  context.Context // nil until somebody waits
	cancel context.CancelFunc
	over   bool
}

// waited returns the context that others wait for.
func (d *deadline) waited() context.Context {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.inner == nil {
		d.inner, d.cancel = context.WithDeadline(d.parent, d.at)
		if d.over {
			d.cancel()
		}
	}
	return d.inner
}

// end cancels the context, if there is one.
func (d *deadline) end() {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = true
	if d.cancel != nil {
		d.cancel()
	}
}

func (d *deadline) Deadline() (time.Time, bool) {
	if at, ok := d.parent.Deadline(); ok && at.Before(d.at) {
		return at, true
	}
	return d.at, true
}

func (d *deadline) Done() <-chan struct{} { return d.waited().Done() }

func (d *deadline) Err() error { return d.waited().Err() }

// Value returns a value of the inner context or, before somebody waits, of the parent: package context looks there for
// the context to wait for.
func (d *deadline) Value(key any) any {
	d.mu.Lock()
	from := d.inner
	d.mu.Unlock()
	if from == nil {
		from = d.parent
	}
	return from.Value(key)
}
