// SPDX-License-Identifier: Apache-2.0

package project

import (
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/templates"
)

// Module is a project that is a module of its own.
type Module struct {
	// Module is the module's path.
	Module string
	// Name is what the project is called.
	Name string
	// Domain ends the names of its API groups.
	Domain string
	// Certificates is the source of the server's certificate, as delivery.certificates of webhook-gen.yaml sets it.
	Certificates string
	// Topology says how API servers reach it, as delivery.topology does.
	Topology string
	// SelfManaged says that the program can keep its certificates itself.
	SelfManaged bool
	// Commands gives the program the commands scan and convert, which need client-go.
	Commands bool
}

// Files are the files that the project begins with, below the folder root.
func (m Module) Files(root string) ([]output.File, error) {
	const from = "project/module"
	var files []output.File
	err := fs.WalkDir(templates.Project, from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel := strings.TrimPrefix(name, from+"/")
		text, err := templates.Execute(path.Join("module", rel), m)
		if err != nil {
			return err
		}
		files = append(files, output.File{Path: filepath.Join(root, fileName(rel)), Content: text, Owner: output.Once})
		return nil
	})
	return files, err
}

// fileName is the path of the file that a template is for.
func fileName(template string) string {
	elements := strings.Split(strings.TrimSuffix(template, ".tmpl"), "/")
	for i, e := range elements {
		if rest, ok := strings.CutPrefix(e, "dot_"); ok {
			elements[i] = "." + rest
		}
	}
	return filepath.Join(elements...)
}
