// SPDX-License-Identifier: Apache-2.0

//go:build !race

package conversion

import (
	"context"
	"math"
	"testing"

	"github.com/webhook-gen/webhook-gen/runtime/internal/settings"
)

// TestUnknownSizeIsMeasuredLate checks that an object of unknown size is measured only if the first try does not
// suffice. The race detector empties pools at random, and would decide what is allocated.
func TestUnknownSizeIsMeasuredLate(t *testing.T) {
	var honest alpha
	if err := toAlpha(context.Background(), tasks(20), &honest); err != nil {
		t.Fatal(err)
	}
	allocations := func(size int) float64 {
		fewest := math.Inf(1)
		for range 20 { // a garbage collection empties pools too
			fewest = min(fewest, testing.AllocsPerRun(1, func() {
				var dst stable
				if err := toStable(settings.With(context.Background(), settings.Conversion{Size: size}), &honest, &dst); err != nil || dst.Spec.Tasks[1].Retries != 2 {
					t.Fatalf("error %v, restored %d", err, dst.Spec.Tasks[1].Retries)
				}
			}))
		}
		return fewest
	}
	const function = 2 // that measures
	if known, unknown := allocations(encodedSize(alphaStash.layout(), &honest)), allocations(0); unknown > known+function {
		t.Errorf("%v allocations, and %v if the size is known", unknown, known)
	}
}
