// SPDX-License-Identifier: Apache-2.0

package project

import (
	"path/filepath"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/templates"
)

// Existing is a project that has been there before.
type Existing struct {
	// Module is the module's path.
	Module string
	// Domain ends the names of its API groups; it may be empty.
	Domain string
	// Program is the folder of the program that serves the webhooks, relative to the root, slash-separated.
	Program string
	// HasProgram says that there is one already.
	HasProgram bool
	// Kubebuilder says that controller-gen goes on writing manifests of its own.
	Kubebuilder bool
}

// Files are what the project gains, below the folder root.
func (e Existing) Files(root string) ([]output.File, error) {
	text, err := templates.Execute("existing/webhook-gen.yaml.tmpl", e)
	if err != nil {
		return nil, err
	}
	files := []output.File{{Path: filepath.Join(root, "webhook-gen.yaml"), Content: text, Owner: output.Once}}
	if e.HasProgram {
		return files, nil
	}
	program, err := Module{Module: e.Module}.Files(root)
	for _, f := range program {
		if strings.HasPrefix(f.Path, filepath.Join(root, "cmd", "webhook")) {
			files = append(files, f)
		}
	}
	return files, err
}

// Tools is the go.mod of a module that pins the program. dir is the folder in root, slash-separated, and module its
// path.
func Tools(root, dir, module string) (output.File, error) {
	text, err := templates.Execute("existing/tools.go.mod.tmpl", map[string]string{"Module": module})
	return output.File{Path: filepath.Join(root, filepath.FromSlash(dir), "go.mod"), Content: text, Owner: output.Once}, err
}
