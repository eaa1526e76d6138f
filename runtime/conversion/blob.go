// SPDX-License-Identifier: Apache-2.0

package conversion

import "encoding/json"

// Text is a string or bytes.
type Text interface{ ~string | ~[]byte }

// FormatJSON converts a value to JSON. A value in which nothing is set becomes empty text.
func FormatJSON[D Text, S any](dst *D, src S) error {
	text, err := json.Marshal(src)
	if s := string(text); err == nil && s != "null" && s != "{}" && s != "[]" {
		*dst = D(text)
	}
	return err
}

// ParseJSON converts JSON to a value. Empty text leaves it unset.
func ParseJSON[D any, S Text](dst *D, src S) error {
	if len(src) == 0 {
		return nil
	}
	var value D
	err := json.Unmarshal([]byte(src), &value)
	if err == nil {
		*dst = value
	}
	return err
}
