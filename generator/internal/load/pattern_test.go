// SPDX-License-Identifier: Apache-2.0

package load

import "testing"

func TestParsePattern(t *testing.T) {
	for _, tt := range []struct {
		text      string
		separator byte
		want      pattern
	}{
		{"./...", '/', pattern{local: true, path: ".", wild: "..."}},
		{".", '/', pattern{local: true, path: "."}},
		{"..", '/', pattern{local: true, path: ".."}},
		{"../...", '/', pattern{local: true, path: "..", wild: "..."}},
		{"./api/v1/", '/', pattern{local: true, path: "api/v1"}},
		{"./api/v...", '/', pattern{local: true, path: "api", wild: "v..."}},
		{".//api/../x/.../y", '/', pattern{local: true, path: "x", wild: ".../y"}},
		{"/srv/api/...", '/', pattern{local: true, path: "/srv/api", wild: "..."}},
		{"/...", '/', pattern{local: true, path: "/", wild: "..."}},
		{"example.com/shop/api", '/', pattern{path: "example.com/shop/api"}},
		{"example.com/shop/...", '/', pattern{wild: "example.com/shop/..."}},
		{"...", '/', pattern{wild: "..."}},
		{`.\api`, '/', pattern{path: `.\api`}},
		{`C:\api`, '/', pattern{path: `C:\api`}},
		{`C:/api`, '/', pattern{path: `C:/api`}},

		{`.\...`, '\\', pattern{local: true, path: ".", wild: "..."}},
		{`.\api\v1`, '\\', pattern{local: true, path: "api/v1"}},
		{`..\api/...`, '\\', pattern{local: true, path: "../api", wild: "..."}},
		{`C:\shop\api\...`, '\\', pattern{local: true, path: "C:/shop/api", wild: "..."}},
		{`C:/shop`, '\\', pattern{local: true, path: "C:/shop"}},
		{`\\server\share\shop\...`, '\\', pattern{local: true, path: "//server/share/shop", wild: "..."}},
		{`example.com\shop\api`, '\\', pattern{path: "example.com/shop/api"}},
	} {
		tt.want.text = tt.text
		if got := parsePattern(tt.text, tt.separator); got != tt.want {
			t.Errorf("parsePattern(%q, %q) = %+v, want %+v", tt.text, tt.separator, got, tt.want)
		}
	}
}

func TestWildcard(t *testing.T) {
	for _, tt := range []struct {
		pattern, name    string
		matches, reaches bool
	}{
		{"...", "", true, true},
		{"...", "api/v1", true, true},
		{"...", "vendor", true, false},
		{"...", "vendor/x", false, false},
		{"...", "mine/vendor/x", false, false},
		{"api/...", "api", true, true},
		{"api/...", "api/v1", true, true},
		{"api/...", "apis", false, false},
		{"api/...", "ap", false, false},
		{"api...", "apis", true, true},
		{"api/v...", "api", false, true},
		{"api/v...", "api/w", false, false},
		{"vendor/...", "vendor", true, true},
		{"vendor/...", "vendor/x", true, true},
		{"vendor/...", "vendor/x/vendor", true, false},
		{"vendor/...", "vendor/x/vendor/y", false, false},
		{".../vendor/...", "mine/vendor", true, true},
		{".../vendor/...", "mine/vendor/x", true, true},
		{"a/.../b", "a/b", false, true},
		{"a/.../b", "a/x/b", true, true},
		{"a/.../b", "a/x/b/c", false, true},
		{"a...b...c", "abc", true, true},
		{"a...b...c", "acb", false, true},
		{"a...b...c", "a/b/b/c", true, true},
	} {
		w := newWildcard(tt.pattern)
		if got := w.matches(tt.name); got != tt.matches {
			t.Errorf("%q matches %q: %t, want %t", tt.pattern, tt.name, got, tt.matches)
		}
		if got := w.reaches(tt.name); got != tt.reaches {
			t.Errorf("%q reaches below %q: %t, want %t", tt.pattern, tt.name, got, tt.reaches)
		}
	}
}
