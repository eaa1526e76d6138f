// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"os"
	"os/exec"
	"testing"
)

// TestMain runs the command that webhook-gen starts as a process of its own: here, os.Executable is the test.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == superviseName || os.Getenv(asCommand) != "" {
		os.Exit(Run(context.Background(), os.Args[1:], "", os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// asCommand is a variable of the environment with which the test is the command webhook-gen.
const asCommand = "WEBHOOK_GEN_TEST_AS_COMMAND"

// process is the command webhook-gen as a process of its own, in a folder.
func process(dir string, args ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], args...)
	c.Dir, c.Env = dir, append(os.Environ(), asCommand+"=1")
	return c
}

// inProcess runs the command to its end and returns its output and exit code.
func inProcess(dir string, args ...string) (out string, code int) {
	c := process(dir, args...)
	text, _ := c.CombinedOutput() // the exit code is in the state
	return string(text), c.ProcessState.ExitCode()
}
