// SPDX-License-Identifier: Apache-2.0

// Package templates holds the texts that webhook-gen writes into its users' projects: the text templates of project
// files, and the source code of the runtime for projects that keep a copy of it.
package templates

import (
	"embed"

	"golang.org/x/tools/txtar"
)

// Project is the content of a new project and its parts: text templates with actions in [[ ]].
// A file or folder name with "dot_" in front gets a dot instead, and every file name ends with ".tmpl".
//
//go:embed project
var Project embed.FS

// RuntimePath is the import path of the runtime module.
const RuntimePath = "github.com/webhook-gen/webhook-gen/runtime"

// A module zip has no files of nested modules, so that the program cannot embed ../runtime itself.
//
//go:embed runtime.txtar
var runtime []byte

// Runtime returns the Go files of the runtime module without its tests, named by their paths in the module.
func Runtime() []txtar.File { return txtar.Parse(runtime).Files }
