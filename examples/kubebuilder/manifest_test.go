// SPDX-License-Identifier: Apache-2.0

package kubebuilder

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/yaml"
)

// TestManifest wants the API server to call the registered handlers, and nothing else.
func TestManifest(t *testing.T) {
	manifest, err := os.ReadFile("config/webhook/manifests.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var called []string
	for document := range strings.SplitSeq(string(manifest), "---\n") {
		// The test reads only fields that a MutatingWebhookConfiguration has as well.
		var configuration admissionregistrationv1.ValidatingWebhookConfiguration
		if err := yaml.Unmarshal([]byte(document), &configuration); err != nil {
			t.Fatal(err)
		}
		for _, webhook := range configuration.Webhooks {
			called = append(called, *webhook.ClientConfig.Service.Path)
		}
	}
	var served []string
	handle := func(path string, _ http.Handler) { served = append(served, path) }
	setUp(t, handle)
	slices.Sort(called)
	slices.Sort(served)
	if !slices.Equal(called, served) {
		t.Errorf("the manifest has\n%s\nand served are\n%s", strings.Join(called, "\n"), strings.Join(served, "\n"))
	}
}
