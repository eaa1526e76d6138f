package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	for _, folder := range []string{filepath.Join(dir, "tools"), dir} {
		tool := exec.CommandContext(ctx, "go", "tool", "-n", companionName)
		tool.Dir = folder
		if out, err := tool.Output(); err == nil {
			return strings.TrimSpace(string(out)), true
		}
	}
	return "", false
}

// noCompanion says how to get the companion: as a tool of the module in dir/tools, or beside this program.
func noCompanion(own generator.Origin, dir string) error {
	install := fmt.Sprintf("go install %s@%s", companionPackage, cmp.Or(own.Version, "latest"))
	if own.Dir != "" {
		install = fmt.Sprintf("go -C %s install ./cmd/%s", filepath.Join(own.Dir, "explain"), companionName)
	} else if _, err := os.Stat(filepath.Join(dir, "tools", "go.mod")); err == nil {
		install = fmt.Sprintf("go -C tools get -tool %s@%s", companionPackage, cmp.Or(own.Version, "latest"))
	}
	return fmt.Errorf("this needs %s, which holds the API server's own code. To install it:\n  %s", companionName, install)
}

// runCompanion runs the companion in a folder and hands it what it is to know of the project, if there is one. What it says of
// trouble is the error.
func runCompanion(ctx context.Context, s streams, dir string, arguments []string, project *generator.Description) error {
	path, found := findCompanion(ctx, dir)
	if !found {
		return noCompanion(s.origin, dir)
	}
	var in, trouble bytes.Buffer
	if project != nil {
		arguments = append(arguments, "--project")
		if err := json.NewEncoder(&in).Encode(project); err != nil {
			return err
		}
	}
	companion := exec.CommandContext(ctx, path, arguments...)
	companion.Dir, companion.Stdin, companion.Stdout, companion.Stderr = dir, &in, s.out, &trouble
	err := companion.Run()
	if _, failed := errors.AsType[*exec.ExitError](err); failed && trouble.Len() > 0 {
		return errors.New(strings.TrimPrefix(strings.TrimSpace(trouble.String()), companionName+": "))
	}
	return err
}
