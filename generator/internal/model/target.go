// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"go/token"
	"regexp"
	"strings"
)

// target is what the argument `for` names: a Go type by import path, or a kind by group and version.
type target struct {
	ImportPath, Type     string
	Group, Version, Kind string
}

var versionPattern = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

// parseTarget reads "k8s.io/api/core/v1.Pod" or "apps/v1/Deployment", "v1/Pod" or "core/v1/Pod".
func parseTarget(text string) (target, error) {
	slash := strings.LastIndexByte(text, '/')
	last := text[slash+1:]
	if path, name, ok := strings.Cut(last, "."); ok && token.IsExported(name) && token.IsIdentifier(name) && slash > 0 {
		return target{ImportPath: text[:slash+1] + path, Type: name}, nil
	}
	parts := strings.Split(text, "/")
	if len(parts) == 2 {
		parts = append([]string{""}, parts...)
	}
	if len(parts) == 3 && versionPattern.MatchString(parts[1]) && token.IsExported(parts[2]) && token.IsIdentifier(parts[2]) {
		return target{Group: groupName(parts[0]), Version: parts[1], Kind: parts[2]}, nil
	}
	return target{}, fmt.Errorf("%q names neither a Go type (import/path.Type) nor a kind (group/version/Kind)", text)
}

// groupName undoes the one alias that markers know: the group of pods has no name, and a list no empty element.
func groupName(group string) string {
	if group == "core" {
		return ""
	}
	return group
}

// builtinGroups are the API groups of k8s.io/api by the folder of their Go packages.
func builtinGroups() map[string]string {
	return map[string]string{
		"admissionregistration": "admissionregistration.k8s.io",
		"apiserverinternal":     "internal.apiserver.k8s.io",
		"apps":                  "apps",
		"authentication":        "authentication.k8s.io",
		"authorization":         "authorization.k8s.io",
		"autoscaling":           "autoscaling",
		"batch":                 "batch",
		"certificates":          "certificates.k8s.io",
		"coordination":          "coordination.k8s.io",
		"core":                  "",
		"discovery":             "discovery.k8s.io",
		"events":                "events.k8s.io",
		"extensions":            "extensions",
		"flowcontrol":           "flowcontrol.apiserver.k8s.io",
		"imagepolicy":           "imagepolicy.k8s.io",
		"lifecycle":             "lifecycle.k8s.io",
		"networking":            "networking.k8s.io",
		"node":                  "node.k8s.io",
		"policy":                "policy",
		"rbac":                  "rbac.authorization.k8s.io",
		"resource":              "resource.k8s.io",
		"scheduling":            "scheduling.k8s.io",
		"storage":               "storage.k8s.io",
		"storagemigration":      "storagemigration.k8s.io",
	}
}

// builtin resolves a type of k8s.io/api without reading that module.
func (t target) builtin() (Kind, bool) {
	if t.ImportPath == "" {
		return Kind{Group: t.Group, Version: t.Version, Kind: t.Kind}, true
	}
	rest, ok := strings.CutPrefix(t.ImportPath, "k8s.io/api/")
	folder, version, ok2 := strings.Cut(rest, "/")
	group, ok3 := builtinGroups()[folder]
	if !ok || !ok2 || !ok3 || !versionPattern.MatchString(version) {
		return Kind{}, false
	}
	return Kind{Group: group, Version: version, Kind: t.Type}, true
}

// isBuiltinGroup tells the groups that Kubernetes itself serves from those of custom resources.
func isBuiltinGroup(group string) bool {
	for _, g := range builtinGroups() {
		if g == group {
			return true
		}
	}
	return false
}
