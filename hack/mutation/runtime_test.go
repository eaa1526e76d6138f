// SPDX-License-Identifier: Apache-2.0

package mutation

import (
	"errors"
	"fmt"
	"io/fs"
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
	skipIfShort(t)
	faults := seedRuntime(t)
	tests := &runtimeTests{overlay: faults.overlay, binaries: map[string]string{}}
	found := map[string][]string{} // kinds by file
	for _, f := range faults.all {
		t.Run(f.file+"/"+strings.ReplaceAll(f.Kind, " ", "-"), func(t *testing.T) {
			if !tests.find(t, f) {
				t.Fatalf("no test finds it in\n\t%s", f.Place)
			}
			found[f.file] = append(found[f.file], f.Kind)
		})
	}
	ran := 0
	for _, kinds := range found {
		ran += len(kinds)
	}
	if !t.Failed() && ran == len(faults.all) { // -run may leave some out
		holdTable(t, "runtime faults", runtimeTable(found, ran))
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

// runtimeTests builds the seeded test binary of each package of the runtime when a fault first needs it.
type runtimeTests struct {
	overlay  string
	binaries map[string]string
}

// binary returns the test binary of a package, whose tests pass without a fault.
func (r *runtimeTests) binary(t *testing.T, pkg string) string {
	if r.binaries[pkg] != "" {
		return r.binaries[pkg]
	}
	goMod, err := os.ReadFile(filepath.Join(runtimeDir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	floor := regexp.MustCompile(`(?m)^go (\S+)$`).FindSubmatch(goMod)[1]
	binary := filepath.Join(filepath.Dir(r.overlay), strings.ReplaceAll(pkg, "/", "_")+".test")
	cmd := exec.Command("go", "test", "-c", "-overlay", r.overlay, "-o", binary, "./"+pkg)
	cmd.Dir = runtimeDir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOTOOLCHAIN=go"+string(floor)) // a go.work above may need a newer Go
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r.binaries[pkg] = binary
	if text, failed := r.fails(t, pkg, "", "-test.skip="+heavy); failed {
		t.Fatalf("without a fault the tests fail:\n%s", text)
	}
	return binary
}

// These tests measure memory and time. The heavy ones are not meant to find faults, and the slow ones find few.
const (
	heavy = "^Test(Heavy|MemoryFollows|WorkFactor|SlowConnectionsCost|HostileListsAreBounded)"
	slow  = heavy + "|^Test(Growth|GrowsLinearly|LongDenials|RatchetLists|InventedClients|Overload)"
)

// fails reports whether the tests of a package fail with a fault, and returns their output.
func (r *runtimeTests) fails(t *testing.T, pkg, fault string, flags ...string) (string, bool) {
	cmd := exec.Command(r.binary(t, pkg), append(flags, "-test.failfast", "-test.timeout=5m")...)
	cmd.Dir = filepath.Join(runtimeDir, pkg)
	cmd.Env = append(os.Environ(), Variable+"="+fault)
	out, err := cmd.CombinedOutput()
	return string(out), err != nil
}

// find reports whether a test finds a fault. The likeliest tests run first, because all of them take a minute.
func (r *runtimeTests) find(t *testing.T, f seededFault) bool {
	packages := []string{path.Dir(f.file)}
	switch packages[0] { // conversion and admission are made of these
	case "internal/wire":
		packages = append(packages, "conversion", "admission")
	case "internal/serving": // has no tests of its own
		packages = []string{"conversion", "admission"}
	}
	for _, pkg := range packages {
		if likely := testsOf(t, f.file); pkg == path.Dir(f.file) && likely != "" {
			if _, failed := r.fails(t, pkg, f.ID, "-test.run="+likely, "-test.skip="+heavy); failed {
				return true
			}
		}
		if _, failed := r.fails(t, pkg, f.ID, "-test.skip="+slow); failed {
			return true
		}
	}
	for _, pkg := range packages {
		if _, failed := r.fails(t, pkg, f.ID, "-test.skip="+heavy); failed {
			return true
		}
	}
	return false
}

// testsOf returns a pattern of the likeliest tests for a file: the tests that are known to find its faults, or else the
// tests of its own test file. It is empty without any.
func testsOf(t *testing.T, file string) string {
	switch file {
	case "admission/deny.go":
		return "^Test(Denial|LongDenials)"
	case "admission/identity.go":
		return "^TestRatchet"
	case "server/file.go":
		return "^TestBrokenNewCertificateLeavesTheOldOne$"
	case "server/limits.go":
		return "^Test(MaxWait|OtherPaths|HandlersHave|BodyDeadline|IdleConnections|SlowSenders|DrippingBodies)"
	case "server/timeout.go":
		return "^TestWriteTimeout$"
	}
	var names []string
	text, err := os.ReadFile(filepath.Join(runtimeDir, strings.TrimSuffix(file, ".go")+"_test.go"))
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
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
