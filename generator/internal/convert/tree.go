// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// errorTree shows the fields of both versions one above the other. It begins at the kind, marks each step that both
// have, and shows the types at the end. The hint follows below:
//
//	v1: Order.spec.rollout.surge     *intstr.IntOrString
//	          |    |       |
//	v2: Order.spec.rollout.maxSurge  int32
func errorTree(c *model.Conversion, at place, spoke, hub *resolve.Type, hint string) string {
	above, under := append([]string{c.Spoke.Name}, at.spoke.names()...), append([]string{c.Hub.Name}, at.hub.names()...)
	var lines [3]strings.Builder
	width := max(len(c.Spoke.Version), len(c.Hub.Version))
	lines[0].WriteString(pad(c.Spoke.Version+":", width+2))
	lines[1].WriteString(pad("", width+2))
	lines[2].WriteString(pad(c.Hub.Version+":", width+2))
	for i := range max(len(above), len(under)) {
		a, m, u := "", " ", ""
		if i < len(above) {
			a = dotted(above[i], i+1 < len(above))
		}
		if i < len(under) {
			u = dotted(under[i], i+1 < len(under))
		}
		if a != "" && u != "" {
			m = "|"
		}
		w := max(len(a), len(u), 1)
		for j, text := range []string{a, m, u} {
			lines[j].WriteString(pad(text, w))
		}
	}
	if spoke != nil {
		lines[0].WriteString("  " + spoke.String())
	}
	if hub != nil {
		lines[2].WriteString("  " + hub.String())
	} else {
		lines[2].WriteString("  (nothing)")
	}
	tree := make([]string, len(lines), len(lines)+1)
	for i := range lines {
		tree[i] = strings.TrimRight(lines[i].String(), " ")
	}
	if hint != "" {
		tree = append(tree, hint)
	}
	return strings.Join(tree, "\n    ")
}

func dotted(name string, more bool) string {
	if more {
		return name + "."
	}
	return name
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-len(text)))
}
