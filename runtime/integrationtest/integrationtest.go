// SPDX-License-Identifier: Apache-2.0

// Package integrationtest is the test that webhook-gen generates for a project with tests.integration in
// webhook-gen.yaml: a real API server calls the project's webhooks for each of its samples. It needs kube-apiserver and
// etcd in the folder that KUBEBUILDER_ASSETS names, as webhook-gen assets prints it.
package integrationtest

import (
	"net/http"
	"os"
	"strings"
	"testing"
)

// Project says what the API server is given. Paths are relative to the folder of the test, with slashes.
type Project struct {
	// Manifest is the file with the webhook configurations.
	Manifest string
	// Definitions are files with CRDs, folders of them, or patterns of filepath.Glob. Conversions is the pattern of the
	// patches for them, which contain their conversion.
	Definitions []string
	Conversions string
	// Samples are folders with objects that users would create, in YAML. The ones in a folder denied must be refused.
	Samples []string
	// Prefix is the beginning of the paths in the webhook configurations that handlers do not have: "" or
	// "/apis/admission.example.com/v1".
	Prefix string
	// Register registers the webhooks.
	Register func(handle func(path string, handler http.Handler)) error
}

// Run has a real API server call the webhooks. Each sample is created, read, changed and deleted, in each version that
// is served of it. Each sample in a folder denied must be refused, with the message that a comment gives:
// "# denied: a part of the message". Without KUBEBUILDER_ASSETS the test is skipped.
func Run(t *testing.T, p Project) {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		t.Skip("no API server: KUBEBUILDER_ASSETS names no folder with kube-apiserver and etcd, as `webhook-gen assets` prints it")
	}
	found := samples(t, p.Samples)
	if len(found) == 0 {
		t.Logf("no samples in %s", strings.Join(p.Samples, ", "))
	}
	server := start(t, p)
	for _, sample := range found {
		name := sample.GetKind() + "/" + sample.GetName()
		if sample.isDenied() {
			t.Run("denied/"+name, func(t *testing.T) { server.deny(t, sample) })
		} else {
			t.Run(name, func(t *testing.T) { server.live(t, sample) })
		}
	}
	for _, webhook := range server.calls.missing() {
		t.Logf("webhook %s has not been called for any sample", webhook)
	}
}
