// SPDX-License-Identifier: Apache-2.0

package conversiontest

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// Failing is what hooks return that are to fail.
func Failing() error { return errors.New("this hook fails on purpose") }

// CheckFailing wants both directions of a kind to fail where a hook does: to hand on what is half converted would lose
// the rest. Both call every hook, because what is lost is found by converting back.
func CheckFailing[S, H any](t *testing.T, hook string, k Kind[S, H]) {
	t.Helper()
	toHub, fromHub := k.ways()
	for _, err := range []error{toHub.fails(), fromHub.fails()} {
		if err != nil {
			t.Errorf("%s fails: %v", hook, err)
		}
	}
}

// fails reports that no object makes a direction fail. One that has everything set asks every hook.
func (w way[A, B]) fails() error {
	for seed := range uint64(rounds) {
		if w.there(context.Background(), w.filled(seed, filling{elements: 2, full: true}), new(B)) != nil {
			return nil
		}
	}
	return fmt.Errorf("from %s objects are converted all the same", w.from)
}
