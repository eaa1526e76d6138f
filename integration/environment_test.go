// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"

	"github.com/webhook-gen/webhook-gen/integration/arguments"
)

// The names that package arguments and its neighbours give to Services, and the ports that these have.
const (
	serviceNamespace = "integration-system"
	mainService      = "webhooks"
	mainPort         = 8443
	annexService     = "annex"
	annexPort        = 9443
	outsideHost      = "outside.example.com"
)

// auditPolicy has everything about ConfigMaps in the audit log.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  resources: [{group: "", resources: [configmaps]}]
- level: None
`

// environment is an API server, its etcd, and the webhooks that it calls.
type environment struct {
	config      *rest.Config
	client      client.Client
	calls       *calls
	conversions *conversions
	proxy       *proxy
	auditLog    string
	etcd        string // URL
	ca          []byte // PEM, of who signed the webhooks' certificate

	policies policies

	stops []func()
}

// start starts everything, and returns when the API server calls webhooks.
//
// It changes manifests only as cert-manager, for example, would: it adds the missing caBundle. Services are of type
// ExternalName, which an API server resolves by itself, and lead to an address of this machine.
func start() (*environment, error) {
	e := &environment{calls: &calls{}, conversions: &conversions{handler: newSigningConverter()}}
	if err := e.start(); err != nil {
		e.stop()
		return nil, err
	}
	return e, nil
}

func (e *environment) start() error {
	folder, err := os.MkdirTemp("", "integration")
	if err != nil {
		return err
	}
	e.stops = append(e.stops, func() { os.RemoveAll(folder) })
	serving, err := newCertificate(folder, outsideHost,
		mainService+"."+serviceNamespace+".svc", annexService+"."+serviceNamespace+".svc")
	if err != nil {
		return err
	}
	e.ca = serving.ca
	address, err := e.serve(serving)
	if err != nil {
		return err
	}
	if e.proxy, err = startProxy(net.JoinHostPort(address, strconv.Itoa(mainPort))); err != nil {
		return err
	}
	e.stops = append(e.stops, e.proxy.close)
	if err := e.startAPIServer(folder); err != nil {
		return err
	}
	return e.install(address)
}

// stop undoes start, the last step first.
func (e *environment) stop() {
	for len(e.stops) > 0 {
		last := len(e.stops) - 1
		e.stops[last]()
		e.stops = e.stops[:last]
	}
}

// startAPIServer starts etcd and an API server that knows the kinds of this module.
func (e *environment) startAPIServer(folder string) error {
	policy := filepath.Join(folder, "audit-policy.yaml")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o600); err != nil {
		return err
	}
	e.auditLog = filepath.Join(folder, "audit.log")
	env := &envtest.Environment{ControlPlaneStartTimeout: time.Minute} // The machine may have other things to do.
	env.ControlPlane.GetAPIServer().Configure().Set("audit-policy-file", policy).Set("audit-log-path", e.auditLog)
	own, err := outerAddress() // for pods that tests play
	if err != nil {
		return err
	}
	// It inherits the environment of this process.
	for name, value := range map[string]string{"HTTPS_PROXY": e.proxy.url(), "NO_PROXY": ".svc,localhost,127.0.0.0/8," + own} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
		defer os.Unsetenv(name)
	}
	e.stops = append(e.stops, func() { env.Stop() })
	config, err := env.Start()
	if err != nil {
		return err
	}
	e.config, e.etcd = config, env.ControlPlane.Etcd.URL.String()
	e.config.QPS = -1 // It is the API server that is to be seen, not a client that holds back.
	e.config.WarningHandlerWithContext = rest.NoWarnings{}
	e.client, err = client.New(e.config, client.Options{})
	if err != nil {
		return err
	}
	crds, err := customResourceDefinitions(e.ca)
	if err != nil {
		return err
	}
	// Environment.Start would install them, too, but with conversions of its own.
	_, err = envtest.InstallCRDs(e.config, envtest.CRDInstallOptions{CRDs: crds})
	return err
}

// customResourceDefinitions reads the kinds' definitions, with the generated patches in place.
func customResourceDefinitions(ca []byte) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	files, err := filepath.Glob("config/crd/*.yaml")
	if err != nil {
		return nil, err
	}
	var crds []*apiextensionsv1.CustomResourceDefinition
	for _, file := range files {
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := readYAML(file, crd); err != nil {
			return nil, err
		}
		// Decoding merges the patch into the CRD: values of the patch replace the CRD's.
		patch := "config/crd/patches/conversion_in_" + crd.Name + ".yaml"
		if err := readYAML(patch, crd); err == nil {
			crd.Spec.Conversion.Webhook.ClientConfig.CABundle = ca
		} else if !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		crds = append(crds, crd)
	}
	return crds, nil
}

func readYAML(file string, into any) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return yaml.UnmarshalStrict(text, into)
}

// install makes the API server call the webhooks of the manifest, and waits until it does.
func (e *environment) install(address string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	objects := []client.Object{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: serviceNamespace}}}
	for _, name := range []string{mainService, annexService} {
		objects = append(objects, &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Namespace: serviceNamespace, Name: name},
			Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: address},
		})
	}
	configurations, err := readManifest("config/webhook/manifests.yaml", e.ca)
	if err != nil {
		return err
	}
	for _, object := range append(objects, configurations...) {
		if err := e.client.Create(ctx, object); err != nil {
			return fmt.Errorf("create %T %s: %w", object, object.GetName(), err)
		}
	}
	return e.waitForWebhooks(ctx)
}

// readManifest reads configurations, and sets the caBundle of webhooks without one. The webhook that the tests wait for
// comes last, so that all others are there when it is.
func readManifest(file string, ca []byte) (configurations []client.Object, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	inject := func(c *admissionregistrationv1.WebhookClientConfig) {
		if c.CABundle == nil {
			c.CABundle = ca
		}
	}
	documents := utilyaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(text)))
	for buffer := make([]byte, len(text)); ; {
		n, err := documents.Read(buffer)
		if err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		var known metav1.TypeMeta
		if err := yaml.Unmarshal(buffer[:n], &known); err != nil {
			return nil, err
		}
		var configuration client.Object
		switch known.Kind {
		case "":
			continue
		case "MutatingWebhookConfiguration":
			c := &admissionregistrationv1.MutatingWebhookConfiguration{}
			err = yaml.UnmarshalStrict(buffer[:n], c)
			for i := range c.Webhooks {
				inject(&c.Webhooks[i].ClientConfig)
			}
			configuration = c
		case "ValidatingWebhookConfiguration":
			c := &admissionregistrationv1.ValidatingWebhookConfiguration{}
			err = yaml.UnmarshalStrict(buffer[:n], c)
			for i := range c.Webhooks {
				inject(&c.Webhooks[i].ClientConfig)
			}
			configuration = c
		default:
			return nil, fmt.Errorf("%s has a %s", file, known.Kind)
		}
		if err != nil {
			return nil, err
		}
		configurations = append(configurations, configuration)
	}
	return configurations, nil
}

// waitForWebhooks waits until a webhook of either kind is called. API servers take up configurations and Services after
// a moment, without notice.
func (e *environment) waitForWebhooks(ctx context.Context) error {
	for {
		probe := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
			Namespace: serviceNamespace, Name: "probe", Labels: map[string]string{"topic": "order"},
		}}
		err := e.client.Create(ctx, probe, client.DryRunAll)
		if err == nil && probe.Data["visited"] != "" && len(e.calls.about(arguments.ValidateEverythingPath, serviceNamespace)) > 0 {
			return nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("webhooks are not called: %w", errors.Join(err, ctx.Err()))
		}
	}
}

// namespace makes a namespace for one test.
func (e *environment) namespace(t *testing.T, labels map[string]string) string {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-", Labels: labels}}
	if err := e.client.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	return namespace.Name
}

// create makes an object, as the API server then has it.
func (e *environment) create(t *testing.T, object client.Object, options ...client.CreateOption) {
	t.Helper()
	if err := e.client.Create(t.Context(), object, options...); err != nil {
		t.Fatalf("create %s: %v", object.GetName(), err)
	}
}
