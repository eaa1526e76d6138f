// SPDX-License-Identifier: Apache-2.0

package conversiontest

import "github.com/webhook-gen/webhook-gen/runtime/internal/failure"

// smallest removes the parts of an object that are not needed for a failure. It returns the rest, in JSON, with its
// error. The name stays, because an object without one is a partial object. It takes at most half of the tries that are
// left to the direction, because one mistake often breaks many invariants.
func smallest[T any](o *T, input string, err error, left *int, fails func(*T) error) (string, error) {
	tries := *left / 2
	*left -= tries
	t, name := tree(o), object(o).GetName()
	failure.Shrink(t, nil, func() bool {
		if tries--; tries < 0 {
			return false
		}
		candidate := decoded[T](t)
		if object(candidate).GetName() != name || !writes(candidate) {
			return false
		}
		smaller := text(candidate)
		found := fails(candidate)
		if found == nil {
			return false
		}
		input, err = smaller, found
		return true
	})
	return input, err
}
