// SPDX-License-Identifier: Apache-2.0

package kubebuilder

import (
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// identify returns the definition that a marker, from its + on, follows, and the offset of its arguments.
//
// The name ends at the last colon before the first equals sign, as in
// sigs.k8s.io/controller-tools/pkg/markers.Definition.Parse. In a marker without an equals sign, everything is the
// name.
func identify(marker string) (d definition, arguments int, known bool) {
	name, _, assigns := strings.Cut(marker[1:], "=")
	if name != webhookName && name != configurationName && assigns {
		name = name[:max(0, strings.LastIndexByte(name, ':'))]
	}
	arguments = min(len("+")+len(name)+len(":"), len(marker))
	switch name {
	case webhookName:
		return webhookDefinition(), arguments, true
	case configurationName:
		return configurationDefinition(), arguments, true
	}
	return definition{}, 0, false
}

// misspelt reports whether a marker that identify does not recognize was meant to be one of the two, and which. It was
// if its second word begins with webhook, or if each of its first two words is few letters away from the correct one.
func misspelt(marker string) (meant string, ok bool) {
	words := strings.FieldsFunc(marker[1:], func(r rune) bool { return strings.ContainsRune(":= \t", r) })
	if len(words) < 2 {
		return "", false
	}
	if _, near := diag.Nearest(words[0], []string{"kubebuilder"}); !near {
		return "", false
	}
	noun := strings.ToLower(words[1])
	if after, found := strings.CutPrefix(noun, "webhook"); found {
		if strings.HasPrefix(after, "c") {
			return configurationName, true
		}
		return webhookName, true
	}
	near, ok := diag.Nearest(noun, []string{"webhook", "webhookconfiguration"})
	return "kubebuilder:" + near, ok
}
