// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
)

func TestCrawl(t *testing.T) {
	var done, workers, busy, most atomic.Int64
	crawl(t.Context(), []int{12, 3}, func() func(int) []int {
		workers.Add(1)
		return func(n int) []int {
			if b := busy.Add(1); b > most.Load() {
				most.Store(b)
			}
			defer busy.Add(-1)
			done.Add(1)
			if n == 0 {
				return nil
			}
			return []int{n - 1, n - 1}
		}
	})
	if got, want := done.Load(), int64(1<<13-1+1<<4-1); got != want {
		t.Errorf("did %d items, want %d", got, want)
	}
	procs := int64(runtime.GOMAXPROCS(0))
	if workers.Load() > procs || most.Load() > procs {
		t.Errorf("%d workers, %d at once; GOMAXPROCS is %d", workers.Load(), most.Load(), procs)
	}
}

func TestCrawlStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var done, late atomic.Int64
	var ended atomic.Bool
	crawl(ctx, []int{0}, func() func(int) []int {
		return func(n int) []int {
			if ended.Load() {
				late.Add(1)
			}
			if done.Add(1) == 100 {
				cancel()
				ended.Store(true)
			}
			return []int{n, n}
		}
	})
	// Every other worker may have taken one item before that.
	if got, limit := late.Load(), int64(runtime.GOMAXPROCS(0)-1); got > limit {
		t.Errorf("did %d items after the end, want at most %d", got, limit)
	}
	if got := done.Load(); got < 100 {
		t.Errorf("did %d items, want at least 100", got)
	}
}
