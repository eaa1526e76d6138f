// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/webhook-gen/webhook-gen/internal/regular"
)

const (
	kubernetesModule = "k8s.io/kubernetes"
	etcdModule       = "go.etcd.io/etcd/server/v3"
)

// build builds the API server in a module of its own, since nobody can require k8s.io/kubernetes as it is: its go.mod
// replaces a part of itself by folders. The same code is published as modules with version v0.MINOR.PATCH.
func build(ctx context.Context, o Options) (string, error) {
	text, err := goCommand(ctx, os.TempDir(), nil, "mod", "download", "-json", kubernetesModule+"@v"+o.Version)
	if err != nil {
		return "", err
	}
	var module struct{ Version, GoMod, Dir string }
	if err := json.Unmarshal([]byte(text), &module); err != nil {
		return "", fmt.Errorf("go mod download: %w", err)
	}
	version := strings.TrimPrefix(module.Version, "v")
	dir := o.folder(version)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(o.Cache, 0o755); err != nil {
		return "", err
	}
	// Programs appear in the folder's place only when both are complete.
	work, err := os.MkdirTemp(o.Cache, "build-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	if err := writeModule(filepath.Join(work, "module"), module.GoMod, module.Dir, version, o.Require); err != nil {
		return "", err
	}
	// Without its version an API server says v0.0.0-master+$Format:%H$, at which clients trip.
	const stamp = "-X k8s.io/component-base/version."
	minor := strings.Split(version, ".")[1]
	flags := "-s -w " + stamp + "gitVersion=v" + version + " " + stamp + "gitMajor=1 " + stamp + "gitMinor=" + minor + " " + stamp + "gitTreeState=archive"
	for _, program := range []struct{ name, pkg, flags string }{
		{etcd, etcdModule, "-s -w"},
		{apiServer, kubernetesModule + "/cmd/kube-apiserver", flags},
	} {
		fmt.Fprintf(o.Progress, "building %s of Kubernetes %s: some minutes where Go's build cache is cold\n", program.name, version)
		_, err := goCommand(ctx, filepath.Join(work, "module"), &counter{progress: o.Progress, program: program.name},
			"build", "-v", "-mod=mod", "-buildvcs=false", "-ldflags", program.flags, "-o", filepath.Join(work, "assets", executable(program.name)), program.pkg)
		if err != nil {
			return "", fmt.Errorf("%s: %w", program.name, err)
		}
	}
	if err := os.Rename(filepath.Join(work, "assets"), dir); err != nil {
		if _, there := os.Stat(dir); there == nil {
			return dir, nil // another process was faster
		}
		return "", err
	}
	return dir, nil
}

// writeModule writes a module that requires Kubernetes as its own go.mod and go.sum say, with published modules instead
// of folders, and raised modules.
func writeModule(dir, goMod, source, version string, raised []string) error {
	text, err := regular.ReadFile(goMod, regular.Settings)
	if err != nil {
		return err
	}
	f, err := modfile.Parse(goMod, text, nil)
	if err != nil {
		return err
	}
	staging := "v0." + strings.TrimPrefix(version, "1.")
	for _, r := range slices.Clone(f.Replace) {
		if path := r.Old.Path; r.New.Version == "" { // a folder
			// The requirement goes too: the go command then reads only modules whose packages it needs. The checksum
			// database may lack the others, which are samples.
			err = errors.Join(err, f.DropReplace(path, r.Old.Version), f.AddReplace(path, "", path, staging), f.DropRequire(path))
		}
	}
	required := map[string]string{} // versions
	for _, r := range f.Require {
		required[r.Mod.Path] = r.Mod.Version
	}
	for _, r := range raised {
		path, version, ok := strings.Cut(r, "@")
		switch {
		case !ok || !semver.IsValid(version):
			err = errors.Join(err, fmt.Errorf("%q is no requirement: write it as golang.org/x/net@v0.61.0", r))
		case semver.Compare(version, required[path]) > 0:
			err = errors.Join(err, f.AddRequire(path, version))
		}
	}
	err = errors.Join(err, f.AddModuleStmt("controlplane"), f.AddRequire(kubernetesModule, "v"+version))
	if err != nil {
		return err
	}
	f.Cleanup()
	text, err = f.Format()
	if err != nil {
		return err
	}
	sums, err := regular.ReadFile(filepath.Join(source, "go.sum"), regular.Settings)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(dir, "go.mod"), text, 0o644), os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644))
}

// goCommand runs the go command for this machine, whatever the user's variables choose for their own project, and
// returns its standard output. The error contains its standard error, which progress, if not nil, is written too.
func goCommand(ctx context.Context, dir string, progress io.Writer, args ...string) (string, error) {
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOOS=", "GOARCH=", "GOWORK=off", "GOFLAGS=")
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if progress != nil {
		c.Stderr = io.MultiWriter(&stderr, progress)
	}
	err := c.Run()
	if _, failed := errors.AsType[*exec.ExitError](err); failed && stderr.Len() > 0 {
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		err = errors.New(strings.Join(lines[max(0, len(lines)-20):], "\n")) // the reason is at the end
	}
	return strings.TrimSpace(stdout.String()), err
}

// counter is written what go build -v prints, counts the packages that this names and says so now and then.
type counter struct {
	progress io.Writer
	program  string
	line     []byte
	packages int
}

func (c *counter) Write(p []byte) (int, error) {
	for _, b := range p {
		if b != '\n' {
			c.line = append(c.line, b)
			continue
		}
		if !bytes.ContainsAny(c.line, " :") {
			if c.packages++; c.packages%200 == 0 {
				fmt.Fprintf(c.progress, "  %s: %d packages compiled\n", c.program, c.packages)
			}
		}
		c.line = c.line[:0]
	}
	return len(p), nil
}
