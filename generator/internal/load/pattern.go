// SPDX-License-Identifier: Apache-2.0

package load

import (
	"path"
	"strings"
)

// pattern is a package pattern taken apart.
type pattern struct {
	text string // as written
	// local tells folders from import paths.
	local bool
	// path is the folder or import path of a pattern without wildcard, slash-separated; of
	// a local one with wildcard it is the folder where the search begins.
	path string
	// wild is the part with "...": all of an import path, or the part after the folder in a local pattern. It is empty
	// without a "...".
	wild string
}

// parsePattern takes a pattern apart as the go command does. A pattern that begins with ./ or ../ or is absolute names
// folders; any other is an import path. The separator is the platform's: patterns may have backslashes on a platform
// that separates by them.
func parsePattern(text string, separator byte) pattern {
	p := pattern{text: text}
	slashed := text
	if separator == '\\' {
		slashed = strings.ReplaceAll(text, `\`, "/")
	}
	p.local = isLocal(slashed, separator)
	cleaned := path.Clean(slashed)
	before, _, wild := strings.Cut(cleaned, "...")
	switch {
	case !wild:
		p.path = cleaned
	case p.local:
		i := strings.LastIndexByte(before, '/') + 1
		p.path, p.wild = path.Clean(before[:i]), cleaned[i:]
	default:
		p.wild = cleaned
	}
	if separator == '\\' && strings.HasPrefix(slashed, "//") {
		p.path = "/" + p.path // a network share: path.Clean leaves one of its two slashes
	}
	return p
}

func isLocal(slashed string, separator byte) bool {
	first, _, _ := strings.Cut(slashed, "/")
	hasDrive := separator == '\\' && len(slashed) > 2 && slashed[1] == ':' && slashed[2] == '/'
	return first == "." || first == ".." || strings.HasPrefix(slashed, "/") || hasDrive
}
