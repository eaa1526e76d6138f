// SPDX-License-Identifier: Apache-2.0

// Package controlplane provides kube-apiserver and etcd for tests, as the folder that controller-runtime's envtest
// reads from KUBEBUILDER_ASSETS:
//
//	assets, err := controlplane.Assets(ctx, controlplane.Options{Progress: os.Stderr})
//	if err != nil { ... }
//	environment := &envtest.Environment{BinaryAssetsDirectory: assets}
//
// The package runs `webhook-gen assets` and requires no other module.
package controlplane

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// Options are the flags of `webhook-gen assets`. The zero value is the API server that the command chooses.
type Options struct {
	// Version is a version of Kubernetes: a patch such as 1.37.2, or a minor version such as 1.37 for its newest patch.
	Version string
	// Index is the URL of an index of archives for setup-envtest. Empty is setup-envtest's own.
	Index string
	// Cache is the folder below which a built API server is kept. Empty is webhook-gen/controlplane in the user's cache.
	Cache string
	// Build builds the API server without asking setup-envtest.
	Build bool
	// Require raises modules above what Kubernetes requires, each as golang.org/x/net@v0.61.0. It concerns a build only.
	Require []string
	// Progress receives a line for each slow step. Nil discards them.
	Progress io.Writer
}

// Assets returns the absolute path of a folder with kube-apiserver and etcd for this machine: the folder that the
// environment variable KUBEBUILDER_ASSETS names, or the one that `webhook-gen assets` prints. It runs the program that
// the environment variable WEBHOOK_GEN names, or bin/webhook-gen of the nearest module around the working directory
// that has it, or a tool of the nearest go.mod.
func Assets(ctx context.Context, o Options) (string, error) {
	if dir := os.Getenv("KUBEBUILDER_ASSETS"); dir != "" {
		for _, name := range []string{"kube-apiserver", "etcd"} {
			if _, err := exec.LookPath(filepath.Join(dir, name)); err != nil {
				return "", fmt.Errorf("KUBEBUILDER_ASSETS names a folder without %s: %w", name, err)
			}
		}
		return filepath.Abs(dir)
	}
	program, err := findProgram()
	if err != nil {
		return "", err
	}
	arguments := append(program[1:], "assets")
	for _, flag := range []struct{ name, value string }{
		{"kubernetes", o.Version}, {"index", o.Index}, {"cache", o.Cache}, {"require", strings.Join(o.Require, ",")},
	} {
		if flag.value != "" {
			arguments = append(arguments, "--"+flag.name+"="+flag.value)
		}
	}
	if o.Build {
		arguments = append(arguments, "--build")
	}
	var out, trouble bytes.Buffer
	c := exec.CommandContext(ctx, program[0], arguments...)
	c.Stdout, c.Stderr = &out, &trouble
	if o.Progress != nil {
		c.Stderr = io.MultiWriter(&trouble, o.Progress)
	}
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("%s assets: %w\n%s", strings.Join(program, " "), err, trouble.String())
	}
	return strings.TrimSpace(out.String()), nil
}

const programPackage = "github.com/webhook-gen/webhook-gen/cmd/webhook-gen"

// isTool finds the program among the tools of a go.mod.
var isTool = regexp.MustCompile(`(?m)^(tool |\t)` + regexp.QuoteMeta(programPackage) + `\s*$`)

// findProgram returns the command that runs webhook-gen.
func findProgram() ([]string, error) {
	if path := os.Getenv("WEBHOOK_GEN"); path != "" {
		return []string{path}, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	nearest := ""
	for at := dir; ; at = filepath.Dir(at) {
		if text, err := os.ReadFile(filepath.Join(at, "go.mod")); err == nil {
			if path, err := exec.LookPath(filepath.Join(at, "bin", "webhook-gen")); err == nil {
				return []string{path}, nil
			}
			if nearest == "" {
				nearest = at
				if isTool.Match(text) {
					return []string{"go", "tool", "webhook-gen"}, nil
				}
			}
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	if nearest == "" {
		nearest = dir
	}
	return nil, errors.New("controlplane: there is no webhook-gen for the tests. Build it:\n  GOBIN=" + filepath.Join(nearest, "bin") + " go install " + programPackage + "@latest")
}
