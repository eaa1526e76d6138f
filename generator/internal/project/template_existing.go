// SPDX-License-Identifier: Apache-2.0

package project

import (
	"path/filepath"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/output"
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
	settings, err := fromTemplate(filepath.Join(root, "webhook-gen.yaml"), "existing/webhook-gen.yaml.tmpl", e)
	files := []output.File{settings}
	if err != nil || e.HasProgram {
		return files, err
	}
	program, err := Module{Module: e.Module}.Files(root)
	for _, f := range program {
		if strings.HasPrefix(f.Path, filepath.Join(root, "cmd", "webhook")) {
			files = append(files, f)
		}
	}
	return files, err
}
