package main

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

	"github.com/webhook-gen/webhook-gen/generator"
)

// The companion is a command of its own for what needs the API server's code, which would make this one many times as large.
const (
	companionName    = "webhook-gen-explain"
	companionPackage = "github.com/webhook-gen/webhook-gen/explain/cmd/" + companionName
)

// findCompanion finds the companion: beside this program, in PATH, or among the tools of the module that dir lies in.
func findCompanion(ctx context.Context, dir string) (path string, found bool) {
	name := companionName
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), name)
		if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
			return beside, true
		}
	}
	if path, err := exec.LookPath(name); err == nil {
		return path, true
	}
	tool := exec.CommandContext(ctx, "go", "tool", "-n", companionName)
	tool.Dir = dir
	out, err := tool.Output()
	return strings.TrimSpace(string(out)), err == nil
}

// noCompanion says how to get the companion.
func noCompanion() error {
	return fmt.Errorf("this needs %s, which holds the API server's own code. To have it in this module:\n  go get -tool %s@%s",
		companionName, companionPackage, cmp.Or(releasedVersion(), "latest"))
}

// runCompanion runs the companion in a folder and hands it what it is to know of the project, if there is one. What it says of
// trouble is the error.
func runCompanion(ctx context.Context, out io.Writer, dir string, arguments []string, project *generator.Description) error {
	path, found := findCompanion(ctx, dir)
	if !found {
		return noCompanion()
	}
	var in, trouble bytes.Buffer
	if project != nil {
		arguments = append(arguments, "--project")
		if err := json.NewEncoder(&in).Encode(project); err != nil {
			return err
		}
	}
	companion := exec.CommandContext(ctx, path, arguments...)
	companion.Dir, companion.Stdin, companion.Stdout, companion.Stderr = dir, &in, out, &trouble
	err := companion.Run()
	if _, failed := errors.AsType[*exec.ExitError](err); failed && trouble.Len() > 0 {
		return errors.New(strings.TrimPrefix(strings.TrimSpace(trouble.String()), companionName+": "))
	}
	return err
}
