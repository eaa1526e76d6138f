// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestAppendText writes strings and reads them back, with every byte at every place of strings of different length.
func TestAppendText(t *testing.T) {
	for _, length := range []int{0, 1, 7, 8, 9, 17} {
		for place := range length {
			for c := range 256 {
				s := strings.Repeat("x", place) + string([]byte{byte(c)}) + strings.Repeat("y", length-place-1)
				out := AppendText([]byte("before"), s)
				var got string
				if err := json.Unmarshal(out[len("before"):], &got); err != nil || got != strings.ToValidUTF8(s, "\ufffd") {
					t.Fatalf("%q is written %s and read %q, %v", s, out, got, err)
				}
			}
		}
	}
	for _, s := range []string{"", "é", "naïve \u2028 😀", "\xff\xfe"} {
		var got string
		if err := json.Unmarshal(AppendText(nil, s), &got); err != nil || got != strings.ReplaceAll(s, "\xff\xfe", "\ufffd\ufffd") {
			t.Errorf("%q is read %q, %v", s, got, err)
		}
	}
}
