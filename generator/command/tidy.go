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
	"regexp"
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
}

// in is the step as a command to paste in the folder root.
func (s goStep) in(root string) string {
	command := "go "
	if rel, err := filepath.Rel(root, s.dir); err == nil && rel != "." {
		command += "-C " + shellWord(filepath.ToSlash(rel)) + " "
	}
	words := make([]string, len(s.args))
	for i, a := range s.args {
		words[i] = shellWord(a)
	}
	return command + strings.Join(words, " ")
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9._/@:=~+,-]+$`)

// shellWord returns a text as one word of a shell.
func shellWord(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// isTidy reports whether go mod tidy would leave the result's project as it is.
func (g goCommand) isTidy(ctx context.Context, result engine.Result) bool {
	goMod := filepath.Join(result.Root, "go.mod")
	if slices.ContainsFunc(result.Changes, func(c output.Change) bool { return c.Path == goMod && c.Old == nil }) {
		return true
	}
	_, err := g(ctx, result.Root, "mod", "tidy", "-diff")
	return err == nil
}

// goSteps returns the steps of the go command after the changes are written. A project that was not tidy before stays
// so: go get adds only the requirements of the changed packages.
func goSteps(result engine.Result, tidy bool) []goStep {
	var nested []string // folders of new modules
	for _, c := range result.Changes {
		if dir := filepath.Dir(c.Path); filepath.Base(c.Path) == "go.mod" && dir != result.Root && c.Old == nil {
			nested = append(nested, dir)
		}
	}
	var packages []string
	touched := false // code or go.mod of the project itself
	for _, c := range result.Changes {
		dir := filepath.Dir(c.Path)
		below := slices.ContainsFunc(nested, func(n string) bool { return dir == n || strings.HasPrefix(dir, n+string(filepath.Separator)) })
		rel, err := filepath.Rel(result.Root, dir)
		switch {
		case below || err != nil:
		case c.Path == filepath.Join(result.Root, "go.mod"):
			touched = true
		case filepath.Ext(c.Path) == ".go":
			touched = true
			if pkg := strings.TrimSuffix("./"+filepath.ToSlash(rel), "/."); c.New != nil && !slices.Contains(packages, pkg) {
				packages = append(packages, pkg)
			}
		}
	}
	var steps []goStep
	switch {
	case touched && tidy:
		steps = append(steps, goStep{result.Root, []string{"mod", "tidy"}})
	case len(packages) > 0:
		steps = append(steps, goStep{result.Root, append([]string{"get", "-t"}, packages...)})
	}
	if _, err := os.Stat(filepath.Join(result.Root, "vendor", "modules.txt")); err == nil && len(steps) > 0 {
		steps = append(steps, goStep{result.Root, []string{"mod", "vendor"}})
	}
	for _, dir := range nested {
		steps = append(steps, goStep{dir, []string{"mod", "tidy"}})
	}
	return steps
}

// do runs the steps and prints each. If a step fails, the error lists its command and the commands after it.
func (g goCommand) do(ctx context.Context, s streams, root string, steps []goStep) error {
	for i, step := range steps {
		fmt.Fprintln(s.out, "running", step.in(root))
		if _, err := g(ctx, step.dir, step.args...); err != nil {
			return fmt.Errorf("all files are written, but not all requirements: %w\nwhen this is solved, run\n%s", err, indented(commands(root, steps[i:])))
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
