// SPDX-License-Identifier: Apache-2.0

package model

import (
	"go/token"
	"net/url"
	"slices"
	"strings"
)

// Operations are the operations of webhooks, as markers have them.
func Operations() []string { return []string{"create", "update", "delete", "connect", "*"} }

// Handler is the Go code that serves a webhook, or several webhooks of a type at one path.
// docs/reference/configuration.md has the rules for its names.
type Handler struct {
	// Package is where the code goes.
	Package HandlerPackage
	// Type is the marked type's name, from which the names of the generated identifiers come.
	Type string
	// Suffix tells a further webhook of the type from the first: "Quota", "Scale".
	Suffix string
	// Implementation is the type that has the user's methods. Holder says that it is the
	// marked type itself.
	Implementation string
	Holder         bool
	// Object is the type of the decoded object. It is zero if nothing is decoded: the marker turns decoding off, the
	// rules match several kinds, or the Go type of the kind is unknown.
	Object GoType
	// Kinds are the kinds that the handler expects; empty for any kind.
	Kinds []ObjectKind
	// Operations are "Create", "Update", "Delete" and "Connect", as far as the webhook has them.
	Operations []string
	// Resources are the resources of the rules, with subresources: "pods", "pods/exec".
	Resources []string
	// NeedsStub says that the user has not written the methods yet, and NeedsTestStub that there is no
	// function yet that makes the validator or defaulter for tests.
	NeedsStub, NeedsTestStub bool
	// Decides says that the user's methods do something, so that they may refuse the sample.
	Decides bool
	// StubFile and TestStubFile are the names of the files that hold, or are to hold, the methods and the function.
	StubFile, TestStubFile string
	// Sample is the object that tests begin with; nil where nothing is decoded.
	Sample *Sample
	// Missing are the operations whose methods the user has not written, where the type is there.
	Missing []string
	// Deleting is skip or unchangedSpec if the handler allows updates of objects that are being deleted.
	Deleting string
	// Ratchet is true if an error that the stored object has is a warning on UPDATE.
	Ratchet bool
	// Enforcement is warn or audit if the handler allows what the validator denies.
	Enforcement string
	// ListKeys are the lists in Object whose elements have keys and, for Ratchet, the sets, which have none.
	ListKeys []ListKey
}

// Code is Go source, in pieces.
type Code []CodePiece

// CodePiece is a text, or else the name of a package's type or function, which a file of another package qualifies.
type CodePiece struct {
	Text string
	Name GoType
}

// Text returns the source with the names that a function gives.
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

// Fits reports whether a package can use all names.
func (c Code) Fits(path string) bool {
	return c != nil && !slices.ContainsFunc(c, func(p CodePiece) bool {
		return !p.Name.IsZero() && p.Name.Path != path && !token.IsExported(p.Name.Name)
	})
}

// HandlerPackage is a Go package of handlers.
type HandlerPackage struct {
	// Dir is the absolute folder.
	Dir string
	// Path is the import path.
	Path string
	// Name is the package clause's.
	Name string
	// Generated is true if the package is below the folder of handlers, and false if it is one of the user's.
	Generated bool
}

// GoType is a named type.
type GoType struct {
	// Path is the package's import path, Alias the name under which generated code imports it.
	Path, Alias string
	Name        string
}

// IsZero reports whether there is no type.
func (t GoType) IsZero() bool { return t.Name == "" }

// ObjectKind is the kind of an object as a request names it.
type ObjectKind struct {
	APIVersion, Kind string
}

// ListKey names the members that identify the elements of a list.
type ListKey struct {
	// Struct has the list as its member of that JSON name.
	Struct GoType
	Member string
	Keys   []string
}

// ServedPath is the path of the service, or of the URL.
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

// Method is the name of the validator's or defaulter's method for an operation: ValidateCreate, DefaultQuotaUpdate.
func (h *Handler) Method(mutating bool, operation string) string {
	if mutating {
		return "Default" + h.Suffix + operation
	}
	return "Validate" + h.Suffix + operation
}

// TestFunction is the name of the user's function that makes the validator or defaulter for tests.
func (h *Handler) TestFunction() string { return "new" + h.Implementation }

// Sample is a minimal object for tests: it has the required fields and no more.
type Sample struct {
	Type   GoType
	Fields []SampleField
}

// SampleField is a field of a Sample. One of Literal, Struct and Metadata gives its value.
type SampleField struct {
	// Name is Go's.
	Name string
	// Literal is Go source.
	Literal string
	Struct  *Sample
	// Metadata is true if the field is the object's metadata.
	Metadata bool
}

// SubresourceType returns the Go type of the objects that requests for a subresource carry, such as pods/exec. It is
// false for a resource, and for subresources with the object's own type.
func SubresourceType(resource string) (GoType, bool) {
	types := SubresourceTypes()
	t, ok := types[resource]
	if !ok {
		_, sub, _ := strings.Cut(resource, "/")
		t, ok = types[sub]
	}
	return t, ok
}

// SubresourceTypes are the Go types of the objects that requests for subresources carry, by the
// subresource, or by resource and subresource where that makes a difference. For the others
// (status, ephemeralcontainers, resize, approval, finalize) it is the object's own type.
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
