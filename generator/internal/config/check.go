// SPDX-License-Identifier: Apache-2.0

package config

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation"
)

// refused returns an error with a reason if a value is bad.
func refused(isBad bool, reason string, args ...any) error {
	if !isBad {
		return nil
	}
	return fmt.Errorf(reason, args...)
}

func notEmpty(s string) error { return refused(s == "", "the text is empty") }

// oneOf accepts the words of a choice.
func oneOf(choice []string) func(string) error {
	return func(s string) error {
		return refused(!slices.Contains(choice, s), "%q is not one of %s", s, strings.Join(choice, ", "))
	}
}

// buildTag checks a build tag by the rule of go/build/constraint.
func buildTag(s string) error {
	foreign := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '.' }
	return cmp.Or(
		refused(s == "", "a build tag is empty"),
		refused(strings.ContainsAny(s, ", "), "%q is not one build tag: list them one by one", s),
		refused(strings.ContainsFunc(s, foreign), "%q is not a build tag: those have letters, digits, underscores and dots", s),
	)
}

// subdomain checks a domain by k8s.io/apimachinery/pkg/util/validation.IsDNS1123Subdomain. The API server checks the
// name of a webhook, which ends in the domain, by the same function.
func subdomain(s string) error {
	return refused(len(validation.IsDNS1123Subdomain(s)) > 0,
		"%q is not a DNS subdomain: those have lower-case letters, digits and - between their dots, as example.com", s)
}

var minor = regexp.MustCompile(`^1\.[1-9][0-9]*$`)

// kubernetesVersion checks a version of Kubernetes without its patch.
func kubernetesVersion(s string) error {
	return refused(!minor.MatchString(s), "%q is not a version of Kubernetes such as 1.34", s)
}

// manifestPath checks the path of a manifest. Links that lead out of the module are detected when the manifest is
// written.
func manifestPath(s string) error {
	extension := path.Ext(s)
	return cmp.Or(
		localPath(s),
		refused(extension != ".yaml" && extension != ".yml", "%q does not end in .yaml or .yml", s),
		refused(path.Base(s) == "policies.yaml", "%q is for policies, which have a file of their own beside the manifest", s),
	)
}

// localPattern checks a glob of files inside the module.
func localPattern(s string) error {
	_, err := path.Match(s, "")
	return cmp.Or(localPath(s), refused(err != nil, "%q is not a pattern: a bracket is not closed", s))
}

// localPath checks a path that has to stay inside the module.
func localPath(s string) error {
	return cmp.Or(
		refused(s == "", "the path is empty"),
		refused(!utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }), "%q contains a character that cannot be printed", s),
		refused(strings.Contains(s, `\`), "%q holds a backslash: folders are separated by /", s),
		refused(path.IsAbs(s) || filepath.IsAbs(s), "%q is absolute: paths are relative to %s", s, FileName),
		refused(!filepath.IsLocal(filepath.FromSlash(s)), "%q leaves the module", s),
	)
}

// namePrefix checks the beginning of an object's name by the rule of such names.
func namePrefix(s string) error {
	return refused(len(validation.IsDNS1123Subdomain(s+"x")) > 0,
		"%q cannot begin the name of an object: lower-case letters, digits, - and dots can, as shop-", s)
}

var accepted = regexp.MustCompile(`^.* \[G\d+\]: .*\S`)

// acceptance checks an accepted finding: its printed text, and the reason.
func acceptance(s string) error {
	return refused(!accepted.MatchString(s), "%q is not a finding with a reason: MESSAGE [G17]: REASON", s)
}

// objectName checks the name of an object by k8s.io/apimachinery/pkg/util/validation.IsDNS1123Label.
func objectName(s string) error {
	return refused(len(validation.IsDNS1123Label(s)) > 0, "%q cannot name an object: lower-case letters, digits and - can, as shop", s)
}
