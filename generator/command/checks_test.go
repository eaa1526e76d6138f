// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// checkRow is a row of the table of checks in docs/reference/markers.md.
type checkRow struct {
	check, expression string
	// differs are the objects on which the two sides differ, as the page shows them.
	differs []string
}

// checkValues are the values of each field, besides its absence. The schema accepts all of them.
var checkValues = map[string][]string{
	"name":    {`""`, `"a"`, `"abcd"`, `"äöü"`, `"A1"`},
	"size":    {`0`, `1`, `-1`, `5`},
	"limit":   {`0`, `10`, `11`, `-1`},
	"paused":  {`false`, `true`},
	"tags":    {`[]`, `["x"]`, `["y", "z"]`, `[""]`},
	"ports":   {`[]`, `[{}]`, `[{"number": 0}]`, `[{"number": 100}, {"number": 101}]`},
	"options": {`{}`, `{"mode": ""}`, `{"mode": "a"}`, `{"other": "a"}`},
	"timeout": {`"0s"`, `"60s"`, `"1m"`, `"1m1ns"`, `"1.5h"`, `"-1h"`, `"1d"`, `""`},
	"memory":  {`"1Gi"`, `"1024Mi"`, `"1073741825"`, `1073741824`, `0`, `"0"`, `"2e9"`, `"500m"`},
	"port":    {`0`, `1024`, `1025`, `"80"`, `"2000"`, `"http"`, `""`},
	"until":   {`"2025-12-31T23:59:59Z"`, `"2026-01-01T00:00:00Z"`, `"2026-01-01T00:30:00+01:00"`},
}

var (
	code   = regexp.MustCompile("`([^`]*)`")
	sample = regexp.MustCompile("`(\\{[^`]*\\})`(?: to `(\\{[^`]*\\})`)?")
	member = regexp.MustCompile(`\bo\.Spec\.([A-Z]\w*)`)
)

// checkSample is an object and, for an update, the old one.
type checkSample struct {
	Row      int             `json:"row"`
	Old, New json.RawMessage `json:",omitempty"`
}

// shown is the sample as the page shows it.
func (s checkSample) shown() string {
	if s.Old == nil {
		return string(s.New)
	}
	return string(s.Old) + " to " + string(s.New)
}

// TestChecks evaluates both sides of each row: the check in Go on the decoded object, and the expression in a policy.
// The sides differ for exactly the objects that the row shows.
func TestChecks(t *testing.T) {
	if testing.Short() {
		t.Skip("calls the go command")
	}
	page, err := os.ReadFile("../../docs/reference/markers.md")
	if err != nil {
		t.Fatal(err)
	}
	types, rows := checkTable(t, string(page))
	var samples []checkSample
	for i, r := range rows {
		samples = append(samples, r.samples(t, i)...)
	}
	dir := checkModule(t, types, rows)
	inGo := deniedInGo(t, dir, samples)
	byPolicy := deniedByPolicy(t, dir, samples)
	for i, r := range rows {
		var differ []string
		denied := map[bool]bool{}
		for j, s := range samples {
			if s.Row != i {
				continue
			}
			denied[inGo[j]] = true
			if inGo[j] != byPolicy[j] && !slices.Contains(differ, s.shown()) {
				differ = append(differ, s.shown())
			}
		}
		if len(denied) != 2 {
			t.Errorf("%s: all samples have the same verdict", r.check)
		}
		if diff := cmp.Diff(slices.Sorted(slices.Values(r.differs)), slices.Sorted(slices.Values(differ))); diff != "" {
			t.Errorf("%s and %s differ for other objects (-page +found)\n%s", r.check, r.expression, diff)
		}
	}
}

// checkTable returns the types of the page, and its rows.
func checkTable(t *testing.T, page string) (types string, rows []checkRow) {
	t.Helper()
	_, section, _ := strings.Cut(page, "## From a Go validator to a policy\n")
	_, types, _ = strings.Cut(section, "```go\n")
	types, _, _ = strings.Cut(types, "```\n")
	_, table, _ := strings.Cut(section, "<!-- checks -->")
	table, _, _ = strings.Cut(table, "<!-- end of checks -->")
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.ReplaceAll(line, `\|`, "\x00"), "|")
		if len(cells) != 5 || !strings.Contains(cells[1], "`") {
			continue
		}
		for i := range cells {
			cells[i] = strings.ReplaceAll(cells[i], "\x00", "|")
		}
		r := checkRow{check: code.FindStringSubmatch(cells[1])[1], expression: code.FindStringSubmatch(cells[2])[1]}
		for _, m := range sample.FindAllStringSubmatch(cells[3], -1) {
			s := m[1]
			if m[2] != "" {
				s += " to " + m[2]
			}
			r.differs = append(r.differs, s)
		}
		rows = append(rows, r)
	}
	if len(rows) < 10 || types == "" {
		t.Fatalf("the page has %d checks", len(rows))
	}
	return types, rows
}

// samples are creations of objects with each value of the field that the check reads; with an old object, also updates
// from each value to each other.
func (r checkRow) samples(t *testing.T, row int) (all []checkSample) {
	t.Helper()
	read := member.FindStringSubmatch(r.check)
	if read == nil || checkValues[strings.ToLower(read[1])] == nil {
		t.Fatalf("%s reads no known field", r.check)
	}
	specs := []string{"{}"}
	for _, v := range checkValues[strings.ToLower(read[1])] {
		specs = append(specs, fmt.Sprintf("{%q: %s}", strings.ToLower(read[1]), v))
	}
	for _, s := range specs {
		all = append(all, checkSample{Row: row, New: json.RawMessage(s)})
		for _, old := range specs {
			if strings.Contains(r.check, "old") {
				all = append(all, checkSample{row, json.RawMessage(old), json.RawMessage(s)})
			}
		}
	}
	return all
}

