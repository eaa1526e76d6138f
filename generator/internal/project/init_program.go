// SPDX-License-Identifier: Apache-2.0

package project

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// findProgram returns the folder of the project's program: cmd, the root, or a folder below cmd. Of several programs,
// it chooses the one with the fewest imports to a package that serves webhooks. It returns "" without a program, and
// an error if several are equally near.
func findProgram(packages []*load.Package) (string, error) {
	var folders []string
	mains := map[string]*load.Package{}
	for _, p := range packages {
		folder := cmp.Or(strings.TrimPrefix(strings.TrimPrefix(p.Path, p.Module.Path), "/"), ".")
		switch {
		case p.Name != "main":
		case folder == "cmd" || folder == "." || strings.HasPrefix(folder, "cmd/"):
			folders = append(folders, folder)
			mains[folder] = p
		}
	}
	for _, likely := range []string{"cmd", "."} {
		if mains[likely] != nil {
			return likely, nil
		}
	}
	if len(folders) < 2 {
		return strings.Join(folders, ""), nil
	}
	serving := []string{"GetWebhookServer(", "webhook.NewServer(", "ListenAndServeTLS("} // controller-runtime, net/http
	imports, serves := map[string][]string{}, map[string]bool{}
	for _, p := range packages {
		imports[p.Path] = p.Imports()
		serves[p.Path] = contains(p, serving...)
	}
	distances := map[string]int{}
	for _, folder := range folders {
		if d, ok := distance(mains[folder].Path, imports, serves); ok {
			distances[folder] = d
		}
	}
	if len(distances) > 0 {
		folders = slices.SortedFunc(maps.Keys(distances), func(a, b string) int {
			return cmp.Or(distances[a]-distances[b], strings.Compare(a, b))
		})
		if len(folders) == 1 || distances[folders[0]] < distances[folders[1]] {
			return folders[0], nil
		}
	}
	return "", errors.New("pass the program that is to serve the webhooks: --program " + strings.Join(folders, ", or --program "))
}

// distance returns the number of imports from a package to one that serves webhooks. ok is false without a path.
func distance(from string, imports map[string][]string, serves map[string]bool) (int, bool) {
	seen := map[string]bool{from: true}
	for d, level := 0, []string{from}; len(level) > 0; d++ {
		var next []string
		for _, path := range level {
			if serves[path] {
				return d, true
			}
			for _, i := range imports[path] {
				if !seen[i] {
					seen[i] = true
					next = append(next, i)
				}
			}
		}
		level = next
	}
	return 0, false
}

// contains reports whether a file of a package contains one of the texts.
func contains(p *load.Package, texts ...string) bool {
	return slices.ContainsFunc(p.Files, func(f *load.File) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return bytes.Contains(f.Src, []byte(text)) })
	})
}
