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
		f, err := fromTemplate(filepath.Join(root, fileName(rel)), path.Join("module", rel), m)
		files = append(files, f)
		return err
	})
	return files, err
}

// fromTemplate returns a file that a command creates once, with the filled-in template as its content.
func fromTemplate(file, template string, data any) (output.File, error) {
	text, err := templates.Execute(template, data)
	return output.File{Path: file, Content: text, Owner: output.Once}, err
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
