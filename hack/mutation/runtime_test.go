// SPDX-License-Identifier: Apache-2.0

package mutation

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// runtimeDir is the folder of the runtime module.
const runtimeDir = "../../runtime"

// TestRuntime seeds faults into the runtime; its own tests have to find each.
func TestRuntime(t *testing.T) {
	faults := seedRuntime(t)
	goMod, err := os.ReadFile(filepath.Join(runtimeDir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	floor := regexp.MustCompile(`(?m)^go (\S+)$`).FindSubmatch(goMod)[1]
	binaries := map[string]string{}
	for _, pkg := range []string{"admission", "conversion", "server"} {
		binaries[pkg] = filepath.Join(t.TempDir(), pkg+".test")
		cmd := exec.Command("go", "test", "-c", "-overlay", faults.overlay, "-o", binaries[pkg], "./"+pkg)
		cmd.Dir = runtimeDir
		cmd.Env = append(os.Environ(), "GOTOOLCHAIN=go"+string(floor)) // as make test has compiled the dependencies
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	for _, none := range []seededFault{{file: "server/server.go"}, {file: "internal/wire/decode.go"}, {file: "conversion/stash.go"}} {
		if text, failed := foundBy(t, none, binaries); failed {
			t.Fatalf("without a fault the tests fail:\n%s", text)
		}
	}
	found := map[string][]string{} // kinds by file
	for _, f := range faults.all {
		if _, failed := foundBy(t, f, binaries); !failed {
			t.Errorf("%s: nothing finds that %s in\n\t%s", f.file, f.Kind, f.Place)
			continue
		}
		found[f.file] = append(found[f.file], f.Kind)
	}
	if !t.Failed() {
		holdTable(t, "runtime faults", runtimeTable(found, len(faults.all)))
	}
}

// seededFaults are the seeded faults, and the overlay with which go builds them.
type seededFaults struct {
	overlay string
	all     []seededFault
}

type seededFault struct {
	Fault
	file string // below the runtime
}

func seedRuntime(t *testing.T) seededFaults {
	runtime, err := filepath.Abs(runtimeDir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{} // that are seeded, by name
	byFile := map[string][]runtimeFault{}
	for _, f := range runtimeFaults() {
		byFile[f.file] = append(byFile[f.file], f)
	}
	var seeded seededFaults
	for file, faults := range byFile {
		source, err := os.ReadFile(filepath.Join(runtime, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range faults {
			if n := strings.Count(string(source), f.old); n != 1 {
				t.Errorf("%s has %q %d times", f.file, f.old, n)
			}
		}
		text, here, err := seed(source, file+":", seeds(faults))
		if err != nil {
			t.Fatal(err)
		}
		if len(here) != len(faults) {
			t.Errorf("%d of %d faults of %s are in statements", len(here), len(faults), file)
		}
		files[file] = text
		for _, f := range here {
			seeded.all = append(seeded.all, seededFault{f, file})
		}
		files[path.Dir(file)+"/zz_seeded.go"] = fmt.Appendf(nil, "package %s\n\nimport \"os\"\n\nvar seededFault = os.Getenv(%q)\n", path.Base(path.Dir(file)), Variable)
	}
	if t.Failed() {
		t.FailNow()
	}
	slices.SortFunc(seeded.all, func(a, b seededFault) int { return strings.Compare(a.ID, b.ID) })
	seeded.overlay = writeOverlay(t, runtime, files)
	return seeded
}

// foundBy reports whether a test finds a fault, and returns the output of the tests. For a fault of the server it runs
// the likeliest tests first, because all of them take seconds.
func foundBy(t *testing.T, f seededFault, binaries map[string]string) (string, bool) {
	fails := func(pkg string, flags ...string) (string, bool) {
		// These tests measure memory and time; they are not meant to find faults.
		flags = append(flags, "-test.skip=^Test(Heavy|MemoryFollows|WorkFactor|SlowConnectionsCost|HostileListsAreBounded)", "-test.failfast", "-test.timeout=5m")
		cmd := exec.Command(binaries[pkg], flags...)
		cmd.Dir = filepath.Join(runtimeDir, pkg)
		cmd.Env = append(os.Environ(), Variable+"="+f.ID)
		out, err := cmd.CombinedOutput()
		return string(out), err != nil
	}
	switch pkg := path.Dir(f.file); pkg {
	case "internal/wire": // which both are made of
		if text, failed := fails("conversion"); failed {
			return text, true
		}
		return fails("admission")
	case "server":
		if text, failed := fails(pkg, "-test.run="+testsOf(t, f.file)); failed {
			return text, true
		}
	}
	return fails(path.Dir(f.file))
}

// testsOf returns a pattern of the likeliest tests for a file of the server: the tests of its own test file, or else
// one test that is known to find the fault.
func testsOf(t *testing.T, file string) string {
	switch file {
	case "server/file.go":
		return "^TestBrokenNewCertificateLeavesTheOldOne$"
	case "server/timeout.go":
		return "^TestWriteTimeout$"
	}
	var names []string
	text, err := os.ReadFile(filepath.Join(runtimeDir, strings.TrimSuffix(file, ".go")+"_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(string(text), -1) {
		names = append(names, m[1])
	}
	return "^(" + strings.Join(names, "|") + ")$"
}

func runtimeTable(found map[string][]string, total int) string {
	var out strings.Builder
	out.WriteString("| file | seeded and found |\n|---|---|\n")
	for _, file := range slices.Sorted(maps.Keys(found)) {
		fmt.Fprintf(&out, "| %s | %s |\n", file, strings.Join(found[file], "; "))
	}
	fmt.Fprintf(&out, "| all | %d |\n", total)
	return out.String()
}
