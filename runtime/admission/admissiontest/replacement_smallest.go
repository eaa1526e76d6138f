// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
)

// smallest removes optional parts of a request and simplifies its values, as long as the disagreement stays. A program
// takes longer to start than to answer, so each call compares many requests.
func (c replacementCheck) smallest(t testing.TB, one compared, how string) compared {
	first := one.pair.objects()
	named := first[0]
	if named == nil {
		named = first[1]
	}
	with := func(o failure.Objects) pair {
		return pair{operation: one.operation, object: o[0], old: o[1], request: one.request}
	}
	search := failure.Search{
		Steps: steps(c.objectType()),
		Written: func(object []byte) (json.RawMessage, bool) {
			written, ok := through(c.objectType(), object)
			if !ok {
				return nil, false
			}
			return renamed(c.placed(written), nameOf(named), namespaceOf(named)), true
		},
		Failing: func(inputs []failure.Objects) []bool {
			failing := make([]bool, len(inputs))
			pairs := make([]pair, len(inputs))
			for i, o := range inputs {
				pairs[i] = with(o)
			}
			for _, found := range c.disagreements(t, pairs, how) {
				failing[found.index] = true
			}
			return failing
		},
		Tries: 2000,
	}
	for _, found := range c.disagreements(t, []pair{with(search.Smallest(first))}, how) {
		return found
	}
	return one
}

// disagreements returns the requests that show a disagreement.
func (c replacementCheck) disagreements(t testing.TB, pairs []pair, how string) []compared {
	all, err := c.compare(t, pairs)
	if err != nil {
		return nil
	}
	return c.disagreeing(all, how)
}

// disagreeing returns the requests with a disagreement.
func (c replacementCheck) disagreeing(all []compared, how string) []compared {
	return slices.DeleteFunc(slices.Clone(all), func(one compared) bool { return c.disagree(one) != how })
}

// least returns the smallest request.
func least(all []compared) compared {
	return slices.MinFunc(all, func(a, b compared) int { return a.objects().Compare(b.objects()) })
}

// objects returns the objects of a request.
func (p pair) objects() failure.Objects { return failure.Objects{p.object, p.old} }

// isUnchanged reports whether an UPDATE changes nothing.
func (p pair) isUnchanged() bool { return p.objects().Unchanged() }
