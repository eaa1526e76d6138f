// SPDX-License-Identifier: Apache-2.0

// Demo makes a project with webhooks, runs its tests and its program, and sends the program three requests:
//
//	go run ./hack/demo [folder]
//
// The folder must be new or empty. Without one the project is in a temporary folder, which stays. Demo runs in the
// root of this repository. Everything that it does to the project is a command of webhook-gen or go, which it prints,
// and files of testdata/shop, which stand for what a user writes.
package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

// Files are what the user of the project writes.
//
//go:embed all:testdata/shop
var files embed.FS

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	dir, err := folder(args)
	if err != nil {
		return err
	}
	fmt.Printf("the project is in %s\n", dir)
	p := project{ctx, dir, filepath.Join(dir, "bin", "webhook-gen")}

	fmt.Println("\n==> build webhook-gen")
	if err := p.call(".", "go", "build", "-o", p.tool, "./cmd/webhook-gen"); err != nil {
		return err
	}
	fmt.Println("\n==> make a project: a kind with two versions, a defaulter, a validator and a policy")
	source, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	order := []string{"--group", "shop", "--kind", "Order", "--skip-tidy", "--source", source, "--version"}
	for _, args := range [][]string{
		{"init", "--module", "example.com/shop", "--skip-tidy", "--source", source},
		append([]string{"create", "api"}, append(order, "v1")...),
		append([]string{"create", "webhook", "--mutating", "--validating"}, append(order, "v1")...),
		append([]string{"create", "version"}, append(order, "v2")...),
	} {
		if err := p.call(dir, p.tool, args...); err != nil {
			return err
		}
	}
	if err := p.write(); err != nil {
		return err
	}
	fmt.Println("\n==> generate, and run the tests")
	for _, command := range [][]string{
		{p.tool, "generate"},
		{"go", "mod", "tidy"},
		{"go", "test", "./..."},
		{"go", "build", "-o", filepath.Join(dir, "bin", "webhook"), "./cmd/webhook"},
	} {
		if err := p.call(dir, command[0], command[1:]...); err != nil {
			return err
		}
	}
	fmt.Println("\n==> start the program, and send it what an API server sends")
	if err := p.serve(); err != nil {
		return err
	}
	fmt.Printf("\nthe project is in %s: read api/v1/order_types.go, and what webhook-gen wrote beside it\n", dir)
	return nil
}

// folder returns the absolute path of an empty folder: the argument, or a temporary one.
func folder(args []string) (string, error) {
	if len(args) > 1 {
		return "", errors.New("usage: go run ./hack/demo [folder]")
	}
	if len(args) == 0 {
		return os.MkdirTemp("", "webhook-gen-demo-")
	}
	dir, err := filepath.Abs(args[0])
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("%s is not empty: name a new folder, for example make demo FOLDER=%s-2", dir, dir)
	}
	return dir, err
}

type project struct {
	ctx  context.Context
	dir  string
	tool string // webhook-gen
}

// call runs a command in a folder. Its output appears only if it fails.
func (p project) call(dir, name string, args ...string) error {
	words := append([]string{filepath.Base(name)}, args...)
	fmt.Println(strings.ReplaceAll(strings.Join(words, " "), p.dir+string(filepath.Separator), ""))
	c := p.command(dir, name, args...)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// command returns a command of the project, which no workspace above it changes.
func (p project) command(dir, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(p.ctx, name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOWORK=off", "WEBHOOK_GEN="+p.tool)
	return c
}

// write writes the files of the project's user.
func (p project) write() error {
	const root = "testdata/shop"
	return fs.WalkDir(files, root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := files.ReadFile(file)
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(file, root+"/")
		fmt.Println("write", name)
		return os.WriteFile(filepath.Join(p.dir, filepath.FromSlash(name)), text, 0o666)
	})
}
