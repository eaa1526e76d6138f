// SPDX-License-Identifier: Apache-2.0

// Package dev runs the program of a project on a developer's machine and has a cluster call it: with a certificate that
// lives as long as the session, under configurations that name a URL in place of a Service, and without a trace of it
// afterwards.
package dev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Options name the program to run, and how the cluster reaches it.
type Options struct {
	// Root is the module's folder, and Program the folder of the program in it.
	Root, Program string
	// Arguments are the program's arguments. Run fills in {address}, {cert}, {key} and {dir}, the folder of the latter
	// two. Without Arguments, the program gets the arguments of a program from `webhook-gen init`.
	Arguments []string
	// Listen is the address that the program listens on, and Advertise the host and port at which the cluster reaches it.
	Listen, Advertise string
	// Kubectl is the command that talks to the cluster.
	Kubectl []string
	// Generate writes the generated files and returns the manifests of configurations and of patches of CRDs. The
	// developer can mend its errors in the project: Run prints an error, and waits for the next change.
	Generate func(context.Context) (manifests [][]byte, err error)
	// Out gets progress messages, and the output of the program.
	Out io.Writer
}

// Run serves until ctx is done, anew with every change to the module's files, and then takes everything back. An error
// is one for which it could not start, or something that could not be taken back.
func Run(ctx context.Context, o Options) (err error) {
	dir, err := os.MkdirTemp("", "webhook-gen-dev-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	authority, err := certify(dir, o.Advertise)
	if err != nil {
		return err
	}
	cluster := cluster{command: o.Kubectl, url: "https://" + o.Advertise, authority: authority, replaced: map[string][]byte{}}
	// Windows runs no file without the suffix, and other systems do not mind it.
	program := program{Options: o, dir: dir, binary: filepath.Join(dir, "program.exe"), authority: authority}
	defer func() {
		// ctx is done; taking back gets time of its own.
		fresh, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		err = errors.Join(err, cluster.restore(fresh))
		program.stop()
		fmt.Fprintln(o.Out, "dev: the cluster is as it was")
	}()
	for first := true; ; first = false {
		seen := snapshot(o.Root)
		switch err := serve(ctx, o, &program, &cluster); {
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
func serve(ctx context.Context, o Options, p *program, c *cluster) error {
	manifests, err := o.Generate(ctx)
	if err != nil {
		return err
	}
	if err := p.restart(ctx); err != nil {
		return err
	}
	return c.apply(ctx, manifests)
}
