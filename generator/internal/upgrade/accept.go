// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"slices"
	"strings"
)

// Accept marks the findings that the new state accepts, and returns what of its acceptances fits none. One counts in
// the step that adds it: what the old state accepts too was about another step, and is left aside.
func Accept(found []Finding, from, to *State) (unused []string) {
	for _, accepted := range to.Accepted {
		if slices.Contains(from.Accepted, accepted) {
			continue
		}
		used := false
		for i := range found {
			f := &found[i]
			if reason, ok := strings.CutPrefix(accepted, f.title()+": "); ok {
				f.Accepted, used = strings.TrimSpace(reason), true
			}
		}
		if !used {
			unused = append(unused, accepted)
		}
	}
	return unused
}

// title is what a finding is accepted by.
func (f Finding) title() string { return f.Message + " [" + f.Rule + "]" }
