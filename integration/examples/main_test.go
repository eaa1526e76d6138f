// SPDX-License-Identifier: Apache-2.0

package examples

import (
	"context"
	"os"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"

	"github.com/webhook-gen/webhook-gen/integration/internal/apiserver"
)

// shared is the API server of all tests. TestMain starts it; shared is nil if its binaries are missing.
var shared *apiServer

// apiServer is an API server that knows the kinds of the examples.
type apiServer struct {
	config     *rest.Config
	kubeconfig []byte
	client     client.Client
}

func TestMain(m *testing.M) {
	os.Exit(apiserver.Run(m, apiserver.Plain(func(config *rest.Config, kubeconfig []byte) error {
		options := envtest.CRDInstallOptions{Paths: []string{"testdata/crds.yaml"}, ErrorIfPathMissing: true}
		if _, err := envtest.InstallCRDs(config, options); err != nil {
			return err
		}
		c, err := client.New(config, client.Options{})
		shared = &apiServer{config, kubeconfig, c}
		return err
	})))
}

// onAPIServer returns the API server, and skips the test if there is no API server.
func onAPIServer(t *testing.T) *apiServer {
	t.Helper()
	if shared == nil {
		t.Skip(apiserver.Missing)
	}
	return shared
}

// prepare reads an example's manifest, and makes a certificate for an address of this machine where its webhooks are to
// be called. The options' Install then has the API server call them, until the test ends.
func (s *apiServer) prepare(t *testing.T, manifests ...string) *envtest.WebhookInstallOptions {
	t.Helper()
	o := &envtest.WebhookInstallOptions{Paths: manifests}
	if err := o.PrepWithoutInstalling(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, c := range o.MutatingWebhooks {
			s.client.Delete(context.Background(), c)
		}
		for _, c := range o.ValidatingWebhooks {
			s.client.Delete(context.Background(), c)
		}
		o.Cleanup()
	})
	return o
}

// convert makes the API server call an address of this machine for the conversions in a generated patch.
func (s *apiServer) convert(t *testing.T, patch, address string, ca []byte) {
	t.Helper()
	text, err := os.ReadFile(patch)
	if err != nil {
		t.Fatal(err)
	}
	var patched apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(text, &patched); err != nil {
		t.Fatal(err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := s.client.Get(t.Context(), client.ObjectKey{Name: patched.Name}, crd); err != nil {
		t.Fatal(err)
	}
	crd.Spec.Conversion = patched.Spec.Conversion
	config := crd.Spec.Conversion.Webhook.ClientConfig
	*config = apiextensionsv1.WebhookClientConfig{URL: new("https://" + address + *config.Service.Path), CABundle: ca}
	if err := s.client.Update(t.Context(), crd); err != nil {
		t.Fatal(err)
	}
}

// namespace makes a namespace.
func (s *apiServer) namespace(t *testing.T, name string, labels map[string]string) {
	t.Helper()
	err := s.client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}})
	if err != nil {
		t.Fatal(err)
	}
}

// eventually waits until something is done without an error, which takes a moment when an API server has to notice.
func eventually(t *testing.T, try func() error) {
	t.Helper()
	var err error
	for range 500 {
		if err = try(); err == nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal(err)
}
