// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"regexp"
)

// Untemplated returns the YAML of one of the chart's own templates, with the markers' values for settings. It knows
// the few forms of actions in these templates.
func Untemplated(text []byte) []byte {
	const open, kept = "{{ `{{` }}", "\x00"
	text = bytes.ReplaceAll(text, []byte(open), []byte(kept))
	for _, r := range []struct {
		action *regexp.Regexp
		with   string
	}{
		// a field that values can set: {{ include "shop.setting" (dict ... "marker" (mustFromJson `{}`)) }}
		{regexp.MustCompile("(?m)\\{\\{ include \"[^\"]*\\.setting\" \\(dict .* \"marker\" \\(mustFromJson `(.*)`\\).*\\) \\}\\}$"), "$1"},
		{regexp.MustCompile(`(?m)\{\{ include "[^"]*\.(?:setting|version\.\w+)" \(dict .* "marker" (\S+)\) \}\}$`), "$1"},
		{regexp.MustCompile(`(?m)^(  validationActions: )\{\{ .* \}\}$`), "$1[Deny]"},
		{regexp.MustCompile(`(?m)\{\{ if .* \}\} \[\]\{\{ end \}\}$`), ""}, // an empty list, if policies replace all
		{regexp.MustCompile(`admissionregistration\.k8s\.io/\{\{ \. \}\}`), "admissionregistration.k8s.io/v1"},
		{regexp.MustCompile(`(?m)^\s*\{\{.*\}\}\n`), ""}, // conditions, and fields that depend on the release
		{regexp.MustCompile(`\{\{.*?\}\}`), ""},
	} {
		text = r.action.ReplaceAll(text, []byte(r.with))
	}
	return bytes.ReplaceAll(text, []byte(kept), []byte("{{"))
}
