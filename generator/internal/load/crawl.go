// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"runtime"
	"slices"
	"sync"
)

// crawl processes the items, and the items that processing returns, on GOMAXPROCS goroutines in any order. newWorker
// returns a function for each goroutine, which may therefore keep buffers. When the context ends, crawl stops after
// the current items.
func crawl[T any](ctx context.Context, items []T, newWorker func() func(T) []T) {
	var (
		mu      sync.Mutex
		changed = sync.NewCond(&mu)
		todo    = slices.Clone(items)
		busy    = 0
		workers sync.WaitGroup
	)
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			do := newWorker()
			mu.Lock()
			defer mu.Unlock()
			for ctx.Err() == nil {
				if n := len(todo); n > 0 {
					item := todo[n-1]
					todo = todo[:n-1]
					busy++
					mu.Unlock()
					more := do(item)
					mu.Lock()
					busy--
					todo = append(todo, more...)
					changed.Broadcast()
				} else if busy > 0 {
					changed.Wait()
				} else {
					return
				}
			}
		})
	}
	workers.Wait()
}
