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

// findProgram returns the folder of the project's program: cmd, the root, or the one below cmd. Of several programs
// below cmd, it is the one with the fewest imports between it and serving webhooks. The folder is empty if the project
// has no program. Several equally near programs are an error.
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
	imports := newImportGraph(packages)
	distances := map[string]int{}
	for _, folder := range folders {
		if d, ok := imports.distance(mains[folder].Path); ok {
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

// importGraph is the graph of imports between the packages of a module.
type importGraph struct {
	imports map[string][]string
	serves  map[string]bool
}

func newImportGraph(packages []*load.Package) importGraph {
	serving := []string{"GetWebhookServer(", "webhook.NewServer(", "ListenAndServeTLS("} // controller-runtime, net/http
	g := importGraph{imports: map[string][]string{}, serves: map[string]bool{}}
	for _, p := range packages {
		g.imports[p.Path] = p.Imports()
		g.serves[p.Path] = slices.ContainsFunc(p.Files, func(f *load.File) bool {
			return slices.ContainsFunc(serving, func(call string) bool { return bytes.Contains(f.Src, []byte(call)) })
		})
	}
	return g
}

// distance returns the number of imports between a package and one that serves. It returns false if there is no path.
func (g importGraph) distance(from string) (int, bool) {
	seen := map[string]bool{from: true}
	for d, level := 0, []string{from}; len(level) > 0; d++ {
		var next []string
		for _, path := range level {
			if g.serves[path] {
				return d, true
			}
			for _, i := range g.imports[path] {
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
