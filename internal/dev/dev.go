// SPDX-License-Identifier: Apache-2.0

// Package dev runs the program of a project on a developer's machine and lets a cluster call it: with a certificate
// that lives as long as the session, and under configurations that name a URL in place of a Service. Every object that
// it changes carries a mark and its former state, so that the cluster can be restored after any end of a session.
package dev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Options name the program to run, the cluster, and how the cluster reaches the program.
type Options struct {
	// Root is the module's folder, Module its path, and Program the folder of the program in it.
	Root, Module, Program string
	// Arguments are the program's arguments. Run fills in {address}, {cert}, {key} and {dir}, the folder of the latter
	// two. Without Arguments, the program gets the arguments of a program from `webhook-gen init`.
	Arguments []string
	// ProgramAddress is the address on which the program listens, if Arguments do not contain {address}.
	ProgramAddress string
	// Listen is the address on which Run takes the calls of the cluster, and Advertise the host and port at which the
	// cluster reaches it.
	Listen, Advertise string
	// Kubectl is the command that talks to the cluster, and Context the context that it uses; empty: the current one.
	Kubectl, Context string
	// Confirm asks the user whether to go on, before Run changes a cluster that is not local.
	Confirm func(question string) error
	// Supervise is a command that runs Supervise with the arguments behind it.
	Supervise []string
	// Generate writes the generated files and returns the manifests of configurations and of patches of CRDs. The
	// developer can mend its errors in the project: Run prints an error, and waits for the next change.
	Generate func(context.Context) (manifests [][]byte, err error)
	// Out gets progress messages, a line for each call, and the output of the program.
	Out io.Writer
}

// restoring is the time that a restoration may take.
const restoring = 2 * time.Minute

// Run serves until ctx is done, anew with every change to the module's files, and then restores the cluster. First it
// restores what sessions left that were killed. It returns an error if it could not start, or not restore everything.
func Run(ctx context.Context, o Options) (err error) {
	o.Out = &lockedWriter{w: o.Out}
	if len(o.Arguments) > 0 && o.ProgramAddress == "" && !strings.Contains(strings.Join(o.Arguments, " "), "{address}") {
		return errors.New("the program's arguments do not contain {address}: name the address on which it listens, for example --program-address 127.0.0.1:9443 --listen 127.0.0.1:9444")
	}
	c, err := connect(ctx, o)
	if err != nil {
		return err
	}
	if !c.local {
		if err := o.Confirm(fmt.Sprintf("%s is not local. dev sends its requests for your kinds to this machine, and changes CRDs. Go on?", c.name)); err != nil {
			return err
		}
	}
	if err := c.restoreEnded(ctx, o.Module); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "webhook-gen-dev-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	authority, err := certify(dir, o.Advertise)
	if err != nil {
		return err
	}
	if c.session, err = newSession(o, authority); err != nil {
		return err
	}
	front, err := newFront(c.session, dir, o.Out)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return fmt.Errorf("%w\nAnother program has the address: end it, or choose an address with --listen", err)
	}
	defer front.serve(listener)()
	// Windows runs no file without the suffix, and other systems do not mind it.
	program := program{Options: o, dir: dir, binary: filepath.Join(dir, "program.exe"), front: front}
	defer func() {
		// ctx is done; restoring gets time of its own.
		fresh, cancel := context.WithTimeout(context.WithoutCancel(ctx), restoring)
		defer cancel()
		if len(c.touched) > 0 {
			err = errors.Join(err, c.restoreSession(fresh, c.session))
		}
		program.stop()
	}()
	for first := true; ; first = false {
		seen := snapshot(o.Root)
		switch err := serve(ctx, &program, c); {
		case ctx.Err() != nil:
			return nil
		case err != nil && first && errors.Is(err, errCluster):
			return err
		case err != nil:
			fmt.Fprintf(o.Out, "dev: %v\ndev: waiting for a change\n", err)
		default:
			fmt.Fprintf(o.Out, "dev: serving on %s, called at https://%s\n", o.Listen, o.Advertise)
		}
		if !changed(ctx, o.Root, seen) {
			return nil
		}
	}
}

// serve generates, builds and starts the program, and has the cluster call it.
func serve(ctx context.Context, p *program, c *cluster) error {
	manifests, err := p.Generate(ctx)
	if err != nil {
		return err
	}
	if err := p.restart(ctx); err != nil {
		return err
	}
	objects, err := readObjects(p.Root, manifests)
	if err != nil {
		return err
	}
	p.front.name(objects)
	return c.apply(ctx, objects)
}

// Restore restores what sessions have changed in a cluster, on this machine and on others, unless they still run here.
func Restore(ctx context.Context, o Options) error {
	c, err := connect(ctx, o)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, restoring)
	defer cancel()
	return c.restoreAll(ctx)
}

// lockedWriter takes each write as a whole: the program, the calls and the session write at the same time.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
