// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// tallyInterval is how often a Tally logs at most.
const tallyInterval = time.Minute

// Tally counts what any caller can make happen. It logs the first, and then at most one a minute, so that nobody fills the log.
type Tally struct {
	What string       // the message
	Log  *slog.Logger // nil means slog.Default()

	count  atomic.Uint64
	mu     sync.Mutex
	logged time.Time
	told   uint64 // the count at that time
}

// Count returns how many there were.
func (t *Tally) Count() uint64 { return t.count.Load() }

// Add counts one more, which the attributes describe.
func (t *Tally) Add(ctx context.Context, attributes ...any) {
	count := t.count.Add(1)
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if !t.logged.IsZero() && now.Sub(t.logged) < tallyInterval {
		return
	}
	log := t.Log
	if log == nil {
		log = slog.Default()
	}
	log.WarnContext(ctx, t.What, append(attributes, "times", count-t.told)...)
	t.logged, t.told = now, count
}
