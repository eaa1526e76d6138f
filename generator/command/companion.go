// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/mod/module"

	"github.com/webhook-gen/webhook-gen/generator/internal/project"
	"github.com/webhook-gen/webhook-gen/internal/program"
)

// companionName is a command of its own for work that needs the API server's code. That code would make this command
// many times as large.
const (
	companionName    = "webhook-gen-explain"
	companionPackage = "github.com/webhook-gen/webhook-gen/explain/cmd/" + companionName
)

// companion is the program that answers for this one. Its path is empty until find or a flag sets it.
type companion struct {
	path string
	own  project.Origin // of this program
}

func (p *companion) add(c *cobra.Command) {
	c.Flags().StringVar(&p.path, "companion", "", "path of webhook-gen-explain (default the one beside webhook-gen, or in PATH outside the project)")
}

// find finds the companion beside this program, or in PATH. It does not look into the project around dir: neither at
// files, nor at tools in go.mod, which the go command would build from the project's own code.
func (p companion) find(dir string) (path string, err error) {
	name := companionName
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		if self, err = filepath.EvalSymlinks(self); err == nil {
			beside := filepath.Join(filepath.Dir(self), name)
			if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
				return beside, nil
			}
		}
	}
	if path, err = program.Find(name, dir); err != nil {
		return "", fmt.Errorf("this needs the API server's own code, and %w. %s", err, p.install())
	}
	return path, nil
}

// install returns the commands that install the companion of the same release, or of the same work tree.
func (p companion) install() string {
	if p.own.Dir != "" {
		return "To install it:\n  go -C " + filepath.Join(p.own.Dir, "explain") + " install ./cmd/" + companionName
	}
	return "To install it:\n  go install " + companionPackage + "@" + cmp.Or(p.release(), "latest")
}

// release is the released version of this program; empty for a build that others cannot download.
func (p companion) release() string {
	if p.own.Err != nil || p.own.Dir != "" || p.own.Fork.Path != "" || module.IsPseudoVersion(p.own.Version) {
		return ""
	}
	return p.own.Version
}

// exitOtherRelease is the companion's exit code where it is of another release than --for names.
const exitOtherRelease = 3

// run runs a command of the companion in a folder, with an input as JSON on its standard input. Its standard error is
// the error.
func (p companion) run(ctx context.Context, out io.Writer, dir, command string, input any) (err error) {
	if p.path == "" {
		if p.path, err = p.find(dir); err != nil {
			return err
		}
	} else if p.path, err = filepath.Abs(p.path); err != nil { // the companion runs elsewhere
		return err
	}
	var in, trouble bytes.Buffer
	if err := json.NewEncoder(&in).Encode(input); err != nil {
		return err
	}
	c := exec.CommandContext(ctx, p.path, "--for="+p.release(), command)
	c.Dir, c.Stdin, c.Stdout, c.Stderr = dir, &in, out, &trouble
	err = c.Run()
	exit, failed := errors.AsType[*exec.ExitError](err)
	message := strings.TrimPrefix(strings.TrimSpace(trouble.String()), companionName+": ")
	switch {
	case failed && exit.ExitCode() == exitOtherRelease:
		return fmt.Errorf("%s: %s. %s", p.path, message, p.install())
	case failed && message != "":
		return errors.New(message)
	}
	return err
}
