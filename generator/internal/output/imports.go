// SPDX-License-Identifier: Apache-2.0

package output

import (
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// localImports returns the prefix of the imports that a project keeps in a group of their own, behind all others, as
// goimports -local and gci do; empty without one. The configuration of golangci-lint or the Makefile sets it.
func localImports(root string) string {
	goMod, err := regular.ReadFile(filepath.Join(root, "go.mod"), regular.Settings)
	if err != nil {
		return ""
	}
	module := modfile.ModulePath(goMod)
	for _, name := range []string{".golangci.yml", ".golangci.yaml", ".golangci.toml", "Makefile"} {
		text, err := regular.ReadFile(filepath.Join(root, name), regular.Settings)
		if err != nil {
			continue
		}
		for _, found := range localSetting.FindAllStringSubmatch(string(text), -1) {
			if strings.EqualFold(found[0], "localmodule") {
				return module
			}
			for prefix := range strings.SplitSeq(found[1], ",") {
				if prefix = strings.Trim(prefix, "/ "); prefix != "" && strings.HasPrefix(module+"/", prefix+"/") {
					return prefix
				}
			}
		}
	}
	return ""
}

// localSetting matches goimports' setting local-prefixes and flag -local, and the sections of gci for local imports.
var localSetting = regexp.MustCompile(`(?:local-prefixes\s*[:=]\s*\[?\s*(?:-\s*)?["']?|-local[= ]["']?|\b[Pp]refix\(\s*)([\w./,-]+)|(?i:\blocalmodule\b)`)

// grouped moves the imports with a prefix to a group of their own behind the others.
func grouped(source, prefix string) string {
	before, rest, ok := strings.Cut(source, "\nimport (\n")
	block, after, ok2 := strings.Cut(rest, "\n)\n")
	if !ok || !ok2 {
		return source
	}
	var groups, local []string
	for group := range strings.SplitSeq(block, "\n\n") {
		var others []string
		for line := range strings.SplitSeq(group, "\n") {
			if _, path, _ := strings.Cut(line, `"`); strings.HasPrefix(strings.TrimSuffix(path, `"`)+"/", prefix+"/") {
				local = append(local, line)
			} else {
				others = append(others, line)
			}
		}
		if len(others) > 0 {
			groups = append(groups, strings.Join(others, "\n"))
		}
	}
	if len(local) > 0 {
		groups = append(groups, strings.Join(local, "\n"))
	}
	return before + "\nimport (\n" + strings.Join(groups, "\n\n") + "\n)\n" + after
}
