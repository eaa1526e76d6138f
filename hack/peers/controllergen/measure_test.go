// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"
)

// cost is the cost of one run of a command.
type cost struct {
	// Processors is the time of processors, of the command and of the commands that it waits for.
	Processors time.Duration
	// Memory is the peak resident set in KiB: of the command or of one that it ran, the go
	// command in controller-gen's case, whichever is the larger.
	Memory int64
	// Code is the exit code.
	Code int
}

// measuring, in the environment, makes the test binary a stop-watch; see measure.
const measuring = "PEERS_MEASURE"

// measure runs a command and throws its output away.
//
// On Linux a process inherits the peak memory of the one that started it (exec takes over the
// high-water mark of the old address space), and a test binary that has copied modules is
// larger than webhook-gen. So the command is started by a fresh process: this binary again.
func measure(t testing.TB, cmd *exec.Cmd) cost {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	watch := exec.Command(self, cmd.Args...)
	watch.Dir, watch.Env = cmd.Dir, append(cmd.Env, measuring+"=1")
	out, err := watch.CombinedOutput()
	var c cost
	if err != nil || json.Unmarshal(out, &c) != nil {
		t.Fatalf("cannot measure: %v\n%s", err, out)
	}
	return c
}

// stopWatch is the other end of measure. It returns an exit code.
func stopWatch(args []string) int {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = io.Discard, io.Discard
	err := cmd.Run()
	if cmd.ProcessState == nil {
		fmt.Println(err)
		return 1
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if json.NewEncoder(os.Stdout).Encode(cost{cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), usage.Maxrss, cmd.ProcessState.ExitCode()}) != nil {
		return 1
	}
	return 0
}

// costs are the costs of several runs of one command.
type costs []cost

// minimum is the shortest time, and median the time and memory in the middle.
func (c costs) minimum() time.Duration {
	return slices.MinFunc(c, func(a, b cost) int { return int(a.Processors - b.Processors) }).Processors
}

func (c costs) median() time.Duration {
	sorted := slices.SortedFunc(slices.Values(c), func(a, b cost) int { return int(a.Processors - b.Processors) })
	return (sorted[(len(c)-1)/2].Processors + sorted[len(c)/2].Processors) / 2
}

func (c costs) medianMemory() int64 {
	sorted := slices.SortedFunc(slices.Values(c), func(a, b cost) int { return int(a.Memory - b.Memory) })
	return (sorted[(len(c)-1)/2].Memory + sorted[len(c)/2].Memory) / 2
}

func (c costs) String() string {
	return fmt.Sprintf("min %8.1f ms  median %8.1f ms  peak memory %6.1f MiB",
		float64(c.minimum().Microseconds())/1000, float64(c.median().Microseconds())/1000, float64(c.medianMemory())/1024)
}

// race runs commands in turn, so that other work of the machine hits all alike. It does not count a first run of each.
func race(t testing.TB, rounds int, commands ...func() *exec.Cmd) []costs {
	t.Helper()
	results := make([]costs, len(commands))
	for round := range rounds + 1 {
		for i, command := range commands {
			c := measure(t, command())
			if c.Code != 0 {
				t.Fatalf("%v exits with %d", command().Args, c.Code)
			}
			if round > 0 {
				results[i] = append(results[i], c)
			}
		}
	}
	return results
}

// ratio is how many times longer a takes than b, by their medians.
func ratio(a, b costs) float64 { return float64(a.median()) / float64(b.median()) }
