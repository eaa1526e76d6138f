// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/webhook-gen/webhook-gen/hack/release/moduleproxy"
)

const (
	modulePath = "github.com/webhook-gen/webhook-gen"
	root       = "../.."
)

// published is the tree as a version that a module proxy serves.
type published struct {
	// version contains a hash of the content, so that the module cache never has a stale copy of it.
	version string
	// env are the settings of the go command under which it finds the version.
	env []string
}

// publish makes a module proxy of files. It serves the work tree's content as the modules of users, and comes before
// other proxies.
func publish(t *testing.T) published {
	t.Helper()
	proxy := t.TempDir()
	released := time.Unix(1700000000, 0).UTC() // some time: the hash behind it tells versions apart
	var modules []moduleproxy.Module
	for _, folder := range []string{".", "runtime", "runtime/controllerruntime", "runtime/program", "runtime/integrationtest", "controlplane"} {
		m, err := moduleproxy.Read(root, folder)
		if err != nil {
			t.Fatal(err)
		}
		modules = append(modules, m)
	}
	version, err := moduleproxy.Version(released, modules...) // of all, which have the same tags
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range modules {
		if err := m.Publish(proxy, version, released); err != nil {
			t.Fatal(err)
		}
	}
	env := append(os.Environ(), "GOPROXY=file://"+filepath.ToSlash(proxy)+","+goEnv(t, "GOPROXY"), "GONOSUMDB="+modulePath, "GOWORK=off", "GOFLAGS=")
	return published{version, env}
}

func goEnv(t *testing.T, name string) string {
	return strings.TrimSpace(output(t, ".", nil, "go", "env", name))
}

// output runs a command in a folder and returns its standard output. A command that fails ends the test.
func output(t *testing.T, dir string, env []string, command ...string) string {
	t.Helper()
	out, err := try(dir, env, command...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// try runs a command in a folder and returns its standard output; the error contains its standard error.
func try(dir string, env []string, command ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	c := exec.Command(command[0], command[1:]...)
	c.Dir, c.Env, c.Stdout, c.Stderr = dir, env, &stdout, &stderr
	if err := c.Run(); err != nil {
		return stdout.String(), fmt.Errorf("%s: %w\n%s%s", strings.Join(command, " "), err, &stdout, &stderr)
	}
	return stdout.String(), nil
}

// moduleDir is the folder of a module that go.mod requires.
func moduleDir(t *testing.T, path string) string {
	return strings.TrimSpace(output(t, ".", nil, "go", "list", "-m", "-f", "{{.Dir}}", path))
}
