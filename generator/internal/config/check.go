// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/util/validation"
)

func notEmpty(s string) error {
	if s == "" {
		return errors.New("the text is empty")
	}
	return nil
}

// buildTag checks a build tag by the rule of go/build/constraint.
func buildTag(s string) error {
	foreign := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '.' }
	switch {
	case s == "":
		return errors.New("a build tag is empty")
	case strings.ContainsAny(s, ", "):
		return fmt.Errorf("%q is not one build tag: list them one by one", s)
	case strings.ContainsFunc(s, foreign):
		return fmt.Errorf("%q is not a build tag: those have letters, digits, underscores and dots", s)
	}
	return nil
}

// subdomain checks a domain by k8s.io/apimachinery/pkg/util/validation.IsDNS1123Subdomain. The API server checks the
// name of a webhook, which ends in the domain, by the same function.
func subdomain(s string) error {
	if len(validation.IsDNS1123Subdomain(s)) > 0 {
		return fmt.Errorf("%q is not a DNS subdomain: those have lower-case letters, digits and - between their dots, as example.com", s)
	}
	return nil
}

var minor = regexp.MustCompile(`^1\.[1-9][0-9]*$`)

// kubernetesVersion checks a version of Kubernetes without its patch.
func kubernetesVersion(s string) error {
	if !minor.MatchString(s) {
		return fmt.Errorf("%q is not a version of Kubernetes such as 1.34", s)
	}
	return nil
}

// manifestPath checks the path of a manifest. Links that lead out of the module are detected when the manifest is
// written.
func manifestPath(s string) error {
	if err := localPath(s); err != nil {
		return err
	}
	if extension := path.Ext(s); extension != ".yaml" && extension != ".yml" {
		return fmt.Errorf("%q does not end in .yaml or .yml", s)
	}
	if path.Base(s) == "policies.yaml" {
		return fmt.Errorf("%q is for policies, which have a file of their own beside the manifest", s)
	}
	return nil
}

// localPattern checks a glob of files inside the module.
func localPattern(s string) error {
	if err := localPath(s); err != nil {
		return err
	}
	if _, err := path.Match(s, ""); err != nil {
		return fmt.Errorf("%q is not a pattern: a bracket is not closed", s)
	}
	return nil
}

// localPath checks a path that has to stay inside the module.
func localPath(s string) error {
	switch {
	case s == "":
		return errors.New("the path is empty")
	case strings.Contains(s, `\`):
		return fmt.Errorf("%q holds a backslash: folders are separated by /", s)
	case path.IsAbs(s) || filepath.IsAbs(s):
		return fmt.Errorf("%q is absolute: paths are relative to %s", s, FileName)
	case !filepath.IsLocal(filepath.FromSlash(s)):
		return fmt.Errorf("%q leaves the module", s)
	}
	return nil
}

// namePrefix checks the beginning of an object's name by the rule of such names.
func namePrefix(s string) error {
	if len(validation.IsDNS1123Subdomain(s+"x")) > 0 {
		return fmt.Errorf("%q cannot begin the name of an object: lower-case letters, digits, - and dots can, as shop-", s)
	}
	return nil
}

var accepted = regexp.MustCompile(`^.* \[G\d+\]: .*\S`)

// acceptance checks an accepted finding: its printed text, and the reason.
func acceptance(s string) error {
	if !accepted.MatchString(s) {
		return fmt.Errorf("%q is not a finding with a reason: MESSAGE [G17]: REASON", s)
	}
	return nil
}

// objectName checks the name of an object by k8s.io/apimachinery/pkg/util/validation.IsDNS1123Label.
func objectName(s string) error {
	if len(validation.IsDNS1123Label(s)) > 0 {
		return fmt.Errorf("%q cannot name an object: lower-case letters, digits and - can, as shop", s)
	}
	return nil
}
