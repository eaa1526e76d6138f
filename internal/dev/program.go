// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// program is the developer's program, running or not.
type program struct {
	Options
	dir, binary string
	authority   []byte
	process     *exec.Cmd
	ended       chan struct{} // closed when the process has ended
}

// restart builds the program and, if that succeeds, runs it in place of the one that runs.
func (p *program) restart(ctx context.Context) error {
	build := exec.CommandContext(ctx, "go", "build", "-o", p.binary, "./"+filepath.ToSlash(p.Program))
	build.Dir = p.Root
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("the program does not build: %w\n%s", err, out)
	}
	p.stop()
	// No CommandContext: the program gets a signal to stop, and is not killed.
	p.process = exec.Command(p.binary, p.arguments()...)
	p.process.Dir, p.process.Stdout, p.process.Stderr = p.Root, p.Out, p.Out
	if err := p.process.Start(); err != nil {
		p.process = nil
		return err
	}
	p.ended = make(chan struct{})
	go func(process *exec.Cmd, ended chan<- struct{}) {
		if err := process.Wait(); err != nil {
			fmt.Fprintf(p.Out, "dev: the program ended: %v\n", err)
		}
		close(ended)
	}(p.process, p.ended)
	return p.ready(ctx)
}

// arguments are the program's, filled in.
func (p *program) arguments() []string {
	given := p.Arguments
	if len(given) == 0 {
		given = []string{"-address={address}", "-cert={cert}", "-key={key}", "-drain=-1s"}
	}
	words := strings.NewReplacer("{address}", p.Listen, "{cert}", filepath.Join(p.dir, "tls.crt"), "{key}", filepath.Join(p.dir, "tls.key"), "{dir}", p.dir)
	var filled []string
	for _, a := range given {
		filled = append(filled, words.Replace(a))
	}
	return filled
}

// ready waits until the program takes connections with the certificate of the session.
func (p *program) ready(ctx context.Context) error {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(p.authority)
	host, _, err := net.SplitHostPort(p.Advertise)
	if err != nil {
		return err
	}
	dialer := tls.Dialer{Config: &tls.Config{RootCAs: roots, ServerName: host}}
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); {
		if connection, err := dialer.DialContext(ctx, "tcp", p.Listen); err == nil {
			return connection.Close()
		}
		select {
		case <-p.ended:
			p.process = nil
			return errors.New("the program ended before it served")
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	return fmt.Errorf("the program does not serve on %s with the certificate that it was given", p.Listen)
}

// stop signals the program to stop, and kills it if it does not.
func (p *program) stop() {
	if p.process == nil {
		return
	}
	if err := p.process.Process.Signal(os.Interrupt); err != nil {
		_ = p.process.Process.Kill() // It has ended already, or the system cannot interrupt a process, as Windows cannot.
	}
	select {
	case <-p.ended:
	case <-time.After(10 * time.Second):
		_ = p.process.Process.Kill()
		<-p.ended
	}
	p.process = nil
}
