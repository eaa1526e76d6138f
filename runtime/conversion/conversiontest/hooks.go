// SPDX-License-Identifier: Apache-2.0

package conversiontest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
)

// Failing returns the error of a hook that is meant to fail.
func Failing() error { return errors.New("this hook fails on purpose") }

// CheckFailing checks that both directions of a kind fail if a hook fails, because a half-converted object would lose
// the rest. Both directions call every hook, because lost values are found by converting back.
func CheckFailing[S, H any](t *testing.T, hook string, k Kind[S, H]) {
	t.Helper()
	toHub, fromHub := k.ways()
	for _, err := range []error{toHub.fails(), fromHub.fails()} {
		if err != nil {
			failure.Report(t, failure.OfFunc(k.Source), fmt.Sprintf("%s fails: %v", hook, err))
		}
	}
}

// fails returns an error if no object makes a direction fail. An object with everything set calls every hook.
func (w way[A, B]) fails() error {
	for seed := range uint64(rounds) {
		if w.there(context.Background(), w.filled(seed, filling{elements: 2, full: true}), new(B)) != nil {
			return nil
		}
	}
	return fmt.Errorf("from %s objects are converted all the same", w.from)
}
