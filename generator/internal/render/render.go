// SPDX-License-Identifier: Apache-2.0

// Package render turns a project into the text of files. It decides nothing: what it
// writes has been derived by model and checked by check.
package render

import (
	"fmt"
	"slices"

	"golang.org/x/mod/modfile"

	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// Options are the parts to write, their places and their headings.
type Options struct {
	// Outputs are the kinds of files that are wanted.
	Outputs []string
	// AsNew also writes the files that are created once and exist.
	AsNew bool
	// Manifest is the manifest's absolute path.
	Manifest string
	// Kustomization says whether the manifest's folder is to be one that kustomize takes.
	Kustomization bool
	// Header says whether a manifest with webhooks of +webhook markers begins with our header.
	Header bool
	// Handlers is the module's folder of generated handlers, slash-separated.
	Handlers string
	// HandlersName is the name of the package in that folder; empty where it has no Go files.
	HandlersName string
	// Samples are the module's folders of objects that users would create, slash-separated.
	Samples []string
	// Integration is the module's folder of the test that asks a real API server, slash-separated; empty for none.
	Integration string
	// Replacements are the replace directives of the module's go.mod, relative to the folder Integration.
	Replacements []modfile.Replace
	// Definitions are the module's files, folders and globs of CRDs, slash-separated.
	Definitions []string
	// Schemas are the files of the CRDs of kinds with conversions, by the names of the CRDs.
	Schemas map[string]string
	// Patches is true if patches of CRDs configure the conversions in API servers.
	Patches bool
	// Program is the package of the program that serves the webhooks; its zero value where it
	// registers them by hand.
	Program model.HandlerPackage
	// Delivery says how the program gets into a cluster; its zero value where nothing of that is written.
	Delivery Delivery
}

// Project writes the project's files, planned conversions among them.
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
		{"the tests of policies", output.Tests, wants(output.Manifests), func() { policyTests(&files, p, o) }},
		{"the conversions", output.Conversions, true, func() { conversions(&files, p, planned, o) }},
		{"the patches of CRDs", output.Conversions, o.Patches, func() { crdPatches(&files, p, o.Delivery) }},
		// Without a module, whose go.mod cannot be read and is reported, there is no place for a delivery.
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

// hasOwn reports whether a +webhook marker takes part. A manifest of +kubebuilder markers
// alone is byte for byte what controller-gen writes, which has no header.
func hasOwn(p *model.Project) bool {
	return slices.ContainsFunc(p.Webhooks(), func(w *model.Webhook) bool { return !w.Kubebuilder })
}
