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

// foreign is the validator or defaulter of a kind that is not the project's own.
type foreign struct {
	// Dir is the absolute folder of the package.
	Dir  string
	Kind string
	// Markers are the markers on its type.
	Markers []string
}

// Type is the name of the type that has the markers.
func (f foreign) Type() string { return f.Kind + "Webhook" }

// File is the file of the type.
func (f foreign) File() (output.File, error) {
	text, err := templates.Execute("external/webhook.go.tmpl", f)
	return output.File{Path: filepath.Join(f.Dir, strings.ToLower(f.Kind)+".go"), Content: text, Owner: output.Once}, err
}
