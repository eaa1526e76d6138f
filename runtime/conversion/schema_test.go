// SPDX-License-Identifier: Apache-2.0

package conversion

import "testing"

// TestKeysOfSteps reads steps of paths in an annotation. They have the keys of the schema, each once and with a value
// that is no object or list.
func TestKeysOfSteps(t *testing.T) {
	byName := step{keys: []string{"name", "port.number"}}
	for text, want := range map[string]bool{
		`{"name":"a","port.number":1}`: true, `{"port.number":null,"name":"a"}`: true,
		`{"name":"a"}`: false, `{}`: false, `[]`: false, `null`: false,
		`{"name":"a","port.number":1,"other":2}`: false, `{"other":2,"name":"a","port.number":1}`: false,
		`{"name":"a","name":"b","port.number":1}`: false, `{"name":{},"port.number":1}`: false, `{"name":"a","port.number":[1]}`: false,
	} {
		if _, got := byName.read([]byte(text)); got != want {
			t.Errorf("%s: got %t, want %t", text, got, want)
		}
	}
	if _, ok := (step{}).read([]byte(`{}`)); ok {
		t.Error("a list without keys has a step")
	}
}
