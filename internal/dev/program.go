// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// program is the developer's program, running or not. Without a process it was never started.
type program struct {
	Options
	dir, binary string
	front       *front
	address     string         // on which it listens
	process     *exec.Cmd      // its supervisor
	stdin       io.WriteCloser // of the supervisor: its end ends the program
	ended       chan struct{}  // closed when the process has ended
}

// restart builds the program and, if that succeeds, runs it in place of the one that runs. Calls wait meanwhile.
func (p *program) restart(ctx context.Context) error {
	build := exec.CommandContext(ctx, "go", "build", "-o", p.binary+".new", "./"+filepath.ToSlash(p.Program))
	build.Dir = p.Root
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("the program does not build: %w\n%s", err, out)
	}
	p.front.starting()
	p.stop()
	err := p.start(ctx)
	p.front.started(p.address, err)
	return err
}

func (p *program) start(ctx context.Context) error {
	if err := os.Rename(p.binary+".new", p.binary); err != nil {
		return err
	}
	if p.address = p.ProgramAddress; p.address == "" {
		free, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		p.address = free.Addr().String()
		if err := free.Close(); err != nil {
			return err
		}
	}
	// No CommandContext: the program gets a signal to stop, and is not killed.
	process := exec.Command(p.Supervise[0], slices.Concat(p.Supervise[1:], []string{p.dir, p.binary}, p.arguments())...)
	process.Dir, process.Stdout, process.Stderr, process.WaitDelay = p.Root, p.Out, p.Out, 5*time.Second
	stdin, err := process.StdinPipe()
	if err != nil {
		return err
	}
	if err := process.Start(); err != nil {
		return err
	}
	address, ended := p.address, make(chan struct{})
	p.process, p.stdin, p.ended = process, stdin, ended
	go func() {
		if err := process.Wait(); err != nil {
			fmt.Fprintf(p.Out, "dev: the program ended: %v\n", err)
			p.front.ended(address, err)
		}
		close(ended)
	}()
	return p.ready(ctx)
}

// arguments are the program's, filled in.
func (p *program) arguments() []string {
	given := p.Arguments
	if len(given) == 0 {
		given = []string{"-address={address}", "-cert={cert}", "-key={key}", "-drain=-1s"}
	}
	words := strings.NewReplacer("{address}", p.address, "{cert}", filepath.Join(p.dir, "tls.crt"), "{key}", filepath.Join(p.dir, "tls.key"), "{dir}", p.dir)
	var filled []string
	for _, a := range given {
		filled = append(filled, words.Replace(a))
	}
	return filled
}

// ready waits until the program takes connections with the certificate of the session.
func (p *program) ready(ctx context.Context) error {
	dialer := tls.Dialer{Config: p.front.session.trust()}
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); {
		if connection, err := dialer.DialContext(ctx, "tcp", p.address); err == nil {
			return connection.Close()
		}
		select {
		case <-p.ended:
			return errors.New("the program ended before it served")
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	return fmt.Errorf("the program does not serve on %s with the certificate that it was given", p.address)
}

// stop has the supervisor end the program, and waits for both.
func (p *program) stop() {
	if p.process == nil {
		return
	}
	// The errors mean that the supervisor has ended.
	_, _ = io.WriteString(p.stdin, "stop\n")
	_ = p.stdin.Close()
	select {
	case <-p.ended:
	case <-time.After(2 * patience):
		_ = p.process.Process.Kill()
		<-p.ended
	}
}
