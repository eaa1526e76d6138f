// SPDX-License-Identifier: Apache-2.0

package celcheck

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Print writes the markers of policies with the checks, one policy for each set of operations, and after them the
// checks that stay with the validators. Each Go type of the kind is on its own, such as the type of another version.
func (r Result) Print(w io.Writer) {
	if len(r.Validators) == 0 {
		fmt.Fprintln(w, "no validator was found")
		return
	}
	for i, v := range r.Validators {
		if i > 0 && r.Validators[i-1].Type == v.Type {
			continue
		}
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s\n", v.Type)
		printType(w, slices.DeleteFunc(slices.Clone(r.Checks), func(c Check) bool { return c.Type != v.Type }))
	}
}

func printType(w io.Writer, checks []Check) {
	var sets []string
	left := 0
	for _, c := range checks {
		if set := c.operations(); c.Expression == "" {
			left++
		} else if !slices.Contains(sets, set) {
			sets = append(sets, set)
		}
	}
	for _, set := range sets {
		name, policy := "", ""
		if len(sets) > 1 {
			word := strings.ReplaceAll(set, ";", "-")
			name, policy = fmt.Sprintf("name: %q, ", word), fmt.Sprintf("policy: %q, ", word)
		}
		fmt.Fprintf(w, "\n// +webhook:policy:validating(%soperations: %q)\n", name, set)
		for _, c := range checks {
			if c.Expression != "" && c.operations() == set {
				arguments := strings.TrimSuffix(policy+c.message(), ", ")
				if arguments != "" {
					arguments = "(" + arguments + ")"
				}
				fmt.Fprintf(w, "// +webhook:policy:validation%s=%#q # %s\n", arguments, c.Expression, c.At)
			}
		}
	}
	if left > 0 {
		fmt.Fprintf(w, "\nleft to the validator:\n")
	}
	for _, c := range checks {
		if c.Expression == "" {
			fmt.Fprintf(w, "%s: %s: %s\n", c.At, strings.Join(c.Operations, ", "), c.Reason)
		}
	}
	if len(checks) == 0 {
		fmt.Fprintln(w, "its validators deny nothing")
	}
}

// operations are the operations as a marker has them.
func (c Check) operations() string { return strings.ToLower(strings.Join(c.Operations, ";")) }

// message is the argument of a marker.
func (c Check) message() string {
	if c.Message == "" {
		return ""
	}
	return fmt.Sprintf("message: %q", c.Message)
}
