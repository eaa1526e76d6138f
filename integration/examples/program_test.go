// SPDX-License-Identifier: Apache-2.0

package examples

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// start builds the program of an example and runs it until the test ends. It prints the program's log if the test
// fails.
func start(t *testing.T, folder string, arguments ...string) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "program")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir = folder
	build.Env = append(os.Environ(), "GOWORK=off")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", folder, err, output)
	}
	var log bytes.Buffer
	program := exec.Command(binary, arguments...)
	program.Stdout, program.Stderr = &log, &log
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		program.Process.Signal(syscall.SIGTERM)
		if err := program.Wait(); err != nil {
			t.Errorf("%s ended with %v", folder, err)
		}
		if t.Failed() {
			t.Logf("%s:\n%s", folder, &log)
		}
	})
}
