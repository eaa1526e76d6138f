// SPDX-License-Identifier: Apache-2.0

// Command served writes the table of the resources that Kubernetes has served since 1.25, for the rules of lint:
//
//	go run ./hack/served
//
// It reads api/openapi-spec/swagger.json of each minor version, from the module k8s.io/kubernetes. integration/lint
// compares the table with API servers.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// releases are the minor versions, each by a patch.
func releases() []string {
	return []string{
		"v1.25.16", "v1.26.15", "v1.27.16", "v1.28.15", "v1.29.6", "v1.30.14", "v1.31.14", "v1.32.13", "v1.33.13", "v1.34.10", "v1.35.4", "v1.36.3", "v1.37.2",
	}
}

func main() {
	if err := write("generator/internal/lint/kubernetes.txt"); err != nil {
		fmt.Fprintln(os.Stderr, "served:", err)
		os.Exit(1)
	}
}

// resource is a resource or subresource in a version, such as "apps/v1 deployments/scale", and its scope.
type resource struct{ name, scope string }

func write(file string) error {
	first, last := map[resource]int{}, map[resource]int{}
	for i, release := range releases() {
		found, err := read(release)
		if err != nil {
			return fmt.Errorf("%s: %w", release, err)
		}
		for _, r := range found {
			if _, ok := first[r]; !ok {
				first[r] = i
			}
			last[r] = i
		}
	}
	var lines []string
	for r := range first {
		lines = append(lines, fmt.Sprintf("%s %s %s %s\n", r.name, r.scope, minor(first[r]), minor(last[r])))
	}
	slices.Sort(lines)
	const head = "# What API servers can serve: group and version, resource, scope, the first and the last minor version.\n# Written by `go run ./hack/served`.\n"
	return os.WriteFile(file, []byte(head+strings.Join(lines, "")), 0o644)
}

func minor(release int) string {
	return strings.Join(strings.SplitN(strings.TrimPrefix(releases()[release], "v"), ".", 3)[:2], ".")
}

// read returns the resources of a release.
func read(release string) ([]resource, error) {
	text, err := exec.Command("go", "mod", "download", "-json", "k8s.io/kubernetes@"+release).Output()
	if err != nil {
		return nil, err
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(text, &module); err != nil {
		return nil, err
	}
	if text, err = os.ReadFile(filepath.Join(module.Dir, "api", "openapi-spec", "swagger.json")); err != nil {
		return nil, err
	}
	var spec struct{ Paths map[string]json.RawMessage }
	if err := json.Unmarshal(text, &spec); err != nil {
		return nil, err
	}
	// A list of the objects in all namespaces has a path without one.
	namespaced := map[string]bool{}
	for path := range spec.Paths {
		if name, below, ok := parse(path); ok {
			namespaced[name] = namespaced[name] || below
		}
	}
	var all []resource
	for name, below := range namespaced {
		scope := "Cluster"
		if below {
			scope = "Namespaced"
		}
		all = append(all, resource{name, scope})
	}
	return all, nil
}

// parse reads a path such as /apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale: the name of a resource, and
// whether the path has a namespace.
func parse(path string) (name string, below, ok bool) {
	words := strings.Split(strings.Trim(path, "/"), "/")
	var version string
	switch {
	case len(words) > 2 && words[0] == "api":
		version, words = words[1], words[2:]
	case len(words) > 3 && words[0] == "apis":
		version, words = words[1]+"/"+words[2], words[3:]
	default:
		return "", false, false
	}
	if words[0] == "watch" {
		return "", false, false
	}
	if len(words) > 2 && words[0] == "namespaces" && words[1] == "{namespace}" {
		below, words = true, words[2:]
	}
	name = version + " " + words[0]
	if len(words) > 2 {
		name += "/" + words[2]
	}
	return name, below, true
}
