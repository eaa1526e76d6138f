// SPDX-License-Identifier: Apache-2.0

package server

import (
	"cmp"
	"context"
	"errors"
	"math"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// The parts of MaxBytesInFlight: a quarter for bodies that arrive or wait, the rest for bodies that handlers work on.
const (
	arrivingPart = 4

	// workFactor is how many bytes a handler needs for a byte of a body: the body, the object decoded from it, and the
	// answer. See docs/guides/security.md for the measurement.
	workFactor = 6

	// unlimitedBytes is the default of MaxBytesInFlight where Go has no memory limit.
	unlimitedBytes = 1 << 30
)

// defaultBytesInFlight is half of the memory limit of Go: the rest is for connections, the program itself, and garbage.
func defaultBytesInFlight() int64 {
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		return limit / 2
	}
	return unlimitedBytes
}

// errNoMemory is the error of a request that waited in vain for memory.
var errNoMemory = errors.New("its memory is in use")

// memory divides a number of bytes among requests. A share may grow, step by step, to the claim of its request.
//
// A request waits for a step that would leave too little for others to come to their end, so that requests never wait
// for each other in a circle (Dijkstra's banker's algorithm). Meanwhile requests whose client is late lose their
// connection, the latest first.
type memory struct {
	bound   int64
	inOrder bool // no step overtakes another one; otherwise steps that fit may overtake

	mu      sync.Mutex
	free    int64
	shares  map[*connection]*share
	waiting []*step
}

// share is the memory that one request holds, and the most that it will hold at once.
type share struct{ held, claim int64 }

// step is one growth of a share, for which its request waits until granted is closed.
type step struct {
	of      *connection
	more    int64
	granted chan struct{}
}

func newMemory(bound int64, inOrder bool) *memory {
	return &memory{bound: bound, inOrder: inOrder, free: bound, shares: make(map[*connection]*share)}
}

// grow adds bytes to the share of a connection's request, which claims at most claim in all. It waits for as long as
// the caller does: wait returns that time.
func (m *memory) grow(ctx context.Context, c *connection, more, claim int64, wait func() time.Duration) error {
	c.shares = true
	m.mu.Lock()
	if m.shares[c] == nil {
		m.shares[c] = &share{claim: min(claim, m.bound)}
	}
	s := &step{of: c, more: more, granted: make(chan struct{})}
	m.waiting = append(m.waiting, s)
	m.grant()
	m.mu.Unlock()
	select {
	case <-s.granted:
		return nil
	default:
	}

	was := phase(c.phase.Load())
	c.begin(working) // the server does not wait for the client
	defer c.begin(was)
	look := time.NewTicker(10 * time.Millisecond) // clients become late
	defer look.Stop()
	patience := time.NewTimer(wait())
	defer patience.Stop()
	for {
		m.cutLatest()
		select {
		case <-s.granted:
			return nil
		case <-look.C:
			continue
		case <-patience.C:
		case <-ctx.Done():
		}
		return m.withdraw(s)
	}
}

// withdraw cancels a step whose request does not wait any longer, unless it was granted at the same time.
func (m *memory) withdraw(s *step) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := slices.Index(m.waiting, s); i >= 0 {
		m.waiting = slices.Delete(m.waiting, i, i+1)
		m.grant() // those behind it
		return errNoMemory
	}
	return nil
}

// complete records that the share of a connection's request does not grow any more.
func (m *memory) complete(c *connection) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.shares[c]; s != nil {
		s.claim = s.held
		m.grant()
	}
}

// release gives back the share of a connection's request.
func (m *memory) release(c *connection) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.shares[c]; s != nil {
		m.free += s.held
		delete(m.shares, c)
		m.grant()
	}
}

// grant grants the possible steps, the longest waiting first.
func (m *memory) grant() {
	for i := 0; i < len(m.waiting); {
		s := m.waiting[i]
		if !m.safe(s) {
			if m.inOrder {
				return
			}
			i++
			continue
		}
		m.free -= s.more
		m.shares[s.of].held += s.more
		close(s.granted)
		m.waiting = slices.Delete(m.waiting, i, i+1)
	}
}

// safe reports whether all requests can still finish after a step, one after the other.
func (m *memory) safe(s *step) bool {
	if s.more > m.free {
		return false
	}
	free := m.free - s.more
	type end struct{ lacks, held int64 }
	ends := make([]end, 0, len(m.shares))
	for c, share := range m.shares {
		held := share.held
		if c == s.of {
			held += s.more
		}
		ends = append(ends, end{max(share.claim-held, 0), held})
	}
	slices.SortFunc(ends, func(a, b end) int { return cmp.Compare(a.lacks, b.lacks) })
	for _, e := range ends {
		if e.lacks > free {
			return false
		}
		free += e.held
	}
	return true
}

// cutLatest closes the connection that is late by most among the connections that hold memory, if any is late.
func (m *memory) cutLatest() {
	m.mu.Lock()
	defer m.mu.Unlock()
	now, most := time.Now(), time.Duration(0)
	var latest *connection
	for c, share := range m.shares {
		if late := c.late(now); share.held > 0 && late > most {
			latest, most = c, late
		}
	}
	if latest != nil {
		latest.cut()
	}
}

// held returns how many bytes are in use.
func (m *memory) held() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.bound - m.free
}
