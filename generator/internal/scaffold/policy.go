// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"path/filepath"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/templates"
)

// Policy is the policy on a kind that is not the project's own.
type Policy struct {
	// Dir is the absolute folder of the package.
	Dir  string
	Kind string
	// Markers stand on its type.
	Markers []string
}

// Type is the name of the type that markers stand on.
func (p Policy) Type() string { return p.Kind + "Policy" }

// File is the file of the policy.
func (p Policy) File() (output.File, error) {
	text, err := templates.Execute("policy/policy.go.tmpl", p)
	return output.File{Path: filepath.Join(p.Dir, strings.ToLower(p.Kind)+".go"), Content: text, Owner: output.Once}, err
}
