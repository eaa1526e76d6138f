// SPDX-License-Identifier: Apache-2.0

package config

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/mod/modfile"

	"github.com/webhook-gen/webhook-gen/internal/regular"
	"github.com/webhook-gen/webhook-gen/templates"
)

// removedRuntime is a key of earlier versions. With the value vendor, a project had a copy of the runtime.
const removedRuntime = "handlers.runtime"

// copyNotice is a line in every file of such a copy.
const copyNotice = "This file is a copy of the runtime of https://github.com/webhook-gen/webhook-gen"

// reportRuntime reports the key handlers.runtime in the file of the module in the folder root. For a project with a
// copy of the runtime, the hint has the commands that move the project to the module.
func (f *file) reportRuntime(root string, c Config, value *yaml.Node) {
	key := f.given[removedRuntime]
	d := f.errorAt(key, ruleUnknown, "%s is no longer a key: generated code imports the module %s", removedRuntime, templates.RuntimePath)
	from, to := f.linesOf(key, value)
	switch {
	case value.Value == "vendor":
		deletion := "# delete " + removedRuntime + " in " + FileName
		if from > 0 {
			deletion = fmt.Sprintf("sed -i.bak %d,%dd %s && rm %[3]s.bak", from, to, FileName)
		}
		commands := append(copyCommands(root, c.Handlers.Path), deletion, "webhook-gen init", "go mod tidy")
		if plainPath.MatchString(path.Clean(c.Tests.Integration)) && c.Tests.Integration != "" && regular.Exists(filepath.Join(root, filepath.FromSlash(c.Tests.Integration), "go.mod")) {
			commands = append(commands, replaceIn(c.Tests.Integration)...)
		}
		commands = append(commands, "go mod vendor")
		d = d.WithHint("run in the folder of %s\n  %s", FileName, strings.Join(commands, "\n  "))
	case from < to:
		d = d.WithHint("delete lines %d to %d", from, to)
	case from > 0:
		d = d.WithHint("delete this line")
	default:
		d = d.WithHint("delete this key")
	}
	f.problems.Add(d)
}

// linesOf returns the lines of the key handlers.runtime, and of the section if it has no other key. It returns zeros if
// the lines have other keys too.
func (f *file) linesOf(key, value *yaml.Node) (from, to int) {
	section, alone := f.given["handlers"], true
	for name := range f.given {
		alone = alone && (name == removedRuntime || !strings.HasPrefix(name, "handlers."))
	}
	switch {
	case key.Line <= section.Line || value.Line != key.Line:
		return 0, 0
	case alone:
		return section.Line, key.Line
	}
	return key.Line, key.Line
}

// copyCommands returns the commands that rewrite the imports of the copy of the runtime below the folder handlers, and
// delete the copy.
func copyCommands(root, handlers string) []string {
	goMod, _ := regular.ReadFile(filepath.Join(root, "go.mod"), regular.Settings) // load reports a missing one
	module := modfile.ModulePath(goMod)
	folder := filepath.Join(root, filepath.FromSlash(handlers))
	var packages []string
	// Unreadable files are not part of the copy.
	_ = filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		rel, inside := filepath.Rel(folder, filepath.Dir(name))
		if err != nil || inside != nil || d.IsDir() || !strings.HasPrefix(d.Name(), "zz_generated.") {
			return nil
		}
		pkg := filepath.ToSlash(rel)
		if text, err := regular.ReadFile(name, regular.Source); err == nil && bytes.Contains(text, []byte(copyNotice)) && !strings.HasPrefix(pkg, "internal/") {
			packages = append(packages, pkg)
		}
		return nil
	})
	packages = slices.Compact(packages) // WalkDir sorts
	if module == "" || len(packages) == 0 || !plainPath.MatchString(module) || !plainPath.MatchString(path.Clean(handlers)) || slices.ContainsFunc(packages, func(p string) bool { return !plainPath.MatchString(p) }) {
		return nil // a shell would take some text for more than a path
	}
	return []string{
		fmt.Sprintf(`for p in %s; do find . -name '*.go' -exec grep -q "\"%s/$p\"" {} \; -exec gofmt -w -r "\"%[2]s/$p\" -> \"%s/$p\"" {} \; ; done`,
			strings.Join(packages, " "), path.Join(module, handlers), templates.RuntimePath),
		fmt.Sprintf(`find %s -name 'zz_generated.*.go' -exec grep -q '%s' {} \; -delete`, handlers, copyNotice),
	}
}

// replaceIn returns the commands that give a nested module the project's replacement of the runtime, if there is one,
// and its requirement.
func replaceIn(folder string) []string {
	// The module of the test is beside the runtime.
	below := strings.TrimPrefix(templates.IntegrationPath, templates.RuntimePath)
	replace := func(below string) string {
		replacement := "{{with .Replace}}-replace={{$.Path}}" + below + "={{.Path}}" + below + "{{with .Version}}@{{.}}{{end}}{{else}}-fmt{{end}}"
		return fmt.Sprintf(`go -C %s mod edit "$(go list -mod=mod -m -f '%s' %s)"`, folder, replacement, templates.RuntimePath)
	}
	return []string{
		replace(""), replace(below),
		fmt.Sprintf("go -C %s mod tidy", folder),
	}
}

// plainPath matches paths that mean the same in a shell, in sed and in patterns of gofmt.
var plainPath = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._/~-]*$`)
