// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

// inParallel calls do for all numbers below n, with at most limit calls at once. After an error no further call begins,
// and running calls end. inParallel returns the error of the lowest number, which is the same one every time.
func inParallel(ctx context.Context, limit, n int, do func(i int) error) error {
	var (
		next   atomic.Int64
		failed atomic.Bool
		mu     sync.Mutex
		first  = n
		err    error
	)
	work := func() {
		for !failed.Load() {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			e := context.Cause(ctx)
			if e != nil {
				e = fmt.Errorf("%w after %d of %d objects", e, i, n)
			} else {
				e = do(i)
			}
			if e == nil {
				continue
			}
			failed.Store(true)
			mu.Lock()
			if i < first {
				first, err = i, e
			}
			mu.Unlock()
		}
	}
	var group sync.WaitGroup
	for range min(limit, n) - 1 {
		group.Add(1)
		go func() {
			defer group.Done()
			work()
		}()
	}
	work()
	group.Wait()
	return err
}
