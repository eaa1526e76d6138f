// SPDX-License-Identifier: Apache-2.0

package load

import (
	"path"
	"path/filepath"
	"strings"
)

// pattern is a parsed package pattern.
type pattern struct {
	text string // as written
	// local is true for a folder, and false for an import path.
	local bool
	// path is the folder or import path without a wildcard, with slashes. For a folder with a wildcard, it is the
	// folder in which the search begins.
	path string
	// wild is the part with "...": a whole import path, or the part after the folder. It is empty without "...".
	wild string
}

// parsePattern parses a pattern with the go command's rules. A pattern that is absolute or begins with ./ or ../ is a
// folder, and any other one is an import path. separator is the platform's separator: if it is a backslash, patterns
// may contain backslashes.
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
		p.path = "/" + p.path // a network share: path.Clean removed one of its two slashes
	}
	return p
}

func isLocal(slashed string, separator byte) bool {
	first, _, _ := strings.Cut(slashed, "/")
	hasDrive := separator == '\\' && len(slashed) > 2 && slashed[1] == ':' && slashed[2] == '/'
	return first == "." || first == ".." || strings.HasPrefix(slashed, "/") || hasDrive
}

// Matches reports whether a pattern selects the package. A pattern of folders is relative to the folder dir.
func (p *Package) Matches(dir, text string) bool {
	parsed := parsePattern(text, filepath.Separator)
	name := p.Path
	if parsed.local {
		rel, err := filepath.Rel(dir, p.Dir)
		if err != nil {
			return false
		}
		name = filepath.ToSlash(rel)
	}
	if parsed.wild == "" {
		return name == parsed.path
	}
	return newWildcard(path.Join(parsed.path, parsed.wild)).matches(name)
}
