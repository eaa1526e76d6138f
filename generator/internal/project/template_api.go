// SPDX-License-Identifier: Apache-2.0

package project

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// API is a kind in a package of API types.
type API struct {
	// Dir is the absolute folder of the package, Package its name.
	Dir, Package string
	// Group is the API group in full.
	Group, Version, Kind string
	// Plural is the name of the resource; empty for the one that controller-gen derives.
	Plural string
	// Registration is what the variable SchemeBuilder of the package registers: "functions" for the type of package
	// runtime of k8s.io/apimachinery, "objects" for the type of controller-runtime. Without the variable it is empty.
	Registration string
	// GroupVersion is the name of the variable with the group and version.
	GroupVersion string
}

// registering completes the description with the way in which a package registers its types.
func (a API) registering(p *load.Package) API {
	for _, f := range p.FilesWith("GroupVersion") {
		for _, name := range []string{"SchemeGroupVersion", "GroupVersion"} {
			if slices.Contains(load.Declared(f.AST), name) {
				a.GroupVersion = name
			}
		}
	}
	for _, f := range p.FilesWith("SchemeBuilder") {
		switch {
		case !slices.Contains(load.Declared(f.AST), "SchemeBuilder"):
		case bytes.Contains(f.Src, []byte("scheme.Builder{")):
			a.Registration = "objects"
		case bytes.Contains(f.Src, []byte("runtime.NewSchemeBuilder(")) && a.GroupVersion != "":
			a.Registration = "functions"
		}
	}
	return a
}

// types is the file of the kind.
func (a API) types() (output.File, error) {
	f, err := a.file("types.go")
	f.Path = filepath.Join(a.Dir, strings.ToLower(a.Kind)+"_types.go")
	return f, err
}

// file is the file groupversion_info.go of a new package, or deepcopy.go with the methods that copy the kind.
func (a API) file(name string) (output.File, error) {
	return fromTemplate(filepath.Join(a.Dir, name), "api/"+name+".tmpl", a)
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
	return fromTemplate(filepath.Join(f.Dir, strings.ToLower(f.Kind)+".go"), "external/webhook.go.tmpl", f)
}

// Doc is the file with the comment of the package.
func (f foreign) Doc() (output.File, error) {
	return fromTemplate(filepath.Join(f.Dir, "doc.go"), "external/doc.go.tmpl", f)
}
