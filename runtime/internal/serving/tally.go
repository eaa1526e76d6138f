// SPDX-License-Identifier: Apache-2.0

package serving

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// TallyInterval is how often a Tally logs at most.
const TallyInterval = time.Minute

// Tally counts events that any caller can cause. It logs the first one, and then at most one a minute, so that nobody
// can fill the log.
type Tally struct {
	What string           // the message
	Log  *slog.Logger     // nil means slog.Default()
	Now  func() time.Time // nil means time.Now

	count  atomic.Uint64
	mu     sync.Mutex
	logged time.Time
	told   uint64 // the count at that time
}

// Count returns how many events there were.
func (t *Tally) Count() uint64 { return t.count.Load() }

// Due counts one more event. It returns how many events a log line is due for, or 0 if no line is due.
func (t *Tally) Due() uint64 {
	count := t.count.Add(1)
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now
	if t.Now != nil {
		now = t.Now
	}
	if at := now(); t.logged.IsZero() || at.Sub(t.logged) >= TallyInterval {
		due := count - t.told
		t.logged, t.told = at, count
		return due
	}
	return 0
}

// Add counts one more event, which the attributes describe.
func (t *Tally) Add(ctx context.Context, attributes ...any) {
	due := t.Due()
	if due == 0 {
		return
	}
	log := t.Log
	if log == nil {
		log = slog.Default()
	}
	log.WarnContext(ctx, t.What, append(attributes, "times", due)...)
}

// Tallies has a Tally for each of several kinds, so that a flood of one kind does not hide another. There must be few
// kinds: callers must not be able to choose more.
type Tallies[K comparable] struct {
	Now func() time.Time // nil means time.Now

	mu sync.Mutex
	of map[K]*Tally
}

// Due calls Due of the kind's Tally.
func (t *Tallies[K]) Due(kind K) uint64 {
	t.mu.Lock()
	if t.of == nil {
		t.of = make(map[K]*Tally)
	}
	tally := t.of[kind]
	if tally == nil {
		tally = &Tally{Now: t.Now}
		t.of[kind] = tally
	}
	t.mu.Unlock()
	return tally.Due()
}
