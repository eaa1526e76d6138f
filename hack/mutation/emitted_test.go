package mutation

import (
	"encoding/json"
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

// TestEmittedPackages seeds faults into the packages that are emitted into projects, and wants their own tests to find each.
func TestEmittedPackages(t *testing.T) {
	faults := seedEmitted(t)
	binaries := map[string]string{}
	for _, pkg := range []string{"admission", "conversion"} {
		binaries[pkg] = filepath.Join(t.TempDir(), pkg+".test")
		cmd := exec.Command("go", "test", "-c", "-overlay", faults.overlay, "-o", binaries[pkg], "./templates/"+pkg)
		cmd.Dir = "../.."
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	servers := testsIn(t, "authenticate", "certificate", "clientca", "drain", "health", "overload", "server*")
	for _, none := range []seededFault{{file: "admission/server.go"}, {file: "wire/decode.go"}} {
		if foundBy(t, none, binaries, servers) {
			t.Fatal("without a fault the tests fail")
		}
	}
	found := map[string][]string{} // kinds by file
	for _, f := range faults.all {
		if !foundBy(t, f, binaries, servers) {
			t.Errorf("%s: nothing finds that %s in\n\t%s", f.file, f.Kind, f.Place)
			continue
		}
		found[f.file] = append(found[f.file], f.Kind)
	}
	if !t.Failed() {
		holdTable(t, "emitted faults", emittedTable(found, len(faults.all)))
	}
}

// seededFaults are what has been seeded, and the overlay with which go builds it.
type seededFaults struct {
	overlay string
	all     []seededFault
}

type seededFault struct {
	Fault
	file string // below templates
}

func seedEmitted(t *testing.T) seededFaults {
	templates, err := filepath.Abs("../../templates")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	put := func(name string, text []byte) {
		copied := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(copied, text, 0o600); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(templates, name)] = copied
	}
	byFile := map[string][]emittedFault{}
	for _, f := range emittedFaults() {
		byFile[f.file] = append(byFile[f.file], f)
	}
	var seeded seededFaults
	for file, faults := range byFile {
		source, err := os.ReadFile(filepath.Join(templates, file))
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
		put(file, text)
		for _, f := range here {
			seeded.all = append(seeded.all, seededFault{f, file})
		}
		put(path.Dir(file)+"/zz_seeded.go", fmt.Appendf(nil, "package %s\n\nimport \"os\"\n\nvar seededFault = os.Getenv(%q)\n", path.Dir(file), Variable))
	}
	if t.Failed() {
		t.FailNow()
	}
	slices.SortFunc(seeded.all, func(a, b seededFault) int { return strings.Compare(a.ID, b.ID) })
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	seeded.overlay = filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(seeded.overlay, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return seeded
}

// foundBy reports whether a test finds a fault. Those of servers take seconds, and are asked last about what is none of a
// server's.
func foundBy(t *testing.T, f seededFault, binaries map[string]string, servers string) bool {
	fails := func(pkg string, flags ...string) bool {
		cmd := exec.Command(binaries[pkg], append(flags, "-test.failfast", "-test.timeout=2m")...)
		cmd.Dir = filepath.Join("../../templates", pkg)
		cmd.Env = append(os.Environ(), Variable+"="+f.ID)
		return cmd.Run() != nil
	}
	switch path.Dir(f.file) {
	case "conversion":
		return fails("conversion")
	case "wire": // which both are made of
		return fails("conversion") || fails("admission", "-test.skip="+servers)
	}
	if isServer, _ := regexp.MatchString(`/(authenticate|certificate|clientca|drain|health|overload|server\w*)\.go$`, f.file); isServer {
		own := testsIn(t, strings.TrimSuffix(path.Base(f.file), ".go"))
		return fails("admission", "-test.run="+own) || fails("admission", "-test.run="+servers)
	}
	return fails("admission", "-test.skip="+servers) || fails("admission", "-test.run="+servers)
}

// testsIn is a pattern of the tests in files of package admission.
func testsIn(t *testing.T, files ...string) string {
	var names []string
	for _, file := range files {
		matches, err := filepath.Glob("../../templates/admission/" + file + "_test.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range matches {
			text, err := os.ReadFile(match)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(string(text), -1) {
				names = append(names, m[1])
			}
		}
	}
	return "^(" + strings.Join(names, "|") + ")$"
}

func emittedTable(found map[string][]string, total int) string {
	var out strings.Builder
	out.WriteString("| file | seeded and found |\n|---|---|\n")
	for _, file := range slices.Sorted(maps.Keys(found)) {
		fmt.Fprintf(&out, "| %s | %s |\n", file, strings.Join(found[file], "; "))
	}
	fmt.Fprintf(&out, "| all | %d |\n", total)
	return out.String()
}
