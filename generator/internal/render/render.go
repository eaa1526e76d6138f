// SPDX-License-Identifier: Apache-2.0

// Package render generates the text of a project's files. It makes no decisions: package model has derived the
// content, and package check has checked it.
package render

import (
	"fmt"
	"slices"

	"golang.org/x/mod/modfile"

	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// Options select the files to generate, their paths and their headings.
type Options struct {
	// Outputs are the kinds of files to generate.
	Outputs []string
	// AsNew also returns files that are created once, even if they exist.
	AsNew bool
	// Manifest is the absolute path of the manifest.
	Manifest string
	// Kustomization is true if the manifest's folder gets a kustomization.yaml.
	Kustomization bool
	// Header is true if a manifest with webhooks of +webhook markers begins with our header and has the
	// defaults of API servers.
	Header bool
	// Handlers is the folder of generated handlers in the module, with slashes.
	Handlers string
	// HandlersName is the package name of that folder, or "" if it has no Go files.
	HandlersName string
	// Samples are the folders of sample objects in the module, with slashes.
	Samples []string
	// Integration is the folder of the integration test in the module, with slashes, or "" for no test.
	Integration string
	// Replacements are the replace directives of the module's go.mod, relative to the folder Integration.
	Replacements []modfile.Replace
	// Definitions are files, folders and globs of CRDs in the module, with slashes.
	Definitions []string
	// Schemas maps names of CRDs to their files, for kinds with conversions.
	Schemas map[string]string
	// Patches is true if patches of CRDs configure the conversions in API servers.
	Patches bool
	// Program is the package of the program that serves the webhooks. It is zero if the program registers them by
	// hand.
	Program model.HandlerPackage
	// Delivery configures how the program is deployed. It is zero if no files for this are generated.
	Delivery Delivery
}

// Project returns the project's files, including those of the planned conversions.
func Project(p *model.Project, planned []*convert.Package, o Options) ([]output.File, error) {
	var files fileList
	wants := func(kind string) bool { return slices.Contains(o.Outputs, kind) }
	for _, step := range []struct {
		what, kind string
		also       bool
		write      func()
	}{
		{"the manifests", output.Manifests, len(p.Configurations)+len(p.Policies) > 0, func() { manifests(&files, p, o) }},
		{"the handlers", output.Handlers, true, func() { handlers(&files, p, planned, o) }},
		{"the tests", output.Tests, true, func() { tests(&files, p, o) }},
		{"the tests of policies", output.Tests, wants(output.Manifests), func() { policyTests(&files, p) }},
		{"the conversions", output.Conversions, true, func() { conversions(&files, p, planned, o) }},
		{"the patches of CRDs", output.Conversions, o.Patches, func() { crdPatches(&files, p, o.Delivery) }},
		// A module without a readable go.mod has its own error, and no folder for the delivery.
		{"the delivery", output.Deliveries, o.Delivery.Name != "" && p.Module.Dir != "", func() { delivery(&files, p, o) }},
		{"the integration test", output.Tests, wants(output.Manifests), func() { integration(&files, p, planned, o) }},
		{"the tests of conversions", output.Tests, wants(output.Conversions), func() { conversionTests(&files, p, planned, o) }},
	} {
		if !wants(step.kind) || !step.also {
			continue
		}
		step.write()
		if files.format(); files.err != nil {
			return nil, fmt.Errorf("writing %s: %w", step.what, files.err)
		}
	}
	return files.all, nil
}

// hasOwn reports whether the project has a webhook of a +webhook marker. A manifest of +kubebuilder markers alone has
// no header, because it equals controller-gen's byte for byte.
func hasOwn(p *model.Project) bool {
	return slices.ContainsFunc(p.Webhooks(), func(w *model.Webhook) bool { return !w.Kubebuilder })
}
