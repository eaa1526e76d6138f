// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// patience is the time in which a program has to end after a signal.
const patience = 10 * time.Second

// Supervise runs a program until the input ends, and returns the error of a program that ends by itself. The session
// holds the other end of the input, and the operating system closes the pipes of a killed process. The program then
// gets a signal to stop, and is killed if it goes on. The arguments are the session's folder, the program, and its
// arguments. The folder is removed if the input ends without a line, that is, after the session was killed.
func Supervise(arguments []string, in io.Reader) error {
	if len(arguments) < 2 {
		return fmt.Errorf("a folder and a program are missing: %q", arguments)
	}
	// A terminal sends its signals to the program and to the session as well. The session decides what they mean.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGHUP, syscall.SIGPIPE)
	defer signal.Stop(signals)
	terminated, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()

	program := exec.Command(arguments[1], arguments[2:]...)
	program.Stdout, program.Stderr = os.Stdout, os.Stderr
	if err := program.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- program.Wait() }()
	input := make(chan []byte, 1)
	go func() {
		line, _ := io.ReadAll(in) // an error is an end, too
		input <- line
	}()
	killed := false
	select {
	case err := <-ended:
		return err
	case line := <-input:
		killed = len(line) == 0
	case <-terminated.Done():
	}
	if err := program.Process.Signal(os.Interrupt); err != nil {
		_ = program.Process.Kill() // It has ended already, or the system cannot interrupt a process, as Windows cannot.
	}
	select {
	case <-ended: //nolint:errcheck // a program that is told to stop ends in any way
	case <-time.After(patience):
		_ = program.Process.Kill() // It has ended meanwhile.

		<-ended //nolint:errcheck // likewise
	}
	if killed {
		return os.RemoveAll(arguments[0])
	}
	return nil
}
