// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/internal/program"
)

// goCommand runs the go command in a folder and returns its standard output. The error contains its standard error.
type goCommand func(ctx context.Context, dir string, args ...string) (string, error)

// runGo is the go command in PATH.
func runGo(ctx context.Context, dir string, args ...string) (string, error) {
	if err := program.CheckModule(dir); err != nil {
		return "", err
	}
	var stdout, stderr bytes.Buffer
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir, c.Stdout, c.Stderr = dir, &stdout, &stderr
	err := c.Run()
	if _, failed := errors.AsType[*exec.ExitError](err); failed && stderr.Len() > 0 {
		err = errors.New(strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), err
}

// goStep is one run of the go command that makes go.mod fit the code.
type goStep struct {
	dir  string // absolute
	args []string
	// enough are the arguments that add the requirements of the changed packages alone, or nil. go mod tidy also needs
	// the modules of tests of other modules.
	enough []string
}

// in is the step as a command to paste in the folder root.
func (s goStep) in(root string) string {
	command := "go "
	if rel, err := filepath.Rel(root, s.dir); err == nil && rel != "." {
		command += "-C " + program.Word(filepath.ToSlash(rel)) + " "
	}
	words := make([]string, len(s.args))
	for i, a := range s.args {
		words[i] = program.Word(a)
	}
	return command + strings.Join(words, " ")
}

// isTidy reports whether go mod tidy would leave a module as it is.
func (g goCommand) isTidy(ctx context.Context, dir string) bool {
	_, err := g(ctx, dir, "mod", "tidy", "-diff")
	return err == nil
}

// goSteps returns the steps of the go command for the changes. isTidy reports whether a module is tidy before they are
// written. A module that is not tidy stays so: go get adds only the requirements of the changed packages. A module
// below the project's, such as the one of integration tests, has a step if it is new or if its code changes.
func goSteps(result engine.Result, isTidy func(dir string) bool) []goStep {
	var packages, nested []string
	touched := false // code or go.mod of the project itself
	for _, c := range result.Changes {
		dir := filepath.Dir(c.Path)
		rel, err := filepath.Rel(result.Root, dir)
		if err != nil || filepath.Ext(c.Path) != ".go" && filepath.Base(c.Path) != "go.mod" {
			continue
		}
		pkg := strings.TrimSuffix("./"+filepath.ToSlash(rel), "/.")
		switch module := moduleOf(result, dir); {
		case module != result.Root:
			if !slices.Contains(nested, module) {
				nested = append(nested, module)
			}
		case filepath.Ext(c.Path) != ".go":
			touched = true
		default:
			touched = true
			if c.New != nil && !slices.Contains(packages, pkg) {
				packages = append(packages, pkg)
			}
		}
	}
	var steps []goStep
	get := append([]string{"get", "-t"}, packages...)
	switch {
	case touched && (isNew(result, result.Root) || isTidy(result.Root)):
		tidy := goStep{dir: result.Root, args: []string{"mod", "tidy"}}
		if len(packages) > 0 {
			tidy.enough = get
		}
		steps = append(steps, tidy)
	case len(packages) > 0:
		steps = append(steps, goStep{dir: result.Root, args: get})
	}
	if _, err := os.Stat(filepath.Join(result.Root, "vendor", "modules.txt")); err == nil && len(steps) > 0 {
		steps = append(steps, goStep{dir: result.Root, args: []string{"mod", "vendor"}})
	}
	for _, dir := range nested {
		if isNew(result, dir) || isTidy(dir) {
			steps = append(steps, goStep{dir: dir, args: []string{"mod", "tidy"}})
		}
	}
	return steps
}

// isNew reports whether the changes create the go.mod of a folder.
func isNew(result engine.Result, dir string) bool {
	return slices.ContainsFunc(result.Changes, func(c output.Change) bool { return c.Path == filepath.Join(dir, "go.mod") && c.Old == nil })
}

// moduleOf returns the folder of the module around a folder of the project, after the changes.
func moduleOf(result engine.Result, dir string) string {
	for ; dir != result.Root && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		goMod := filepath.Join(dir, "go.mod")
		if i := slices.IndexFunc(result.Changes, func(c output.Change) bool { return c.Path == goMod }); i >= 0 {
			if result.Changes[i].New != nil {
				return dir
			}
		} else if _, err := os.Stat(goMod); err == nil {
			return dir
		}
	}
	return result.Root
}

// do runs the steps and prints each. If a step fails, the error lists its command and the commands after it.
func (g goCommand) do(ctx context.Context, s streams, root string, steps []goStep) error {
	for i, step := range steps {
		fmt.Fprintln(s.out, "running", step.in(root))
		if _, err := g(ctx, step.dir, step.args...); err != nil {
			text := ""
			if step.enough != nil {
				enough := append([]goStep{{dir: step.dir, args: step.enough}}, steps[i+1:]...)
				text = fmt.Sprintf("\nif a module stays out of reach, this is enough for the new code:\n%s", indented(commands(root, enough)))
			}
			return fmt.Errorf("all files are written, but not all requirements: %w\nwhen this is solved, run\n%s%s", err, indented(commands(root, steps[i:])), text)
		}
	}
	return nil
}

// commands are the steps as commands to paste in the folder root.
func commands(root string, steps []goStep) []string {
	var lines []string
	for _, step := range steps {
		lines = append(lines, step.in(root))
	}
	return lines
}

func indented(lines []string) string { return "  " + strings.Join(lines, "\n  ") }
