// SPDX-License-Identifier: Apache-2.0

package hint

import (
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// Tree shows the fields of both versions one above the other. It begins at the kind, marks each step that both
// have, and shows the types at the end. The hint follows below:
//
//	v1: Order.spec.rollout.surge     *intstr.IntOrString
//	          |    |       |
//	v2: Order.spec.rollout.maxSurge  int32
func Tree(c *model.Conversion, above, under []string, spoke, hub *resolve.Type, hint string) string {
	var lines [3]string
	column := func(cells ...string) {
		width := max(len(cells[0]), len(cells[1]), len(cells[2]))
		for i, text := range cells {
			lines[i] += text + strings.Repeat(" ", width-len(text))
		}
	}
	column(c.Spoke.Version+": ", "", c.Hub.Version+": ")
	above, under = append([]string{c.Spoke.Name}, above...), append([]string{c.Hub.Name}, under...)
	for i := range max(len(above), len(under)) {
		a, mark, u := step(above, i), " ", step(under, i)
		if a != "" && u != "" {
			mark = "|"
		}
		column(a, mark, u)
	}
	target := "(nothing)"
	if hub != nil {
		target = hub.String()
	}
	column("  "+spoke.String(), "", "  "+target)
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	tree := strings.Join(lines[:], "\n    ")
	if hint != "" {
		tree += "\n    " + hint
	}
	return tree
}

// step returns a name on a path, with a dot if others follow, and nothing after the last.
func step(names []string, i int) string {
	switch {
	case i+1 < len(names):
		return names[i] + "."
	case i < len(names):
		return names[i]
	}
	return ""
}
