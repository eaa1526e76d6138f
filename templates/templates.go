// SPDX-License-Identifier: Apache-2.0

// Package templates holds the texts that webhook-gen writes into its users' projects: the text templates of project
// files, and the source code of the runtime for projects that keep a copy of it.
package templates

import (
	"embed"

	"golang.org/x/tools/txtar"
)

// Project is what a new project and its parts begin with: text templates whose actions stand in [[ ]].
// "dot_" begins the name of a file or folder that begins with a dot, and ".tmpl" ends that of every file.
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
