// SPDX-License-Identifier: Apache-2.0

package load

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"

	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// goenv returns the go command's settings, like "go env": from the environment or else from the file of "go env -w".
// The map holds the settings of that file.
type goenv map[string]string

// readGoenv reads the file of "go env -w", which may be missing.
func readGoenv() goenv {
	path := os.Getenv("GOENV")
	switch path {
	case "off":
		return nil
	case "":
		dir, err := os.UserConfigDir()
		if err != nil {
			return nil
		}
		path = filepath.Join(dir, "go", "env")
	}
	data, err := regular.ReadFile(path, regular.Settings)
	if err != nil {
		return nil
	}
	env := goenv{}
	for line := range strings.Lines(string(data)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			env[key] = value
		}
	}
	return env
}

// get returns the value of a setting, or "" for the default.
func (e goenv) get(key string) string {
	return cmp.Or(os.Getenv(key), e[key])
}

// flag returns the value of a flag in GOFLAGS. If it occurs several times, the last value applies.
func (e goenv) flag(name string) (value string) {
	for _, flag := range splitFlags(e.get("GOFLAGS")) {
		key, text, _ := strings.Cut(strings.TrimPrefix(flag, "-"), "=")
		if strings.TrimPrefix(key, "-") == name {
			value = text
		}
	}
	return value
}

// tags returns the build tags in GOFLAGS.
func (e goenv) tags() []string {
	return strings.FieldsFunc(e.flag("tags"), func(r rune) bool { return r == ',' || r == ' ' })
}

// toolchain returns a GOTOOLCHAIN that runs the user's toolchain and ignores the one in a project's go.mod.
func (e goenv) toolchain() string {
	name, _, _ := strings.Cut(e.get("GOTOOLCHAIN"), "+") // go1.26.1+auto means at least go1.26.1
	switch name {
	case "", "auto", "path":
		return "local"
	}
	return name
}

// writesModules reports whether GOFLAGS contains -mod=mod. The go command then writes go.mod and go.sum, and ignores
// a vendor folder.
func (e goenv) writesModules() bool { return e.flag("mod") == "mod" }

// modCache returns the folder of the module cache.
func (e goenv) modCache(defaultGOPATH string) string {
	if dir := e.get("GOMODCACHE"); dir != "" {
		return dir
	}
	if list := filepath.SplitList(cmp.Or(e.get("GOPATH"), defaultGOPATH)); len(list) > 0 {
		return filepath.Join(list[0], "pkg", "mod")
	}
	return ""
}

// splitFlags splits GOFLAGS at blanks. A flag with blanks is quoted as a whole, in single or double quotes without
// escapes.
func splitFlags(s string) []string {
	const blanks = " \t\r\n"
	var flags []string
	for {
		s = strings.TrimLeft(s, blanks)
		if s == "" {
			return flags
		}
		end := blanks
		if s[0] == '"' || s[0] == '\'' {
			s, end = s[1:], s[:1]
		}
		i := strings.IndexAny(s, end)
		if i < 0 {
			return append(flags, s)
		}
		flags, s = append(flags, s[:i]), s[i+1:]
	}
}
