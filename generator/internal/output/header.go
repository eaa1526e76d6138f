// SPDX-License-Identifier: Apache-2.0

package output

import (
	"bytes"
	"path/filepath"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// The header lines of generated files. They contain no version, date, arguments or paths, so that equal input gives
// equal bytes. HelmHeader is for texts that Helm prints. JSONHeader is an object's first member, because JSON has no
// comments.
const (
	GoHeader   = "// " + load.Notice
	YAMLHeader = "# " + load.Notice
	HelmHeader = "{{- /* " + load.Notice + " */ -}}"
	JSONHeader = `"$comment": "` + load.Notice + `",`
)

// isOurs reports whether our header precedes the file's first line of content. In a Go file, a conflict marker may
// precede the header: such a file has to be generated again.
func isOurs(path string, content []byte) bool {
	switch filepath.Ext(path) {
	case ".go":
		return load.IsOurs(content)
	case ".json":
		first, rest, _ := bytes.Cut(content, []byte("\n"))
		second, _, _ := bytes.Cut(rest, []byte("\n"))
		return string(bytes.TrimSpace(first)) == "{" && string(bytes.TrimSpace(second)) == JSONHeader
	case ".txt":
		first, _, _ := bytes.Cut(content, []byte("\n"))
		return string(bytes.TrimSpace(first)) == HelmHeader
	}
	return hasYAMLHeader(content)
}

func hasYAMLHeader(text []byte) bool {
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte("\ufeff"))) {
		switch line = bytes.TrimRight(line, "\r\n"); {
		case string(line) == YAMLHeader:
			return true
		case len(line) > 0 && line[0] != '#' && string(line) != "---":
			return false
		}
	}
	return false
}
