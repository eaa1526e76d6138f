// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/validation"
)

// TestWarningsFit checks that the API server neither drops nor cuts a warning. As there, long ones stay whole while all
// together have at most 4096 characters.
func TestWarningsFit(t *testing.T) {
	var r Request
	r.Warn("a\nb\tc\x00d", " spaced ", "\xff", "", "\n", strings.Repeat("ä", 300), "a b c d")
	want := []string{"a b c d", "spaced", "\ufffd", strings.Repeat("ä", 300)}
	if got := r.Warnings(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q", got)
	}
	r.Warn(strings.Repeat("b", 4000))
	want[3] = strings.Repeat("ä", 128) + "…" + strings.Repeat("ä", 127)
	want = append(want, strings.Repeat("b", 128)+"…"+strings.Repeat("b", 127))
	if got := r.Warnings(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q", got)
	}
	for i := range 100 {
		r.Warn(fmt.Sprintf("%d %s", i, strings.Repeat("x", 200)))
	}
	sum := 0
	for _, warning := range r.Warnings() {
		sum += utf8.RuneCountInString(warning)
		if _, err := net.NewWarningHeader(299, "-", warning); err != nil {
			t.Errorf("%q: %v", warning, err)
		}
	}
	if sum > warningsLimit || sum < warningsLimit-warningLimit {
		t.Errorf("%d characters in all", sum)
	}
}

// TestAuditKeysFit checks that the API server drops no key.
func TestAuditKeysFit(t *testing.T) {
	for key, want := range map[string]string{
		"reason":                       "reason",
		"a/b":                          "a-b",
		"-._x_.-":                      "x",
		"schön":                        "sch-n",
		"":                             "annotation",
		"///":                          "annotation",
		strings.Repeat("k", 100):       strings.Repeat("k", 63),
		strings.Repeat("k", 62) + "..": strings.Repeat("k", 62),
	} {
		var r Request
		r.AuditAnnotation(key, "v")
		for got := range r.AuditAnnotations() {
			if problems := validation.IsQualifiedName("hook.example.com/" + got); got != want || problems != nil {
				t.Errorf("%q became %q, want %q: %v", key, got, want, problems)
			}
		}
	}
}
