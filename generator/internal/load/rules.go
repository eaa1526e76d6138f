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

// Rules documents what Load reports.
func Rules() []diag.Rule {
	return []diag.Rule{
		{
			ID: ruleNoModule, Title: "the folder is in a Go module",
			Doc: "Import paths, and with them the names and paths of webhooks, come from go.mod. " +
				"Run webhook-gen in a folder that has a go.mod or a go.work in it or above it, or name such a folder.",
		},
		{
			ID: ruleNoMatch, Title: "every pattern matches a package",
			Doc: "Patterns work as in the go command: folders (./api/v1), folders with all below them (./api/...), and " +
				"import paths of the module or of the modules that go.work uses. As there, ... leaves out vendor and testdata, " +
				"folders that begin with . or _, nested modules, and what go.mod ignores.",
		},
		{
			ID: ruleUnreadable, Title: "every folder and Go file that a pattern covers can be read",
			Doc: "A file that cannot be read may hold a marker, so a manifest without it could be incomplete. " +
				"Fix its permissions or its link, or narrow the patterns.",
		},
		{
			ID: ruleSyntax, Title: "a file with markers is valid Go",
			Doc: "A file that does not parse is left out and nothing is written. Files without markers may be broken, " +
				"and no file needs to type-check.",
		},
		{
			ID: rulePackageName, Title: "the files of a folder agree on the package name",
			Doc: "As the go command does, webhook-gen treats a folder as one package. A program beside it, such as " +
				"a generator, needs a //go:build ignore line.",
		},
		{
			ID: ruleModFile, Title: "go.mod and go.work are valid",
			Doc: "They say which folders belong together and under which import paths; the modules that a go.work uses must exist. " +
				"GOWORK=off ignores go.work.",
		},
	}
}
