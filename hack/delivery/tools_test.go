// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// tools are the commands that users have beside webhook-gen.
type tools struct{ webhookGen, helm, kustomize, kubectl string }

// commands are the commands in a folder that is removed after all tests. Each is built once: from the tree, or at the
// version that go.mod pins.
type commands struct {
	dir   string
	built map[string]func() error
}

var everyCommand commands

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "commands")
	if err != nil {
		panic(err)
	}
	everyCommand = commands{dir, map[string]func() error{}}
	for name, from := range map[string][2]string{
		"webhook-gen": {root, "./cmd/webhook-gen"}, "helm": {".", "helm.sh/helm/v4/cmd/helm"}, "kustomize": {".", "sigs.k8s.io/kustomize/kustomize/v5"},
		"kubectl": {".", "./kubectl"},
	} {
		everyCommand.built[name] = sync.OnceValue(func() error {
			_, err := try(from[0], nil, "go", "build", "-o", filepath.Join(dir, name), from[1])
			return err
		})
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// in links commands into a new folder.
func (c commands) in(t *testing.T, names ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range names {
		err := c.built[name]()
		if err == nil {
			err = os.Link(filepath.Join(c.dir, name), filepath.Join(dir, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// buildTools builds everything that a user of a cluster has.
func buildTools(t *testing.T) tools {
	t.Helper()
	dir := everyCommand.in(t, "webhook-gen", "helm", "kustomize", "kubectl")
	return tools{filepath.Join(dir, "webhook-gen"), filepath.Join(dir, "helm"), filepath.Join(dir, "kustomize"), filepath.Join(dir, "kubectl")}
}

// buildDelivery builds the tools that make the objects for a cluster.
func buildDelivery(t *testing.T) tools {
	t.Helper()
	dir := everyCommand.in(t, "webhook-gen", "helm", "kustomize")
	return tools{webhookGen: filepath.Join(dir, "webhook-gen"), helm: filepath.Join(dir, "helm"), kustomize: filepath.Join(dir, "kustomize")}
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
