// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// tools are the commands that users have beside webhook-gen.
type tools struct{ webhookGen, helm, kustomize, kubectl string }

// buildTools builds webhook-gen from the tree and the others at the versions that go.mod pins.
func buildTools(t *testing.T) tools {
	t.Helper()
	built := buildDelivery(t)
	dir := filepath.Dir(built.webhookGen)
	built.kubectl = filepath.Join(dir, "kubectl")
	output(t, filepath.Join(root, "explain"), nil, "go", "build", "-o", filepath.Join(dir, "webhook-gen-explain"), "./cmd/webhook-gen-explain")
	output(t, ".", nil, "go", "build", "-o", built.kubectl, "./kubectl")
	return built
}

// buildDelivery builds the tools that make the objects for a cluster.
func buildDelivery(t *testing.T) tools {
	t.Helper()
	dir := t.TempDir()
	built := tools{webhookGen: filepath.Join(dir, "webhook-gen"), helm: filepath.Join(dir, "helm"), kustomize: filepath.Join(dir, "kustomize")}
	output(t, root, nil, "go", "build", "-o", built.webhookGen, "./cmd/webhook-gen")
	output(t, ".", nil, "go", "build", "-o", built.helm, "helm.sh/helm/v4/cmd/helm")
	output(t, ".", nil, "go", "build", "-o", built.kustomize, "sigs.k8s.io/kustomize/kustomize/v5")
	return built
}

// cluster is a running API server.
type cluster struct {
	// env is the environment in which kubectl talks to it.
	env []string
	// config is an administrator's.
	config *rest.Config
}

// startCluster starts an API server with the CRDs of cert-manager, its aggregation layer, and further flags. The API
// server finds the endpoints of Services itself, as nothing routes their addresses here. Without the binaries the test
// is skipped.
func startCluster(t *testing.T, flags ...string) cluster {
	t.Helper()
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		t.Skip("KUBEBUILDER_ASSETS is not set: make test-delivery builds an API server and sets it")
	}
	ctrl.SetLogger(logr.Discard())
	certManager := moduleDir(t, "github.com/cert-manager/cert-manager")
	environment := &envtest.Environment{
		CRDDirectoryPaths:        []string{filepath.Join(certManager, "deploy", "crds")},
		ErrorIfCRDPathMissing:    true,
		ControlPlaneStartTimeout: time.Minute, // the machine may have other things to do
	}
	dir := t.TempDir()
	frontProxy := newAuthority(t)
	certificate, key := frontProxy.issue(t, dir, "front-proxy-client", &x509.Certificate{Subject: pkix.Name{CommonName: "front-proxy-client"}})
	for _, flag := range append([]string{
		"requestheader-client-ca-file=" + frontProxy.file(t, dir), "requestheader-allowed-names=front-proxy-client",
		"requestheader-username-headers=X-Remote-User", "requestheader-group-headers=X-Remote-Group", "requestheader-extra-headers-prefix=X-Remote-Extra-",
		"proxy-client-cert-file=" + certificate, "proxy-client-key-file=" + key, "enable-aggregator-routing=true",
	}, flags...) {
		name, value, _ := strings.Cut(flag, "=")
		environment.ControlPlane.GetAPIServer().Configure().Set(name, value)
	}
	config, err := environment.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := environment.Stop(); err != nil {
			t.Error(err)
		}
	})
	kubeconfig := filepath.Join(dir, "kubeconfig")
	if err := os.WriteFile(kubeconfig, environment.KubeConfig, 0o600); err != nil {
		t.Fatal(err)
	}
	return cluster{env: append(os.Environ(), "KUBECONFIG="+kubeconfig), config: config}
}
