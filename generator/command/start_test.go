// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// BenchmarkVersion holds the start of the program, which has the API server's code, to 60 ms of processor time: the
// least of all rounds.
func BenchmarkVersion(b *testing.B) {
	program := filepath.Join(b.TempDir(), "webhook-gen")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/webhook-gen").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	least := time.Hour
	for b.Loop() {
		c := exec.Command(program, "version")
		if out, err := c.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		least = min(least, c.ProcessState.UserTime()+c.ProcessState.SystemTime())
	}
	b.ReportMetric(float64(least.Microseconds())/1000, "processor-ms")
	if least > 60*time.Millisecond {
		b.Errorf("webhook-gen version takes %s of processor time", least)
	}
}

// TestNothingOfCEL counts what generate and lint allocate: without expressions much less than an environment of CEL
// takes, which the first expression sets up.
func TestNothingOfCEL(t *testing.T) {
	const most = 5 << 18
	project := func(name, marker string) string {
		dir := t.TempDir()
		text := fmt.Sprintf("// +groupName=%s.example.com\n// +versionName=v1\npackage x\n\n// +webhook:validating(operations: \"create\")\n%stype Order struct{}\n", name, marker)
		for file, text := range map[string]string{"go.mod": "module example.com/x\n\ngo 1.26\n", "order.go": text} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	allocated := func(dir string, words ...string) uint64 {
		t.Helper()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if out := script(t, append(words, "-C", dir)...); out != 0 {
			t.Fatalf("%v exits with %d", words, out)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	plain := project("plain", "")
	for _, words := range [][]string{{"generate", "--outputs", "manifests"}, {"verify", "--outputs", "manifests"}, {"lint"}} {
		if n := allocated(plain, words...); n > most {
			t.Errorf("%v without expressions allocates %d KiB", words, n>>10)
		}
	}
	marked := project("marked", "// +webhook:matchCondition(name: \"a\")=\"request.name == 'a'\"\n")
	if n := allocated(marked, "generate", "--outputs", "manifests"); n < 2*most {
		t.Errorf("an expression allocates %d KiB: the limit for none shows nothing", n>>10)
	}
}

// script runs a command, and returns its exit code.
func script(t *testing.T, words ...string) int {
	return run(t.Context(), words, streams{out: io.Discard, err: io.Discard})
}
