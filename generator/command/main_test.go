// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"os"
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
