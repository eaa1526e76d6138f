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
	// Dir is the absolute folder of the package, and Package is its name.
	Dir, Package string
	// Group is the full API group.
	Group, Version, Kind string
	// Plural is the name of the resource, or "" for controller-gen's.
	Plural string
	// Registration is the type of the package's variable SchemeBuilder: "functions" for the one of package runtime in
	// k8s.io/apimachinery, "objects" for controller-runtime's, or "" without the variable.
	Registration string
	// GroupVersion is the name of the variable with the group and version.
	GroupVersion string
}

// registering sets the fields that describe how a package registers its types.
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

// types returns the file of the kind.
func (a API) types() (output.File, error) {
	f, err := a.file("types.go")
	f.Path = filepath.Join(a.Dir, strings.ToLower(a.Kind)+"_types.go")
	return f, err
}

// file returns groupversion_info.go of a new package, or deepcopy.go with the kind's copy methods.
func (a API) file(name string) (output.File, error) {
	return fromTemplate(filepath.Join(a.Dir, name), "api/"+name+".tmpl", a)
}

// foreign is the validator or defaulter of another project's kind.
type foreign struct {
	// Dir is the absolute folder of the package.
	Dir  string
	Kind string
	// Markers are the markers of its type.
	Markers []string
}

// Type returns the name of the type with the markers.
func (f foreign) Type() string { return f.Kind + "Webhook" }

// File returns the file of the type.
func (f foreign) File() (output.File, error) {
	return fromTemplate(filepath.Join(f.Dir, strings.ToLower(f.Kind)+".go"), "external/webhook.go.tmpl", f)
}

// Doc returns the file with the package comment.
func (f foreign) Doc() (output.File, error) {
	return fromTemplate(filepath.Join(f.Dir, "doc.go"), "external/doc.go.tmpl", f)
}
