// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"regexp"
)

// Untemplated returns the text of a template of the chart as YAML. Settings have the values of the markers. The
// templates are our own, with a few forms of actions.
func Untemplated(text []byte) []byte {
	const open, kept = "{{ `{{` }}", "\x00"
	text = bytes.ReplaceAll(text, []byte(open), []byte(kept))
	for _, r := range []struct {
		action *regexp.Regexp
		with   string
	}{
		// a setting that values may replace: {{ include "shop.setting" (dict ... "marker" (mustFromJson `{}`)) }}
		{regexp.MustCompile("(?m)\\{\\{ include \"[^\"]*\\.setting\" \\(dict .* \"marker\" \\(mustFromJson `(.*)`\\).*\\) \\}\\}$"), "$1"},
		{regexp.MustCompile(`(?m)\{\{ include "[^"]*\.setting" \(dict .* "marker" (\S+)\) \}\}$`), "$1"},
		{regexp.MustCompile(`(?m)^(  validationActions: )\{\{ .* \}\}$`), "$1[Deny]"},
		{regexp.MustCompile(`(?m)\{\{ if .* \}\} \[\]\{\{ end \}\}$`), ""}, // if policies replace every webhook
		{regexp.MustCompile(`admissionregistration\.k8s\.io/\{\{ \. \}\}`), "admissionregistration.k8s.io/v1"},
		{regexp.MustCompile(`(?m)^\s*\{\{.*\}\}\n`), ""}, // conditions, and fields that only a release knows
		{regexp.MustCompile(`\{\{.*?\}\}`), ""},
	} {
		text = r.action.ReplaceAll(text, []byte(r.with))
	}
	return bytes.ReplaceAll(text, []byte(kept), []byte("{{"))
}
