// SPDX-License-Identifier: Apache-2.0

package project

import (
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/config"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/templates"
)

// firstFiles is the data of the templates of a project's first files.
type firstFiles struct {
	Options
	// Alone is true for a new module. Its program can manage its certificates and has the commands scan and convert,
	// which need client-go.
	Alone bool
	// Kubebuilder is true if controller-gen continues to write its own manifests.
	Kubebuilder bool
}

// filesForModule returns the files for an existing module: the settings and, with withProgram, a program. root is the
// module's absolute folder.
func (m firstFiles) filesForModule(root string, withProgram bool) ([]output.File, error) {
	settings, err := fromTemplate(filepath.Join(root, config.FileName), "existing/webhook-gen.yaml.tmpl", m)
	files := []output.File{settings}
	if err != nil || !withProgram {
		return files, err
	}
	program, err := m.below("cmd/webhook", root)
	return append(files, program...), err
}

// below returns the files of a separate module in a folder below root, the absolute folder of the main module.
func (m firstFiles) below(folder, root string) ([]output.File, error) {
	const from = "project/module"
	var files []output.File
	err := fs.WalkDir(templates.Project, path.Join(from, folder), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		file := strings.ReplaceAll(strings.TrimPrefix(strings.TrimSuffix(name, ".tmpl"), from), "/dot_", "/.")
		f, err := fromTemplate(filepath.Join(root, filepath.FromSlash(file)), strings.TrimPrefix(name, "project/"), m)
		files = append(files, f)
		return err
	})
	return files, err
}

// fromTemplate returns a file that is created once, with the executed template as its content.
func fromTemplate(file, template string, data any) (output.File, error) {
	text, err := templates.Execute(template, data)
	return output.File{Path: file, Content: text, Owner: output.Once}, err
}
