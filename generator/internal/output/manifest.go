// SPDX-License-Identifier: Apache-2.0

package output

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/webhook-gen/webhook-gen/generator/internal/yamltext"
)

// foreign is what a manifest holds besides webhook configurations.
type foreign struct {
	what string
	line int // 0 where it cannot be told
}

// findForeign returns the first document of a manifest that is not a
// MutatingWebhookConfiguration or ValidatingWebhookConfiguration, of whatever API version.
// Empty documents do not count.
func findForeign(manifest []byte) (foreign, bool) {
	documents, err := yamltext.Documents(manifest)
	for _, content := range documents {
		if content.Tag == "!!null" || isWebhookConfiguration(content) {
			continue
		}
		if kind := yamltext.Text(content, "kind"); kind != "" {
			return foreign{fmt.Sprintf("a document of apiVersion %q, kind %q", yamltext.Text(content, "apiVersion"), kind), content.Line}, true
		}
		return foreign{"a document without kind", content.Line}, true
	}
	if err != nil {
		return foreign{what: "text that is not YAML (" + strings.TrimPrefix(err.Error(), "yaml: ") + ")"}, true
	}
	return foreign{}, false
}

func isWebhookConfiguration(document *yaml.Node) bool {
	group, _, _ := strings.Cut(yamltext.Text(document, "apiVersion"), "/")
	kind := yamltext.Text(document, "kind")
	return group == "admissionregistration.k8s.io" &&
		(kind == "MutatingWebhookConfiguration" || kind == "ValidatingWebhookConfiguration")
}
