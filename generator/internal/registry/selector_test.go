// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/labels"
)

// TestValuesAsLabels invents selectors. Each run of bare labels behind a requirement with = or != must give a doubt.
// The second selector of the doubt's hint must have the requirements of the first.
func TestValuesAsLabels(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 12))
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	hinted := regexp.MustCompile(`^for values, write (.*); for labels, write them first: (.*)$`)
	found := 0
	for range 3000 {
		var pieces []string
		var want []string
		inRun, run := false, ""
		for i := range 1 + r.IntN(5) {
			key := string(rune('a'+i)) + pick("", "b.c", "-d")
			kind := r.IntN(6)
			switch kind {
			case 0, 1:
				pieces = append(pieces, key)
			case 2:
				pieces = append(pieces, pick("!"+key, "example.com/"+key))
			case 3:
				pieces = append(pieces, key+pick(" in ", " notin ")+pick("(x)", "(x, y)", "(x,y,z)"))
			case 4:
				pieces = append(pieces, key+pick("=", "==", " = ")+pick("x", "y.z"))
			case 5:
				pieces = append(pieces, key+pick("!=", " != ")+"x")
			}
			switch {
			case kind < 2 && inRun && run == "":
				run = key
			case kind < 2 && inRun:
				run += ", " + key
			case kind >= 2:
				if run != "" {
					want = append(want, run)
				}
				inRun, run = kind >= 4, ""
			}
		}
		if run != "" {
			want = append(want, run)
		}
		text := strings.Join(pieces, pick(",", ", "))
		given, err := labels.ParseToRequirements(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var got []string
		for _, d := range valuesAsLabels(text) {
			words := strings.Split(text[d.Begin:d.End], ",")
			for i := range words {
				words[i] = strings.TrimSpace(words[i])
			}
			got = append(got, strings.Join(words, ", "))
			hint := hinted.FindStringSubmatch(d.Hint)
			if hint == nil {
				t.Fatalf("%s: the hint is %q", text, d.Hint)
			}
			for _, selector := range hint[1:] {
				if _, err := labels.ParseToRequirements(selector); err != nil || valuesAsLabels(selector) != nil {
					t.Errorf("%s: %s has doubts, too, or %v", text, selector, err)
				}
			}
			same, _ := labels.ParseToRequirements(hint[2])
			for _, requirement := range same {
				if !slices.ContainsFunc(given, func(g labels.Requirement) bool {
					return strings.Replace(g.String(), "==", "=", 1) == requirement.String()
				}) {
					t.Errorf("%s: %s has another requirement", text, hint[2])
				}
			}
			found++
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", text, diff)
		}
	}
	t.Logf("%d doubts", found)
	if found < 500 {
		t.Error("the selectors have too few doubts")
	}
}
