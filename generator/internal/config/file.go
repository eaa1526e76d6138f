// SPDX-License-Identifier: Apache-2.0

package config

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/yamltext"
)

// file is the file during reading: its lines and the problems found so far.
type file struct {
	yamltext.File
	given    map[string]*yaml.Node // the keys by full name
	problems diag.List
	runtime  *yaml.Node // the value of handlers.runtime; nil without the key
}

// errorAt makes an error at a key or value.
func (f *file) errorAt(node *yaml.Node, rule, format string, args ...any) diag.Diagnostic {
	return diag.Errorf(f.Range(node), rule, format, args...)
}

// broken reports YAML that cannot be parsed.
func (f *file) broken(err error) diag.Diagnostic {
	line := f.brokenLine()
	text := strings.TrimRight(string(f.Lines[line-1]), "\r\n")
	from := len(text) - len(strings.TrimLeft(text, " \t"))
	return diag.Errorf(f.Span(line, from, len(text)), ruleSyntax, "not valid YAML: %s", yamltext.Message(err))
}

// brokenLine returns the line at which the file stops being valid YAML: every longer beginning of it is invalid too.
func (f *file) brokenLine() int {
	for n := len(f.Lines) - 1; n > 0; n-- {
		if _, err := yamltext.Documents(bytes.Join(f.Lines[:n], nil)); err == nil {
			return n + 1
		}
	}
	return 1
}
