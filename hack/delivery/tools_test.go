package delivery

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// tools are the commands that users have beside webhook-gen.
type tools struct{ webhookGen, helm, kustomize, kubectl string }

// buildTools builds webhook-gen from the tree and the others at the versions that go.mod pins.
func buildTools(t *testing.T) tools {
	t.Helper()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	output(t, root, nil, "go", "build", "-o", at("webhook-gen"), "./cmd/webhook-gen")
	output(t, ".", nil, "go", "build", "-o", at("helm"), "helm.sh/helm/v4/cmd/helm")
	output(t, ".", nil, "go", "build", "-o", at("kustomize"), "sigs.k8s.io/kustomize/kustomize/v5")
	output(t, ".", nil, "go", "build", "-o", at("kubectl"), "./kubectl")
	return tools{at("webhook-gen"), at("helm"), at("kustomize"), at("kubectl")}
}

// startCluster starts an API server with the CRDs of cert-manager and returns the environment in which kubectl talks to
// it. Without the binaries the test is skipped.
func startCluster(t *testing.T) []string {
	t.Helper()
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		t.Skip("KUBEBUILDER_ASSETS is not set: make test-delivery builds an API server and sets it")
	}
	ctrl.SetLogger(logr.Discard())
	certManager := moduleDir(t, "github.com/cert-manager/cert-manager")
	environment := &envtest.Environment{
		CRDDirectoryPaths:     []string{filepath.Join(certManager, "deploy", "crds")},
		ErrorIfCRDPathMissing: true,
	}
	if _, err := environment.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := environment.Stop(); err != nil {
			t.Error(err)
		}
	})
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(kubeconfig, environment.KubeConfig, 0o600); err != nil {
		t.Fatal(err)
	}
	return append(os.Environ(), "KUBECONFIG="+kubeconfig)
}
