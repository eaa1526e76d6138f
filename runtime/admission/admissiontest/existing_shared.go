// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// fewest returns the smallest requests, the smallest one first.
func fewest(requests []existingRequest) []existingRequest {
	const most = 100
	requests = slices.Clone(requests)
	slices.SortStableFunc(requests, func(a, b existingRequest) int {
		return cmp.Compare(len(a.object)+len(a.old), len(b.object)+len(b.old))
	})
	requests = slices.CompactFunc(requests, func(a, b existingRequest) bool {
		return bytes.Equal(a.object, b.object) && bytes.Equal(a.old, b.old)
	})
	return requests[:min(most, len(requests))]
}

// after returns the difference between the answers to r before and after another request; empty without one.
func (c existingCheck) after(r, other existingRequest) string {
	first := c.ask(r)
	c.ask(other)
	return strings.Replace(difference(first, c.ask(r)), "answers the same request differently", "answers differently after another request", 1)
}

// checkSequence reports a request whose answer depends on the requests before it, because the handler keeps an object
// or writes into a shared one.
func (c existingCheck) checkSequence(t testing.TB, requests []existingRequest) (reported bool) {
	const witnesses = 4
	requests = fewest(requests)
	var first []existingReply
	for i, other := range requests {
		reply := c.ask(other)
		for j, then := range first {
			// An answer that differs at random says nothing.
			if difference(then, c.ask(requests[j])) == "" || c.unsteady(requests[j]) {
				continue
			}
			c.reportSequence(t, requests[j], other, then, requests)
			return true
		}
		if i < witnesses {
			first = append(first, reply)
		}
	}
	return false
}

// unsteady reports whether repeated requests get different answers.
func (c existingCheck) unsteady(r existingRequest) bool {
	return defect{of: c.differs, tries: patient}.found(r) != ""
}

// reportSequence reports that the answer to r has changed from first, by another request. The smallest requests are
// found if one of the others brings the first answer back.
func (c existingCheck) reportSequence(t testing.TB, r, other existingRequest, first existingReply, requests []existingRequest) {
	message := strings.Replace(difference(first, c.ask(r)), "answers the same request differently", "answers differently after another request", 1)
	for _, back := range requests {
		shows := func(r, other existingRequest) string {
			c.ask(back)
			return c.after(r, other)
		}
		if shows(r, other) == "" || shows(r, other) == "" {
			continue
		}
		r = c.smallest(r, func(r existingRequest) bool { return shows(r, other) != "" })
		other = c.smallest(other, func(other existingRequest) bool { return shows(r, other) != "" })
		message = cmp.Or(shows(r, other), message)
		break
	}
	files := c.written(t, func() {
		c.ask(r)
		c.ask(other)
	})
	t.Errorf("%s %s\n%s\nafter %s%s", c.Functions[r.operation], message, c.shown(r), c.shown(other), files)
}

// checkParallel reports a request whose answer differs while the handler answers others. go test -race sees a shared
// object even if the answers are the same.
func (c existingCheck) checkParallel(t testing.TB, requests []existingRequest) {
	requests = fewest(requests)
	first := make([]existingReply, len(requests))
	for i, r := range requests {
		first[i] = c.ask(r)
	}
	for i, then := range c.askAll(requests) {
		message := difference(first[i], then)
		if message == "" || c.unsteady(requests[i]) {
			continue
		}
		r, other := requests[i], existingRequest{}
		for _, candidate := range requests {
			if c.beside(r, candidate) != "" {
				other = candidate
				break
			}
		}
		if other.operation != "" {
			r = c.smallest(r, func(r existingRequest) bool { return c.beside(r, other) != "" })
			other = c.smallest(other, func(other existingRequest) bool { return c.beside(r, other) != "" })
			message = cmp.Or(c.beside(r, other), message)
		}
		files := c.written(t, func() {
			c.ask(r)
			if other.operation != "" {
				c.ask(other)
			}
		})
		text := c.shown(r)
		if other.operation != "" {
			text += "\nbeside " + c.shown(other)
		}
		t.Errorf("with other requests in parallel, %s %s\n%s%s", c.Functions[r.operation], message, text, files)
		return
	}
}

// beside returns the difference between the answers to r alone and in parallel with another request; empty if no try
// shows one.
func (c existingCheck) beside(r, other existingRequest) string {
	const tries, pairs = 3, 32
	first := c.ask(r)
	var both []existingRequest
	for range pairs {
		both = append(both, r, other)
	}
	for range tries {
		for i, then := range c.askAll(both) {
			if message := difference(first, then); i%2 == 0 && message != "" {
				return message
			}
		}
	}
	return ""
}

// askAll asks in parallel, and returns the answers.
func (c existingCheck) askAll(requests []existingRequest) []existingReply {
	const workers = 4
	replies := make([]existingReply, len(requests))
	var wait sync.WaitGroup
	wait.Add(workers)
	for w := range workers {
		go func() {
			defer wait.Done()
			// Adjacent requests are asked by different workers.
			for i := w; i < len(requests); i += workers {
				replies[i] = c.ask(requests[i])
			}
		}()
	}
	wait.Wait()
	return replies
}
