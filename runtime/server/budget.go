// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"math"
	"net"
	"sync"
	"time"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// budget is a number of bytes, places or connections. Requests take what they need before they use it.
type budget struct {
	bound  int64
	part   int64 // only small requests use it up
	closes rank  // the last rank of connections that are closed for a request that waits
	full   error // of a request that waits in vain

	mu   sync.Mutex
	used int64
	held map[*connection]int64
}

func newBudget(bound, part int64, closes rank, full error) *budget {
	return &budget{bound: bound, part: part, closes: closes, full: full, held: make(map[*connection]int64)}
}

// take takes n, at most largest, for a connection. It waits until ctx is done. Meanwhile it closes other connections.
func (b *budget) take(ctx context.Context, c *connection, n int64) error {
	// The longest waits look least often, because there may be many of them under an attack.
	for wait := time.Millisecond; ; wait = min(2*wait, 64*time.Millisecond) {
		taken, victim := b.try(c, n)
		for ; victim != nil; taken, victim = b.try(c, n) {
			victim.sacrifice()
		}
		if taken {
			return nil
		}
		select {
		case <-time.After(wait):
		case <-c.cut:
			return wire.BadRequest(net.ErrClosed)
		case <-ctx.Done():
			return b.full
		}
	}
}

// largest is the most that a connection can take.
func (b *budget) largest() int64 { return b.bound - b.part }

// try takes n for a connection if it leaves enough for smaller requests: 16 times n, or the part if that is less.
// Clients whose last body was in time leave half of it. Otherwise try returns the connection to close: of the lowest
// rank, the one with the largest product of what it holds and time. It returns nil if closed connections will give
// back enough.
func (b *budget) try(c *connection, n int64) (taken bool, victim *connection) {
	b.mu.Lock()
	defer b.mu.Unlock()
	leaves := min(16*n, b.part)
	if c.prompt {
		leaves /= 2
	}
	lacks := b.used + n + leaves - b.bound
	if lacks <= 0 {
		b.used += n
		b.held[c] += n
		return true, nil
	}
	now, lowest, most := time.Now(), b.closes, math.Inf(-1)
	for holder, held := range b.held {
		rank, took := holder.rank(now)
		if cost := float64(held) * took.Seconds(); rank < lowest || rank == lowest && cost > most {
			victim, lowest, most = holder, rank, cost
		}
		if rank == leaving {
			lacks -= held
		}
	}
	if lacks <= 0 {
		victim = nil
	}
	return false, victim
}

// give gives back n, or what the connection holds if that is less.
func (b *budget) give(c *connection, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n = min(n, b.held[c])
	b.used -= n
	if b.held[c] -= n; b.held[c] == 0 {
		delete(b.held, c)
	}
}

// count returns how much is taken.
func (b *budget) count() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}
