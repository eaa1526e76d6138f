// SPDX-License-Identifier: Apache-2.0

// Package scenario reads the scenarios in generator/testdata. Tests of package generator compare what a run writes;
// tests of generator/compile compile and run it.
package scenario

import (
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
)

// Files of an archive that hold the expected outcome.
const (
	WantPrefix  = "want/"       // each file that the run writes or changes, below this folder
	Removed     = "removed"     // names of files that the run removes
	Diagnostics = "diagnostics" // findings that the run reports
	Difference  = "want.diff"   // in place of the others: what differs from the outcome of the base
)

// A Scenario is one txtar file: a module, a run of the generator, and the expected outcome.
type Scenario struct {
	Name    string // the file's name without its extension
	Comment []byte
	Input   []txtar.File
	Want    []txtar.File
	Run     Run
	// Base is the file of the scenario that the comment names in a line that begins with "base: "; empty for none.
	Base string
}

// Run is what lines of the comment set that begin with "run: ":
//
//	run: patterns... strict v1beta1 tags=a,b dir=sub handlers conversions tests delivery configured
//
// With configured, webhook-gen.yaml sets the outputs.
type Run struct {
	Dir                   string // relative to the module
	Patterns              []string
	Tags                  []string
	Outputs               []string // manifests, and the named ones
	AdmissionRegistration string
	Strict                bool
}

// Read reads a scenario from its file.
func Read(file string) (Scenario, error) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		return Scenario{}, err
	}
	s := Scenario{Name: strings.TrimSuffix(filepath.Base(file), ".txtar"), Comment: archive.Comment, Run: Run{Outputs: []string{"manifests"}}}
	for line := range strings.Lines(string(archive.Comment)) {
		if name, ok := strings.CutPrefix(line, "base: "); ok {
			s.Base = filepath.Join(filepath.Dir(file), strings.TrimSpace(name)+".txtar")
		}
		if words, ok := strings.CutPrefix(line, "run: "); ok {
			s.Run.set(strings.Fields(words))
		}
	}
	for _, f := range archive.Files {
		if strings.HasPrefix(f.Name, WantPrefix) || f.Name == Diagnostics || f.Name == Removed || f.Name == Difference {
			s.Want = append(s.Want, f)
		} else {
			s.Input = append(s.Input, f)
		}
	}
	return s, nil
}

// Format returns the scenario as a txtar file with another outcome.
func (s Scenario) Format(want []txtar.File) []byte {
	return txtar.Format(&txtar.Archive{Comment: s.Comment, Files: slices.Concat(s.Input, want)})
}

// set sets the words of a line.
func (r *Run) set(words []string) {
	for _, word := range words {
		switch name, value, _ := strings.Cut(word, "="); name {
		case "strict":
			r.Strict = true
		case "handlers", "conversions", "tests", "delivery":
			r.Outputs = append(r.Outputs, name)
		case "configured":
			r.Outputs = nil
		case "v1beta1":
			r.AdmissionRegistration = name
		case "tags":
			r.Tags = strings.Split(value, ",")
		case "dir":
			r.Dir = value
		default:
			r.Patterns = append(r.Patterns, word)
		}
	}
}
