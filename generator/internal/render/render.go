// SPDX-License-Identifier: Apache-2.0

// Package render turns a project into the text of files. It decides nothing: what it
// writes has been derived by model and checked by check.
package render

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// The kinds of output.
const (
	Manifests   = "manifests"
	Handlers    = "handlers"
	Conversions = "conversions"
	Tests       = "tests"
	Deliveries  = "delivery"
)

// Options say what is written, where it goes and how it begins.
type Options struct {
	// Outputs are the kinds of files that are wanted.
	Outputs []string
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
	// Patches says that API servers are told of conversions by patches of CRDs.
	Patches bool
	// Vendored says that the project has a copy of the runtime below Handlers. Imported are the packages of the
	// runtime that the project's own code imports, such as "server".
	Vendored bool
	Imported []string
	// Program is the package of the program that serves the webhooks; its zero value where it
	// registers them by hand.
	Program model.HandlerPackage
	// Delivery says how the program gets into a cluster; its zero value where nothing of that is written.
	Delivery Delivery
}

// Project writes the project's files, planned conversions among them.
func Project(p *model.Project, planned []*convert.Package, o Options) ([]output.File, error) {
	var files []output.File
	if slices.Contains(o.Outputs, Manifests) && len(p.Configurations) > 0 {
		text, err := manifest(p, o)
		if err != nil {
			return nil, fmt.Errorf("writing the manifest: %w", err)
		}
		files = append(files, output.File{Path: o.Manifest, Content: text, Owner: output.Manifest, Bare: !hasOwn(p)})
		if o.Kustomization {
			list := output.YAMLHeader + "\napiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n  - " + filepath.Base(o.Manifest) + "\n"
			files = append(files, output.File{Path: filepath.Join(filepath.Dir(o.Manifest), "kustomization.yaml"), Content: []byte(list), Owner: output.Generated})
		}
	}
	if slices.Contains(o.Outputs, Handlers) {
		code, err := handlers(p, planned, o)
		if err != nil {
			return nil, fmt.Errorf("writing the handlers: %w", err)
		}
		files = append(files, code...)
	}
	if slices.Contains(o.Outputs, Tests) {
		code, err := tests(p, o)
		if err != nil {
			return nil, fmt.Errorf("writing the tests: %w", err)
		}
		files = append(files, code...)
	}
	if slices.Contains(o.Outputs, Conversions) {
		code, err := conversions(p, planned, o)
		if err != nil {
			return nil, fmt.Errorf("writing the conversions: %w", err)
		}
		files = append(files, code...)
	}
	if slices.Contains(o.Outputs, Conversions) && o.Patches {
		patches, err := crdPatches(p, o.Delivery)
		if err != nil {
			return nil, fmt.Errorf("writing the patches of CRDs: %w", err)
		}
		files = append(files, patches...)
	}
	// Without a module, whose go.mod cannot be read and is reported, there is no place for a delivery.
	if slices.Contains(o.Outputs, Deliveries) && o.Delivery.Name != "" && p.Module.Dir != "" {
		delivered, err := delivery(p, o)
		if err != nil {
			return nil, fmt.Errorf("writing the delivery: %w", err)
		}
		files = append(files, delivered...)
	}
	if slices.Contains(o.Outputs, Tests) && slices.Contains(o.Outputs, Manifests) {
		code, err := integration(p, planned, o)
		if err != nil {
			return nil, fmt.Errorf("writing the integration test: %w", err)
		}
		files = append(files, code...)
	}
	if slices.Contains(o.Outputs, Conversions) && slices.Contains(o.Outputs, Tests) {
		code, err := conversionTests(p, planned, o)
		if err != nil {
			return nil, fmt.Errorf("writing the tests of conversions: %w", err)
		}
		files = append(files, code...)
	}
	if o.Vendored {
		code, err := runtimeCopy(p, files, o)
		if err != nil {
			return nil, fmt.Errorf("writing the copy of the runtime: %w", err)
		}
		files = append(files, code...)
	}
	return files, nil
}

// OutputsOf are the kinds of output that may ask for a file of ours, by its name: none for an integration test, which
// stands in a module of its own that does not say that it is wanted.
func OutputsOf(file string) []string {
	name, folder := filepath.Base(file), filepath.ToSlash(filepath.Dir(file))
	patch, _ := filepath.Match(CRDPatch, name) // the patterns are good ones
	inIntegration, _ := filepath.Match(integrationFiles, name)
	switch {
	case inIntegration:
		return nil
	case strings.HasSuffix(name, "_test.go"):
		return []string{Tests}
	case strings.HasSuffix(folder, "/wire"), strings.HasSuffix(folder, "/version"):
		return []string{Handlers, Conversions}
	case patch, name == conversionFile, strings.HasSuffix(folder, "/conversion"), strings.HasSuffix(folder, "/conversion/conversiontest"):
		return []string{Conversions}
	case filepath.Ext(name) == ".go":
		return []string{Handlers}
	}
	return []string{Manifests}
}

// hasOwn reports whether a +webhook marker takes part. A manifest of +kubebuilder markers
// alone is byte for byte what controller-gen writes, which has no header.
func hasOwn(p *model.Project) bool {
	for _, w := range p.Webhooks() {
		if !w.Kubebuilder {
			return true
		}
	}
	return false
}
