// SPDX-License-Identifier: Apache-2.0

package output

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/webhook-gen/webhook-gen/generator/internal/yamltext"
)

// findForeign returns the first document of a manifest that is neither a MutatingWebhookConfiguration nor a
// ValidatingWebhookConfiguration of any API version. It ignores empty documents. what is "" without such a document,
// and line is 0 if it is unknown.
func findForeign(manifest []byte) (what string, line int) {
	documents, err := yamltext.Documents(manifest)
	for _, content := range documents {
		if content.Tag == "!!null" || isWebhookConfiguration(content) {
			continue
		}
		if kind := yamltext.Text(content, "kind"); kind != "" {
			return fmt.Sprintf("a document of apiVersion %q, kind %q", yamltext.Text(content, "apiVersion"), kind), content.Line
		}
		return "a document without kind", content.Line
	}
	if err != nil {
		return "text that is not YAML (" + strings.TrimPrefix(err.Error(), "yaml: ") + ")", 0
	}
	return "", 0
}

func isWebhookConfiguration(document *yaml.Node) bool {
	group, _, _ := strings.Cut(yamltext.Text(document, "apiVersion"), "/")
	kind := yamltext.Text(document, "kind")
	return group == "admissionregistration.k8s.io" &&
		(kind == "MutatingWebhookConfiguration" || kind == "ValidatingWebhookConfiguration")
}
