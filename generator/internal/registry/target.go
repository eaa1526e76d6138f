// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// Target is the value of the argument `for`: a Go type by import path, or a kind by group and version.
type Target struct {
	ImportPath, Type     string
	Group, Version, Kind string
}

// parseTarget reads a type, "k8s.io/api/core/v1.Pod", or a kind, "apps/v1/Deployment", "v1/Pod" or "core/v1/Pod".
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
	err := fmt.Errorf("%q names neither a Go type (import/path.Type) nor a kind (group/version/Kind)", text)
	if builtin, subresource, ok := BuiltinMeant(text); ok && subresource != "" {
		return Target{}, marker.Remedied(err, "write for: %q, subresource: %q", builtin, subresource)
	} else if ok {
		return Target{}, marker.Remedied(err, "write for: %q", builtin)
	}
	if alias, name, ok := strings.Cut(text, "."); ok && slash < 0 {
		return Target{}, marker.Remedied(err, "write the import path of %s in its place, as in for: \"example.com/shop/api/v1.%s\"", alias, name)
	}
	return Target{}, marker.Remedied(err, `for example for: "apps/v1/Deployment" or for: "example.com/shop/api/v1.Order"`)
}

// BuiltinMeant guesses the Kubernetes kind in a text that parseTarget rejects: a type qualified by an import's name
// (corev1.Pod), a resource (apps/v1/deployments) or a bare kind. kind is in parseTarget's syntax, and subresource is
// the word behind the kind.
func BuiltinMeant(text string) (kind, subresource string, ok bool) {
	words := strings.FieldsFunc(text, func(r rune) bool { return r == '/' || r == '.' })
	group, version := "", "v1"
	resources := model.BuiltinResources()
	for i, w := range words {
		folder, v := w, ""
		if at := strings.LastIndexByte(w, 'v'); at >= 0 && model.IsVersion(w[at:]) {
			folder, v = w[:at], w[at:]
		}
		if v != "" {
			version = v
		}
		if _, isGroup := model.BuiltinGroups()[folder]; isGroup && (v != "" || i+1 < len(words)) {
			group = folder
			continue
		}
		at := slices.IndexFunc(resources, func(r model.BuiltinResource) bool {
			return (strings.EqualFold(r.Kind, w) || strings.EqualFold(r.Name, w)) && r.Group != "extensions" && (group == "" || r.Group == model.BuiltinGroups()[group])
		})
		if at < 0 {
			continue
		}
		if i+1 < len(words) {
			subresource = words[i+1]
		}
		kind = version + "/" + resources[at].Kind
		if g := resources[at].Group; g != "" {
			kind = g + "/" + kind
		}
		return kind, subresource, true
	}
	return "", "", false
}

// CoreGroup is the name of the core group in markers.
const CoreGroup = "core"

// GroupName returns the API name of a group. Markers write `core` for the group without a name because a list has no
// empty elements.
func GroupName(group string) string {
	if group == CoreGroup {
		return ""
	}
	return group
}

// Builtin returns the kind of a target in k8s.io/api without reading that module.
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