// checkModule writes a module with the types, a policy for each row, and a program that makes the checks.
func checkModule(t *testing.T, types string, rows []checkRow) (dir string) {
	t.Helper()
	var source, checks strings.Builder
	source.WriteString("// +groupName=shop.example.com\n// +versionName=v1\npackage main\n\nimport (\n\t\"k8s.io/apimachinery/pkg/api/resource\"\n" +
		"\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\t\"k8s.io/apimachinery/pkg/util/intstr\"\n)\n\n// Widget is an object.\n//\n")
	for i, r := range rows {
		fmt.Fprintf(&source, "// +webhook:policy:validating(name: \"row%d\", operations: \"create;update\")\n// +webhook:policy:validation(policy: \"row%[1]d\")=`%s`\n", i, r.expression)
		fmt.Fprintf(&checks, "\tfunc(o, old *Widget) bool { return %s },\n", r.check)
	}
	source.WriteString("type Widget struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec\"`\n}\n\n" +
		"var _ resource.Quantity\nvar _ intstr.IntOrString\n\n" + types)
	program := `package main

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var (
	_ = regexp.MustCompile
	_ = slices.Contains[[]int, int]
	_ = time.Minute
	_ = resource.MustParse
	_ = intstr.String
)

var checks = []func(o, old *Widget) bool{
` + checks.String() + `}

func main() {
	var samples []struct {
		Row      int
		Old, New json.RawMessage
	}
	if err := json.NewDecoder(os.Stdin).Decode(&samples); err != nil {
		panic(err)
	}
	var denied []bool
	for _, s := range samples {
		o, old := &Widget{}, (*Widget)(nil)
		err := json.Unmarshal(s.New, &o.Spec)
		if s.Old != nil && err == nil {
			old = &Widget{}
			err = json.Unmarshal(s.Old, &old.Spec)
		}
		denied = append(denied, err != nil || checks[s.Row](o, old))
	}
	json.NewEncoder(os.Stdout).Encode(denied)
}
`
	dir = t.TempDir()
	requirements, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile("../../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	_, required, _ := strings.Cut(string(requirements), "\n")
	for name, text := range map[string]string{
		"go.mod": "module example.com/widgets\n" + required, "go.sum": string(sums), "types.go": source.String(), "main.go": program,
		"webhook-gen.yaml": "version: 1\noutputs: [manifests]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// deniedInGo returns for each sample whether the object cannot be decoded or the check is true.
func deniedInGo(t *testing.T, dir string, samples []checkSample) (denied []bool) {
	t.Helper()
	in, err := json.Marshal(samples)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("go", "run", "-mod=mod", ".")
	c.Dir, c.Stdin = dir, bytes.NewReader(in)
	c.Env = append(os.Environ(), "GOWORK=off", "TZ=Asia/Tokyo")
	var out, trouble bytes.Buffer
	c.Stdout, c.Stderr = &out, &trouble
	if err := c.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &trouble)
	}
	if err := json.Unmarshal(out.Bytes(), &denied); err != nil || len(denied) != len(samples) {
		t.Fatalf("%d results: %v", len(denied), err)
	}
	return denied
}

// deniedByPolicy returns for each sample whether the expression of its row is false or fails.
func deniedByPolicy(t *testing.T, dir string, samples []checkSample) (denied []bool) {
	t.Helper()
	object := func(spec json.RawMessage) any {
		if spec == nil {
			return nil
		}
		return map[string]any{"apiVersion": "shop.example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "w", "namespace": "shop"}, "spec": spec}
	}
	var requests []any
	for _, s := range samples {
		operation := "CREATE"
		if s.Old != nil {
			operation = "UPDATE"
		}
		requests = append(requests, map[string]any{
			"operation": operation, "name": "w", "namespace": "shop", "object": object(s.New), "oldObject": object(s.Old),
			"resource": map[string]any{"group": "shop.example.com", "version": "v1", "resource": "widgets"},
			"kind":     map[string]any{"group": "shop.example.com", "version": "v1", "kind": "Widget"},
		})
	}
	in, err := json.Marshal(map[string]any{"requests": requests})
	if err != nil {
		t.Fatal(err)
	}
	var out, trouble bytes.Buffer
	// generate fails if an expression does not compile, or does not fit the type.
	if code := run(t.Context(), []string{"generate", "-C", dir, "--strict"}, streams{out: &trouble, err: &trouble}); code != 0 {
		t.Fatalf("generate exits with %d\n%s", code, &trouble)
	}
	if code := run(t.Context(), []string{"explain", "evaluate", "-C", dir}, streams{in: bytes.NewReader(in), out: &out, err: &trouble}); code != 0 {
		t.Fatalf("evaluate exits with %d\n%s", code, &trouble)
	}
	var answers struct {
		Answers []struct {
			Error string
			Steps []struct{ Policy, Verdict, Message string }
		}
	}
	if err := json.Unmarshal(out.Bytes(), &answers); err != nil || len(answers.Answers) != len(samples) {
		t.Fatalf("%d answers: %v", len(answers.Answers), err)
	}
	for i, a := range answers.Answers {
		at := slices.IndexFunc(a.Steps, func(s struct{ Policy, Verdict, Message string }) bool {
			return strings.HasPrefix(s.Policy, fmt.Sprintf("row%d.", samples[i].Row))
		})
		if at < 0 || !slices.Contains([]string{"allowed", "denied", "error"}, a.Steps[at].Verdict) {
			t.Fatalf("%s: no verdict: %+v", samples[i].shown(), a)
		}
		denied = append(denied, a.Steps[at].Verdict != "allowed")
	}
	return denied
}
