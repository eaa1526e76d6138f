// SPDX-License-Identifier: Apache-2.0

package load

import "github.com/webhook-gen/webhook-gen/generator/internal/diag"

const (
	ruleNoModule    = "L1"
	ruleNoMatch     = "L2"
	ruleUnreadable  = "L3"
	ruleSyntax      = "L4"
	rulePackageName = "L5"
	ruleModFile     = "L6"
)

// Rules documents the rules of Load.
func Rules() []diag.Rule {
	return []diag.Rule{
		{ID: ruleNoModule, Title: "the folder is in a Go module"},
		{ID: ruleNoMatch, Title: "every pattern matches a package"},
		{ID: ruleUnreadable, Title: "every folder and Go file that a pattern covers can be read"},
		{ID: ruleSyntax, Title: "a file with markers is valid Go"},
		{ID: rulePackageName, Title: "the files of a folder agree on the package name"},
		{ID: ruleModFile, Title: "go.mod and go.work are valid"},
	}
}
