// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// Target is what the argument `for` names: a Go type by import path, or a kind by group and version.
type Target struct {
	ImportPath, Type     string
	Group, Version, Kind string
}

// parseTarget reads "k8s.io/api/core/v1.Pod" or "apps/v1/Deployment", "v1/Pod" or "core/v1/Pod".
func parseTarget(text string) (Target, error) {
	slash := strings.LastIndexByte(text, '/')
	last := text[slash+1:]
	if path, name, ok := strings.Cut(last, "."); ok && token.IsExported(name) && token.IsIdentifier(name) && slash > 0 {
		return Target{ImportPath: text[:slash+1] + path, Type: name}, nil
	}
	parts := strings.Split(text, "/")
	if len(parts) == 2 {
		parts = append([]string{""}, parts...)
	}
	if len(parts) == 3 && model.IsVersion(parts[1]) && token.IsExported(parts[2]) && token.IsIdentifier(parts[2]) {
		return Target{Group: GroupName(parts[0]), Version: parts[1], Kind: parts[2]}, nil
	}
	return Target{}, fmt.Errorf("%q names neither a Go type (import/path.Type) nor a kind (group/version/Kind)", text)
}

// GroupName undoes the one alias in markers: the group of pods has no name, and a list no empty element.
func GroupName(group string) string {
	if group == "core" {
		return ""
	}
	return group
}

// Builtin resolves a type of k8s.io/api without reading that module.
func (t Target) Builtin() (model.Kind, bool) {
	if t.ImportPath == "" {
		return model.Kind{Group: t.Group, Version: t.Version, Kind: t.Kind}, true
	}
	rest, ok := strings.CutPrefix(t.ImportPath, "k8s.io/api/")
	folder, version, ok2 := strings.Cut(rest, "/")
	group, ok3 := model.BuiltinGroups()[folder]
	if !ok || !ok2 || !ok3 || !model.IsVersion(version) {
		return model.Kind{}, false
	}
	return model.Kind{Group: group, Version: version, Kind: t.Type}, true
}
