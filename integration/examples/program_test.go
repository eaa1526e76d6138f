// SPDX-License-Identifier: Apache-2.0

package examples

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

// start builds the program of an example and runs it until the test ends.
func start(t *testing.T, folder string, arguments ...string) {
	t.Helper()
	run(t, build(t, folder), arguments...)
}

// build builds the program of an example.
func build(t *testing.T, folder string) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "program")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir = folder
	build.Env = append(os.Environ(), "GOWORK=off")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", folder, err, output)
	}
	return binary
}

// run runs a program until stop is called or the test ends. It prints the program's log if the test fails.
func run(t *testing.T, binary string, arguments ...string) (stop func()) {
	t.Helper()
	var log bytes.Buffer
	program := exec.Command(binary, arguments...)
	program.Stdout, program.Stderr = &log, &log
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(func() {
		program.Process.Signal(syscall.SIGTERM)
		if err := program.Wait(); err != nil {
			t.Errorf("%s ended with %v", program, err)
		}
		if t.Failed() {
			t.Logf("%s:\n%s", program, &log)
		}
	})
	t.Cleanup(stop)
	return stop
}
