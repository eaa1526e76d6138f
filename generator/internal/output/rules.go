// SPDX-License-Identifier: Apache-2.0

package output

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// The ids under which this package reports.
const (
	RuleOutside  = "O1"
	RuleTwice    = "O2"
	RuleNotOurs  = "O3"
	RuleInTheWay = "O4"
	RuleReadOnly = "O5"
	RuleDisk     = "O6"
	RuleChanged  = "O7"
	RuleHeading  = "O8"
	RuleStale    = "O9"
	RuleRuntime  = "O10"
	RuleOrphan   = "O11"
)

// Rules documents them.
func Rules() []diag.Rule {
	return []diag.Rule{
		{ID: RuleOutside, Title: "generated files are inside the module",
			Doc: "Links are followed first, and may not lead out of the module's folder. " +
				"Change the path in webhook-gen.yaml, or the link."},
		{ID: RuleTwice, Title: "each path is generated once",
			Doc: "Two files of one name, or of names that differ only in case, cannot both be written: " +
				"file systems that ignore case would keep one of them. Give one of the two another name or folder."},
		{ID: RuleNotOurs, Title: "files that webhook-gen did not write are never replaced",
			Doc: "A Go file is ours if it has the line `" + GoHeader + "` before its package clause " +
				"(the rule of go/ast.IsGenerated); a manifest if it begins with `" + YAMLHeader + "`, or holds nothing but " +
				"MutatingWebhookConfiguration and ValidatingWebhookConfiguration documents. In a definition that crds names, the lines of spec.conversion are. " +
				"Of a chart, values.schema.json and NOTES.txt are ours with the same words in their first lines, and in Chart.yaml the line kubeVersion with its comment. " +
				"Move your own lines to another file."},
		{ID: RuleInTheWay, Title: "no folder or link is in the place of a generated file",
			Doc: "A folder, a device, or a file in place of a folder is not removed. Neither is a link to a generated " +
				"file that is no longer wanted. Move it out of the way, or change the path in webhook-gen.yaml."},
		{ID: RuleReadOnly, Title: "files and folders to write are writable",
			Doc: "A read-only file is not replaced, even if the folder would allow it. If one file cannot be written, none is."},
		{ID: RuleDisk, Title: "reading and writing succeed",
			Doc: "The disk is full, a name is too long, a quota is reached, or the like. Files that were already written are restored."},
		{ID: RuleChanged, Title: "files do not change while webhook-gen works",
			Doc: "Another program has changed the file between comparison and writing. Nothing is written. Run webhook-gen again."},
		{ID: RuleHeading, Title: "the text of headerFile is a comment and nothing else",
			Doc: "It is put at the top of Go and YAML files: as Go comments, as lines that begin with #, or as plain text. " +
				"A package clause, a build constraint, a directive, a marker, the line of a generated file or {{ would have an effect there."},
		{ID: RuleStale, Title: "generated files are up to date",
			Doc: "verify reports this of each file that generate would create, replace or remove. " +
				"In the form text it prints a diff instead. Run webhook-gen and commit the result."},
		{ID: RuleRuntime, Title: "the runtime in go.mod is new enough for generated code",
			Doc: "verify reports this; a replaced runtime is not checked. It prints the commands that update go.mod."},
		{ID: RuleOrphan, Severity: diag.Warning, Title: "no file of yours needs generated code that goes",
			Doc: "A marker or its type is gone, and a validator, defaulter or test for it is left. It does not compile without the generated code. " +
				"Remove the file, or put the marker back."},
	}
}

// trouble reports an error of the file system under the rule that it breaks. verb is the failed operation on the file.
func trouble(path, verb string, err error, cause diag.Range) diag.Diagnostic {
	base := filepath.Base(path)
	switch {
	case errors.Is(err, errOutside):
		return asked(at(path, RuleOutside, "cannot %s %s: its place is outside the module", verb, base), cause)
	case errors.Is(err, errFolder):
		return inTheWay(path, cause, "%s is a folder, and a file of that name is needed", base)
	case errors.Is(err, errSpecial):
		return inTheWay(path, cause, "%s is not a regular file", base)
	case errors.Is(err, errChanged):
		return asked(at(path, RuleChanged, "%s was changed by something else meanwhile", base), cause).
			WithHint("run webhook-gen again")
	}
	rule := RuleDisk
	if errors.Is(err, errReadOnly) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		rule = RuleReadOnly
	}
	return asked(at(path, rule, "cannot %s %s: %v", verb, base, regular.Reason(err)), cause)
}

func inTheWay(path string, cause diag.Range, format string, args ...any) diag.Diagnostic {
	return asked(at(path, RuleInTheWay, format, args...), cause)
}

func claimedTwice(path string, first, second File) diag.Diagnostic {
	d := at(path, RuleTwice, "%s would be written twice", filepath.Base(path))
	if filepath.Base(first.Path) != filepath.Base(second.Path) {
		d = at(path, RuleTwice, "%s and %s are one file where case does not count", filepath.Base(first.Path), filepath.Base(second.Path))
	}
	if second.Cause.IsValid() {
		d.Range = second.Cause
	}
	if first.Cause.IsValid() {
		d = d.WithRelated(first.Cause, "this marker writes it, too")
	}
	return d
}

func notOurs(f File) diag.Diagnostic {
	d := at(f.Path, RuleNotOurs, "%s exists and was not generated by webhook-gen: it lacks the header", filepath.Base(f.Path)).
		WithHint("move or remove the file")
	return asked(d, f.Cause)
}

func notOnlyOurs(f File, other foreign) diag.Diagnostic {
	d := at(f.Path, RuleNotOurs, "%s would be replaced, and holds %s", filepath.Base(f.Path), other.what).
		WithHint("move everything but webhook configurations to another file, or set manifests.path in webhook-gen.yaml")
	if d.Pos.Line = other.line; other.line > 0 {
		d.Pos.Column = 1
	}
	return asked(d, f.Cause)
}

// at makes an error that concerns a file as a whole.
func at(path, rule, format string, args ...any) diag.Diagnostic {
	return diag.Errorf(diag.Range{Pos: diag.Position{File: path}}, rule, format, args...)
}

// asked adds the marker without which the file would not be wanted.
func asked(d diag.Diagnostic, cause diag.Range) diag.Diagnostic {
	if cause.IsValid() {
		d = d.WithRelated(cause, "this marker writes the file")
	}
	return d
}
