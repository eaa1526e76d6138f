// SPDX-License-Identifier: Apache-2.0

package vet

import (
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"
)

// IsTool reports whether go vet calls this program as its tool (golang.org/x/tools/go/analysis/unitchecker): for its
// version, for its flags, or for one package, whose description is an absolute path.
func IsTool(arguments []string) bool {
	n := len(arguments)
	if n == 0 {
		return false
	}
	if n == 1 && (arguments[0] == "-V=full" || arguments[0] == "-flags") {
		return true
	}
	last := arguments[n-1]
	return filepath.IsAbs(last) && filepath.Base(last) == "vet.cfg" &&
		!slices.ContainsFunc(arguments[:n-1], func(a string) bool { return !strings.HasPrefix(a, "-") || len(a) < 3 })
}

// Tool answers go vet, and ends the program.
func Tool() { unitchecker.Main(Analyzers()...) }
