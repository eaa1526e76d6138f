// SPDX-License-Identifier: Apache-2.0

// Package controlplane provides kube-apiserver and etcd for tests, as the folder that controller-runtime's envtest
// reads from KUBEBUILDER_ASSETS. Where setup-envtest cannot download them, they are built from the Go module proxy:
// this needs nothing but Go. `webhook-gen assets` prints the folder.
package controlplane

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// DefaultVersion is the version of Kubernetes for Options without a Version.
const DefaultVersion = "1.37"

// setupEnvtest is the program that downloads what kubebuilder's maintainers have built.
const setupEnvtest = "sigs.k8s.io/controller-runtime/tools/setup-envtest@v0.25.1"

// Options choose an API server, and its source. The zero value is an API server of DefaultVersion.
type Options struct {
	// Version is a version of Kubernetes: a patch such as 1.37.2, or a minor version such as 1.37 for its newest patch.
	// Empty is DefaultVersion.
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

// Assets returns the absolute path of a folder with kube-apiserver and etcd for this machine. It takes the first of:
//
//  1. the folder that the environment variable KUBEBUILDER_ASSETS names, of whatever version;
//  2. an API server that Assets built before;
//  3. what setup-envtest has downloaded, or downloads;
//  4. an API server that it builds with the go command from k8s.io/kubernetes and the etcd that this requires. This
//     takes some minutes, and 2 GiB of Go's build cache.
//
// A folder in KUBEBUILDER_ASSETS without either program is an error. Several calls at once are safe.
func Assets(ctx context.Context, o Options) (string, error) {
	if dir := os.Getenv("KUBEBUILDER_ASSETS"); dir != "" {
		for _, name := range []string{apiServer, etcd} {
			if _, err := os.Stat(filepath.Join(dir, executable(name))); err != nil {
				return "", fmt.Errorf("KUBEBUILDER_ASSETS names a folder without %s: %w", name, err)
			}
		}
		return filepath.Abs(dir)
	}
	o.Version = strings.TrimPrefix(cmp.Or(o.Version, DefaultVersion), "v")
	if !versions.MatchString(o.Version) {
		return "", fmt.Errorf("%q is no version of Kubernetes: write it as %s or %s.1", o.Version, DefaultVersion, DefaultVersion)
	}
	o.Progress = cmp.Or(o.Progress, io.Discard)
	if o.Cache == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		o.Cache = filepath.Join(cache, "webhook-gen", "controlplane")
	}
	if dir, ok := built(o); ok {
		return dir, nil
	}
	var refused error
	if !o.Build {
		dir, err := download(ctx, o)
		if err == nil {
			return dir, nil
		}
		refused = fmt.Errorf("setup-envtest: %w", err)
		fmt.Fprintf(o.Progress, "setup-envtest provides no API server %s (%v)\n", o.Version, lastLine(err))
	}
	dir, err := build(ctx, o)
	if err != nil {
		return "", errors.Join(refused, fmt.Errorf("build: %w", err))
	}
	return dir, nil
}

// versions are the forms of Options.Version, without the v.
var versions = regexp.MustCompile(`^1\.[0-9]+(\.[0-9]+)?$`)

// The programs.
const (
	apiServer = "kube-apiserver"
	etcd      = "etcd"
)

func executable(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// folder is where the API server of a version is kept, a patch such as 1.37.2.
func (o Options) folder(version string) string {
	name := version + "-" + runtime.GOOS + "-" + runtime.GOARCH
	if len(o.Require) > 0 {
		name += fmt.Sprintf("-%x", sha256.Sum256([]byte(strings.Join(o.Require, " "))))[:13]
	}
	return filepath.Join(o.Cache, name)
}

// built returns the folder of an API server that was built before, for a minor version the newest.
func built(o Options) (string, bool) {
	pattern := o.Version
	if strings.Count(pattern, ".") == 1 {
		pattern += ".*"
	}
	found, _ := fs.Glob(os.DirFS(o.Cache), filepath.Base(o.folder(pattern))) //nolint:forbidigo // it reads folders; the pattern is a good one
	newest, patch := "", -1
	for _, dir := range found {
		var n int
		if _, err := fmt.Sscanf(dir, "1.%d.%d-", new(int), &n); err == nil && n > patch {
			newest, patch = filepath.Join(o.Cache, dir), n
		}
	}
	return newest, patch >= 0
}

// download has setup-envtest find or download the API server.
func download(ctx context.Context, o Options) (string, error) {
	version := o.Version
	if strings.Count(version, ".") == 1 {
		version += ".x"
	}
	args := []string{"run", setupEnvtest, "use", "-p", "path", version}
	if o.Index != "" {
		args = append(args, "--index", o.Index)
	}
	return goCommand(ctx, os.TempDir(), nil, args...)
}

// lastLine is the last line of an error of go run, which tells the most, without what go run adds.
func lastLine(err error) string {
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	if n := len(lines) - 1; n > 0 && strings.HasPrefix(lines[n], "exit status ") {
		lines = lines[:n]
	}
	return lines[len(lines)-1]
}
