// SPDX-License-Identifier: Apache-2.0

//go:build linux

package command

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestNoCommandBlocks puts other things in the places of files of a project, and runs each command that reads a
// project. None waits, and none takes the memory that a file claims.
func TestNoCommandBlocks(t *testing.T) {
	if testing.Short() {
		t.Skip("runs processes")
	}
	start := newShop(t)
	for _, args := range shopCommands() {
		if out, code := inProcess(start, args...); code != 0 {
			t.Fatalf("%v: %d\n%s", args, code, out)
		}
	}
	kind := []string{"--group", "shop", "--version", "v1", "--kind", "Order", "--skip-tidy"}
	commands := [][]string{
		{"generate"}, {"verify"}, {"lint"}, {"lint", "-f", "config"}, {"graph"}, {"explain"}, {"explain", "upgrade"}, {"import"},
		{"import", "--handlers", "adapters", "--skip-tidy"}, {"import", "--policies", "config/webhook/policies.yaml", "--skip-tidy", "./policies"},
		{"init", "--skip-tidy"}, append([]string{"create", "version", "--from", "v1"}, "--group", "shop", "--version", "v2", "--kind", "Order", "--skip-tidy"),
		append([]string{"create", "webhook", "--validating", "--operations", "delete"}, kind...), append([]string{"create", "tests"}, "--skip-tidy"),
		append([]string{"delete", "webhook"}, kind...), append([]string{"delete", "version"}, kind...), {"dev", "--kubectl", "/bin/false", "--yes"},
	}
	paths := []string{
		"webhook-gen.yaml", "go.mod", "go.sum", "go.work", "vendor/modules.txt", "PROJECT", ".gitignore", "hack/header.txt",
		"api/v1/more.go", "api/v1/more_test.go", "api/v1/zz_generated.more.go", "internal/webhook/v1/order_webhook.go",
		"config/webhook/manifests.yaml", "config/webhook/policies.yaml", "config/webhook/kustomization.yaml", "config/crd/bases/a.yaml", "config/samples/a.yaml",
		"charts/shop/Chart.yaml", "charts/shop/values.yaml",
	}
	kinds := map[string]func(path string) error{
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o644) },
		"sparse": func(path string) error { return errors.Join(os.WriteFile(path, nil, 0o644), os.Truncate(path, 40<<30)) },
		"kernel": func(path string) error { return os.Symlink("/proc/kmsg", path) },
		"device": func(path string) error { return os.Symlink("/dev/zero", path) },
	}
	const (
		longest = 30 * time.Second
		memory  = 512 << 10 // kB
	)
	settings, err := os.ReadFile(filepath.Join(start, "webhook-gen.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(start, "hack"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(filepath.Join(start, "webhook-gen.yaml"), append(settings, "\nheaderFile: hack/header.txt\n"...), 0o644),
		os.WriteFile(filepath.Join(start, "hack", "header.txt"), []byte("// Copyright.\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for p, path := range paths {
		for name, stand := range kinds {
			wait.Add(1)
			slots <- struct{}{}
			go func() {
				defer func() { <-slots; wait.Done() }()
				for i, args := range commands {
					// Each command meets each kind, and each kind is in each place.
					if every := map[string]int{"pipe": 2}[name]; (i+p)%cmp.Or(every, 5) != 0 {
						continue
					}
					dir := t.TempDir()
					at := filepath.Join(dir, path)
					if err := errors.Join(os.CopyFS(dir, os.DirFS(start)), os.MkdirAll(filepath.Dir(at), 0o755), os.RemoveAll(at), stand(at)); err != nil {
						t.Error(err)
						return
					}
					var out bytes.Buffer
					c := process(dir, args...)
					c.Env, c.Stdout, c.Stderr = append(c.Env, "GOPROXY=off", "GOFLAGS=-mod=mod"), &out, &out
					c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
					if err := c.Start(); err != nil {
						t.Error(err)
						return
					}
					late := time.AfterFunc(longest, func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
					_ = c.Wait() // most commands fail
					if !late.Stop() {
						t.Errorf("%s with a %s as %s waits:\n%s", strings.Join(args, " "), name, path, &out)
					}
					var own syscall.Rusage
					if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
						t.Error(err)
					}
					// A process begins with the peak of its parent (Linux, exec_mmap).
					if used := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss; used > max(memory, own.Maxrss) {
						t.Errorf("%s with a %s as %s takes %d kB", strings.Join(args, " "), name, path, used)
					}
					if strings.Contains(out.String(), "panic:") {
						t.Errorf("%s with a %s as %s:\n%s", strings.Join(args, " "), name, path, &out)
					}
					_ = os.RemoveAll(dir)
				}
			}()
		}
	}
	wait.Wait()
}
