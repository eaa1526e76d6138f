// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"bytes"
	"path/filepath"
	"slices"

	"golang.org/x/mod/modfile"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/templates"
)

// RuntimeModule is the path of the module that generated code imports.
const RuntimeModule = templates.RuntimePath

// The paths of the modules below the runtime's, which use its types.
const (
	// AdaptersModule contains adapters for validators and defaulters of controller-runtime.
	AdaptersModule = RuntimeModule + "/controllerruntime"
	// CommandsModule contains the commands scan and convert for programs.
	CommandsModule = RuntimeModule + "/program"
	// IntegrationModule contains the test on a real API server, which the module of that test imports.
	IntegrationModule = templates.IntegrationPath
)

// RuntimeModules returns the paths of the runtime's module and of those below it. They have the same versions.
func RuntimeModules() []string { return []string{AdaptersModule, CommandsModule, RuntimeModule} }

// RequiredVersion returns the version of a module that go.mod in the absolute folder dir requires, or "". replaced is
// true if a replace directive applies to the module. A missing or invalid go.mod requires nothing, and load reports
// it.
func RequiredVersion(dir, modulePath string) (version string, replaced bool) {
	file := load.GoMod(dir)
	for _, r := range file.Require {
		if r.Mod.Path == modulePath {
			version = r.Mod.Version
		}
	}
	return version, Replaces(file, modulePath)
}

// Replaces reports whether a go.mod replaces a module.
func Replaces(file *modfile.File, modulePath string) bool {
	return slices.ContainsFunc(file.Replace, func(r *modfile.Replace) bool { return r.Old.Path == modulePath })
}

// LacksRuntime reports whether files import the runtime module and go.mod does not require it.
func (r Run) LacksRuntime(s State, files []output.File) bool {
	return ImportsRuntime(files) && s.Module.Dir == r.Root && !s.Module.Requires(RuntimeModule) && !s.Module.InWorkspace(RuntimeModule)
}

// ImportsRuntime reports whether any of the files imports the runtime module.
func ImportsRuntime(files []output.File) bool { return inGo(files, `"`+RuntimeModule+`/`) }

// inGo reports whether any Go file contains a text.
func inGo(files []output.File, text string) bool {
	return slices.ContainsFunc(files, func(f output.File) bool {
		return filepath.Ext(f.Path) == ".go" && bytes.Contains(f.Content, []byte(text))
	})
}
