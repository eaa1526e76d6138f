// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

// ProgramVariable is the environment variable with the path of webhook-gen, for [Policies].
const ProgramVariable = "WEBHOOK_GEN"

// isTool finds the program among the tools of a go.mod.
var isTool = regexp.MustCompile(`(?m)^(tool |\t)` + regexp.QuoteMeta(programPackage) + `\s*$`)

const (
	programModule  = "github.com/webhook-gen/webhook-gen"
	programPackage = programModule + "/cmd/webhook-gen"
)

// policyProgram returns the command that runs webhook-gen for a module: the program that the environment names, the one
// in bin/ of the module, a tool of its go.mod, or the one in PATH if it has the version of the runtime.
func policyProgram(module string) ([]string, error) {
	if path := os.Getenv(ProgramVariable); path != "" {
		path, err := exec.LookPath(path)
		if err != nil {
			return nil, fmt.Errorf("admissiontest: %s: %w", ProgramVariable, err)
		}
		return []string{path}, nil
	}
	if path, err := exec.LookPath(filepath.Join(module, "bin", "webhook-gen")); err == nil {
		return []string{path}, nil
	}
	if text, err := os.ReadFile(filepath.Join(module, "go.mod")); err == nil && isTool.Match(text) {
		return []string{"go", "tool", "webhook-gen"}, nil
	}
	runtime := runtimeOf(module)
	if path, err := exec.LookPath("webhook-gen"); err == nil {
		info, err := buildinfo.ReadFile(path)
		if err == nil && info.Main.Path == programModule && runtime.Replace == nil && runtime.Version != "" && info.Main.Version == runtime.Version {
			return []string{path}, nil
		}
	}
	return nil, errors.New("admissiontest: webhook-gen evaluates policies, and the module has none. Build it:\n  " + builds(module, runtime))
}

// builds is the command that builds webhook-gen into bin/ of a module, from the source of the runtime.
func builds(module string, runtime runtimeModule) string {
	bin := filepath.Join(module, "bin")
	if tree := filepath.Dir(runtime.Dir); runtime.Replace != nil && runtime.Replace.Version == "" {
		if _, err := os.Stat(filepath.Join(tree, "cmd", "webhook-gen")); err == nil {
			return fmt.Sprintf("go -C %s build -o %s ./cmd/webhook-gen", tree, bin+string(filepath.Separator))
		}
	}
	return fmt.Sprintf("GOBIN=%s go install %s@%s", bin, programPackage, cmp.Or(runtime.Version, "latest"))
}

// runtimeModule has members of what `go list -m -json` prints of the runtime.
type runtimeModule struct {
	Version, Dir string
	Replace      *struct{ Version string }
}

// runtimeOf returns the module of this package in the build list of another one, or the zero value. The build
// information of a test has no dependencies.
func runtimeOf(module string) runtimeModule {
	list := exec.Command("go", "list", "-m", "-json", programModule+"/runtime")
	list.Dir = module
	var found runtimeModule
	if out, err := list.Output(); err != nil || json.Unmarshal(out, &found) != nil {
		return runtimeModule{}
	}
	return found
}
