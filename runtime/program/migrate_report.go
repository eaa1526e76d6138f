// SPDX-License-Identifier: Apache-2.0

package program

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// migratedDefinition is a CustomResourceDefinition whose objects were migrated. It is an element of definitions in the
// output of migrate --output json.
type migratedDefinition struct {
	// Name is the definition's name.
	Name string `json:"name"`
	// Kind is the kind of its objects.
	Kind string `json:"kind"`
	// StorageVersion is the version in which the API server stores objects.
	StorageVersion string `json:"storageVersion"`
	// StoredVersions are the versions in which objects may be stored, after the migration.
	StoredVersions []string `json:"storedVersions"`
	// Objects is the number of objects that were read. It is 0 if all were already stored in the storage version.
	Objects int64 `json:"objects"`
	// Failures are the objects that were not migrated.
	Failures []failure `json:"failures"`
}

// failure is an object that could not be read or written.
type failure struct {
	// Namespace is the object's namespace, if it has one.
	Namespace string `json:"namespace,omitempty"`
	// Name is the object's name. It is empty for an object that could not be read.
	Name string `json:"name,omitempty"`
	// Unread means that the object could not be read in any served version. The objects behind it were not read.
	Unread bool `json:"unread,omitempty"`
	// After is the object before an unread one in the order of namespaces and names; empty if it is the first one.
	After string `json:"after,omitempty"`
	// Code is the HTTP code of the API server's answer.
	Code int32 `json:"code,omitempty"`
	// Message is the reason.
	Message string `json:"message"`
}

// object returns the object's name for people.
func (f failure) object() string {
	switch {
	case f.Unread && f.After == "":
		return "the first object"
	case f.Unread:
		return "the object after " + f.After
	}
	return strings.TrimPrefix(f.Namespace+"/"+f.Name, "/")
}

func (d migratedDefinition) failed() bool { return len(d.Failures) > 0 }

// migrationTable writes definitions for people.
func migrationTable(out io.Writer, all []migratedDefinition) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "DEFINITION\tSTORAGE\tSTORED\tOBJECTS\tFAILURES")
	for _, d := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\n", cell(d.Name), cell(d.StorageVersion), cell(strings.Join(d.StoredVersions, ",")), d.Objects, len(d.Failures))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, d := range all {
		for _, f := range d.Failures {
			verb := "not written"
			if f.Unread {
				verb = "not read"
			}
			if _, err := fmt.Fprintf(out, "%s: %s %s: %s\n", verb, cell(d.Kind), cell(f.object()), cell(f.Message)); err != nil {
				return err
			}
		}
	}
	return nil
}
