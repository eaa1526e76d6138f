// SPDX-License-Identifier: Apache-2.0

package conversion

import "testing"

func TestReplace(t *testing.T) {
	const before = `[{"a":1},{"b":2}]`
	for _, text := range []string{`{}`, `{"c":3}`, `{"c":"longer than it was"}`} {
		body := []byte(before)
		first := objectOf(body[1:8:8])
		got := first.replace([]byte(text))
		if all := string(got.inPlace) + string(got.rest); all != text {
			t.Errorf("%s is in place of the object, want %s", all, text)
		}
		if &got.inPlace[0] != &body[1] || len(got.rest) != max(0, len(text)-len(`{"a":1}`)) {
			t.Errorf("%s: %d bytes of it are not where the object was", text, len(got.rest))
		}
		if string(body[8:]) != before[8:] {
			t.Errorf("%s has overwritten what follows the object: %s", text, body)
		}
	}
}
