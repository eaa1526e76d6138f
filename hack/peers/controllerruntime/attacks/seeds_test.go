// SPDX-License-Identifier: Apache-2.0

package attacks

import (
	"iter"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// randomTests is how many tests divide ATTACKTIME among themselves.
const randomTests = 6

// seeds returns the seeds of a random test: the first n numbers, or the seeds that ATTACKSEED or ATTACKTIME sets.
func seeds(t *testing.T, n uint64) iter.Seq[uint64] {
	t.Helper()
	if text := os.Getenv("ATTACKSEED"); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("ATTACKSEED: %v", err)
		}
		return func(yield func(uint64) bool) { yield(seed) }
	}
	text := os.Getenv("ATTACKTIME")
	if text == "" {
		return func(yield func(uint64) bool) {
			for seed := range n {
				if !yield(seed) {
					return
				}
			}
		}
	}
	total, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("ATTACKTIME: %v", err)
	}
	first, end := rand.Uint64()>>1, time.Now().Add(total/randomTests)
	t.Logf("seeds from %d", first)
	return func(yield func(uint64) bool) {
		for seed := first; ; seed++ {
			if time.Now().After(end) {
				t.Logf("%d seeds", seed-first)
				return
			}
			if !yield(seed) {
				return
			}
		}
	}
}

// fixed reports whether a test has all of its fixed seeds, so that it can say how much it must have seen.
func fixed() bool { return os.Getenv("ATTACKSEED") == "" && os.Getenv("ATTACKTIME") == "" }
