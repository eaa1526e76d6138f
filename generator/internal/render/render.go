// Package render turns a project into the text of files. It decides nothing: what it
// writes has been derived by model and checked by check.
package render

import (
	"fmt"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// Manifests is the output that holds the webhook configurations.
const Manifests = "manifests"

// Options say what is written, where it goes and how it begins.
type Options struct {
	// Outputs are the kinds of files that are wanted.
	Outputs []string
	// Manifest is the manifest's absolute path.
	Manifest string
	// Header says whether a manifest with webhooks of +webhook markers begins with our header.
	Header bool
}

// Project writes the project's files.
func Project(p *model.Project, o Options) ([]output.File, error) {
	if len(p.Configurations) == 0 || !slices.Contains(o.Outputs, Manifests) {
		return nil, nil
	}
	text, err := manifest(p, o.Header && hasOwn(p))
	if err != nil {
		return nil, fmt.Errorf("writing the manifest: %w", err)
	}
	return []output.File{{Path: o.Manifest, Content: text, Owner: output.Manifest}}, nil
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
