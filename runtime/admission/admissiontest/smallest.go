// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"bytes"
	"encoding/json"
	"reflect"
	"time"

	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
)

// mostTries and longest bound the search for a smaller object.
const (
	mostTries = 600
	longest   = 3 * time.Second
)

// smallest removes all parts of an object that are not needed for a failure. Parts that the type always writes stay.
func smallest(t reflect.Type, object json.RawMessage, fails func(json.RawMessage) bool) json.RawMessage {
	tree, err := decodeJSON(object)
	if err != nil {
		return object
	}
	tries, end := mostTries, time.Now().Add(longest)
	try := func() bool {
		text, err := json.Marshal(tree)
		if err != nil || tries == 0 || time.Now().After(end) {
			return false
		}
		candidate, ok := through(t, text)
		if !ok || bytes.Equal(candidate, object) {
			return ok // the type writes the same object without the part
		}
		tries--
		if !fails(candidate) {
			return false
		}
		object = candidate
		return true
	}
	replace := func(other any) { tree = other }
	failure.Shrink(tree, replace, try)
	failure.Simplify(tree, replace, try)
	return object
}

// through returns an object after decoding it into a Go type and encoding it again.
func through(t reflect.Type, object []byte) (json.RawMessage, bool) {
	value := reflect.New(t)
	if json.Unmarshal(object, value.Interface()) != nil {
		return nil, false
	}
	text, err := json.Marshal(value.Interface())
	return text, err == nil
}
