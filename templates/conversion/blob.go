package conversion

import "encoding/json"

// Text is anything that holds text.
type Text interface{ ~string | ~[]byte }

// FormatJSON writes a value as JSON; one of which nothing is set is no text.
func FormatJSON[D Text, S any](dst *D, src S) error {
	text, err := json.Marshal(src)
	if s := string(text); err == nil && s != "null" && s != "{}" && s != "[]" {
		*dst = D(text)
	}
	return err
}

// ParseJSON reads a value from JSON. No text is nothing.
func ParseJSON[D any, S Text](dst *D, src S) error {
	if len(src) == 0 {
		return nil
	}
	return json.Unmarshal([]byte(src), dst)
}
