// SPDX-License-Identifier: Apache-2.0

package model

import (
	"go/token"
	"net/url"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// Operations returns the operations of webhooks in marker syntax.
func Operations() []string { return []string{"create", "update", "delete", "connect", "*"} }

// Handler is the generated Go code that serves a webhook, or several webhooks of a type at one path.
// docs/reference/configuration.md describes its names.
type Handler struct {
	// Package is the package of the generated code.
	Package HandlerPackage
	// Type is the name of the marked type. Names of generated identifiers contain it.
	Type string
	// Suffix distinguishes another webhook of the type from the first: "Quota", "Scale".
	Suffix string
	// Implementation is the type with the user's methods. Holder is true if it is the marked type itself.
	Implementation string
	Holder         bool
	// Object is the type of the decoded object. It is zero if the handler does not decode: the marker turns it off,
	// the rules match several kinds, or the Go type is unknown.
	Object GoType
	// Kinds are the expected kinds, or empty for any kind.
	Kinds []ObjectKind
	// Operations are the webhook's operations, from "Create", "Update", "Delete" and "Connect".
	Operations []string
	// Resources are the resources of the rules, with subresources: "pods", "pods/exec".
	Resources []string
	// NeedsStub is true if the user has not written the methods, and NeedsTestStub if the user has not written
	// TestFunction.
	NeedsStub, NeedsTestStub bool
	// Decides is true if the user's methods have code, so that they may deny the sample.
	Decides bool
	// StubFile and TestStubFile are the names of the files for the methods and for the test function.
	StubFile, TestStubFile string
	// Sample is the object in generated tests, or nil if the handler does not decode.
	Sample *Sample
	// Missing are the operations without methods of the user, if the type exists.
	Missing []string
	HandlerOptions
	// ListKeys are the lists in Object whose elements have keys. With Ratchet, they include sets, which have no keys.
	ListKeys []ListKey
	// Deprecations are fields and values of which the handler warns.
	Deprecations []Deprecation
}

// Code is Go source in pieces.
type Code []CodePiece

// CodePiece is a text or the name of a package-level type or function. Files of other packages qualify the name.
type CodePiece struct {
	Text string
	Name GoType
}

// Text returns the source. named returns the text of each name.
func (c Code) Text(named func(GoType) string) string {
	var text strings.Builder
	for _, p := range c {
		text.WriteString(p.Text)
		if !p.Name.IsZero() {
			text.WriteString(named(p.Name))
		}
	}
	return text.String()
}

// Fits reports whether the package at path can use all names.
func (c Code) Fits(path string) bool {
	return c != nil && !slices.ContainsFunc(c, func(p CodePiece) bool {
		return !p.Name.IsZero() && p.Name.Path != path && !token.IsExported(p.Name.Name)
	})
}

// HandlerPackage is a Go package of handlers.
type HandlerPackage struct {
	// Dir is the absolute folder of the package.
	Dir string
	// Path is the import path.
	Path string
	// Name is the name in the package clause.
	Name string
	// Generated is true if the package is below the folder of handlers, and false if it is the user's.
	Generated bool
}

// ProgramField is the field of a package in the program's struct of all webhooks. Its Range is a marker that needs the
// package.
type ProgramField struct {
	diag.Range
	Name, Path string
}

// GoType is a named Go type.
type GoType struct {
	// Path is the package's import path. Alias is its import alias in generated code.
	Path, Alias string
	Name        string
}

// IsZero reports whether the type is unset.
func (t GoType) IsZero() bool { return t.Name == "" }

// ObjectKind is the kind of an object in a request.
type ObjectKind struct {
	APIVersion, Kind string
}

// ListKey contains the members that identify the elements of a list.
type ListKey struct {
	// Struct is the struct with the list. Member is the list's JSON name in it.
	Struct GoType
	Member string
	Keys   []string
}

// ServedPath returns the path of the service or of the URL.
func (w *Webhook) ServedPath() string {
	if p := w.Path(); p != "" || w.Spec.ClientConfig.URL == nil {
		return p
	}
	u, err := url.Parse(*w.Spec.ClientConfig.URL)
	if err != nil || u.Path == "" {
		return "/"
	}
	return u.Path
}

// Method returns the name of the validator's or defaulter's method for an operation: ValidateCreate,
// DefaultQuotaUpdate.
func (h *Handler) Method(mutating bool, operation string) string {
	if mutating {
		return "Default" + h.Suffix + operation
	}
	return "Validate" + h.Suffix + operation
}

// TestFunction returns the name of the user's function that creates the validator or defaulter for tests.
func (h *Handler) TestFunction() string { return "new" + h.Implementation }

// Sample is a minimal object for tests, with only the required fields.
type Sample struct {
	Type   GoType
	Fields []SampleField
}

// SampleField is a field of a Sample. Its value is Literal, Struct or Metadata.
type SampleField struct {
	// Name is the Go name.
	Name string
	// Literal is Go source.
	Literal string
	Struct  *Sample
	// Metadata is true if the field is the object's metadata.
	Metadata bool
}

// WithoutField is the field of generated Webhooks with the types that a program leaves out. A type of this name adds
// Types to it.
const WithoutField = "Without"

// SubresourceType returns the Go type of objects in requests for a subresource, such as pods/exec. ok is false for a
// resource and for subresources with the resource's own type.
func SubresourceType(resource string) (GoType, bool) {
	types := SubresourceTypes()
	t, ok := types[resource]
	if !ok {
		_, sub, _ := strings.Cut(resource, "/")
		t, ok = types[sub]
	}
	return t, ok
}

// SubresourceTypes maps subresources, or resources with subresources if the type depends on the resource, to the Go
// types of the objects in requests. The others (status, ephemeralcontainers, resize, approval, finalize) have the
// resource's own type.
func SubresourceTypes() map[string]GoType {
	return map[string]GoType{
		"scale":                 {"k8s.io/api/autoscaling/v1", "autoscalingv1", "Scale"},
		"pods/eviction":         {"k8s.io/api/policy/v1", "policyv1", "Eviction"},
		"pods/binding":          {"k8s.io/api/core/v1", "corev1", "Binding"},
		"pods/exec":             {"k8s.io/api/core/v1", "corev1", "PodExecOptions"},
		"pods/attach":           {"k8s.io/api/core/v1", "corev1", "PodAttachOptions"},
		"pods/portforward":      {"k8s.io/api/core/v1", "corev1", "PodPortForwardOptions"},
		"pods/proxy":            {"k8s.io/api/core/v1", "corev1", "PodProxyOptions"},
		"services/proxy":        {"k8s.io/api/core/v1", "corev1", "ServiceProxyOptions"},
		"nodes/proxy":           {"k8s.io/api/core/v1", "corev1", "NodeProxyOptions"},
		"serviceaccounts/token": {"k8s.io/api/authentication/v1", "authenticationv1", "TokenRequest"},
	}
}
