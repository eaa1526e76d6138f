// SPDX-License-Identifier: Apache-2.0

package conversiontest

import (
	"encoding/json"

	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
)

// smallest removes the parts of an object that are not needed for a failure. It returns the rest, in JSON, with its
// error. The name stays, because an object without one is a partial object. It takes at most half of the tries that are
// left to the direction, because one mistake often breaks many invariants.
func smallest[T any](o *T, input string, err error, left *int, fails func(*T) error) (string, error) {
	name := object(o).GetName()
	valid := func(text []byte) (*T, bool) {
		o := new(T)
		ok := json.Unmarshal(text, o) == nil && object(o).GetName() == name && writes(o)
		return o, ok
	}
	search := failure.Search{
		Steps: failure.Removals,
		Written: func(text []byte) (json.RawMessage, bool) {
			_, ok := valid(text)
			return text, ok
		},
		Tries: *left / 2,
	}
	*left -= search.Tries
	search.Failing = func(inputs []failure.Objects) []bool {
		failing := make([]bool, len(inputs))
		for i, o := range inputs {
			candidate, _ := valid(o[0])
			failing[i] = fails(candidate) != nil
		}
		return failing
	}
	found := search.Smallest(failure.Objects{[]byte(text(tree(o)))})
	if o, ok := valid(found[0]); ok {
		smaller := text(o)
		if found := fails(o); found != nil {
			return smaller, found
		}
	}
	return input, err
}
