// SPDX-License-Identifier: Apache-2.0

package project

import (
	"path/filepath"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/templates"
)

// API is a kind in a package of API types.
type API struct {
	// Dir is the absolute folder of the package, Package its name.
	Dir, Package string
	// Group is the API group in full.
	Group, Version, Kind string
}

// GroupVersion is the file that says the group and version of the package.
func (a API) GroupVersion() (output.File, error) {
	return a.file("groupversion.go")
}

// Types is the file of the kind.
func (a API) Types() (output.File, error) {
	f, err := a.file("types.go")
	f.Path = filepath.Join(a.Dir, strings.ToLower(a.Kind)+"_types.go")
	return f, err
}

func (a API) file(name string) (output.File, error) {
	text, err := templates.Execute("api/"+name+".tmpl", a)
	return output.File{Path: filepath.Join(a.Dir, name), Content: text, Owner: output.Once}, err
}

// Policy is the policy on a kind that is not the project's own.
type Policy struct {
	// Dir is the absolute folder of the package.
	Dir  string
	Kind string
	// Markers are the markers on its type.
	Markers []string
}

// Type is the name of the type that has the markers.
func (p Policy) Type() string { return p.Kind + "Policy" }

// File is the file of the policy.
func (p Policy) File() (output.File, error) {
	text, err := templates.Execute("policy/policy.go.tmpl", p)
	return output.File{Path: filepath.Join(p.Dir, strings.ToLower(p.Kind)+".go"), Content: text, Owner: output.Once}, err
}
