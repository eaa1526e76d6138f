// SPDX-License-Identifier: Apache-2.0

package integrationtest

import (
	"crypto/tls"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// apiServer is an API server that calls the project's webhooks.
type apiServer struct {
	client client.Client
	// url is where the webhooks are served, and authority who has signed that server's certificate, PEM.
	url       string
	authority []byte
	// versions are the resources that are served, by kind, and scales those among them that can be scaled.
	versions map[schema.GroupKind][]schema.GroupVersion
	scales   map[schema.GroupVersionKind]bool
	calls    *calls
}

// start starts an API server with the project's CRDs and webhook configurations, and serves the webhooks to it.
func start(t *testing.T, p Project) *apiServer {
	environment := &envtest.Environment{
		ControlPlaneStartTimeout: time.Minute, // the machine may have other things to do
		WebhookInstallOptions:    envtest.WebhookInstallOptions{Paths: []string{filepath.FromSlash(p.Manifest)}, IgnoreErrorIfPathMissing: true},
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
	s := &apiServer{calls: &calls{served: map[string]int{}}}
	s.serve(t, p, environment.WebhookInstallOptions)
	// The environment would do so itself, but have every kind converted.
	if _, err := envtest.InstallCRDs(config, envtest.CRDInstallOptions{CRDs: s.definitions(t, p)}); err != nil {
		t.Fatal(err)
	}
	if s.client, err = client.New(config, client.Options{}); err != nil {
		t.Fatal(err)
	}
	s.discover(t, config)
	s.await(t)
	return s
}

// serve serves the webhooks where the API server has been told that they are.
func (s *apiServer) serve(t *testing.T, p Project, o envtest.WebhookInstallOptions) {
	mux := http.NewServeMux()
	handle := func(path string, handler http.Handler) {
		name := path
		if named, ok := handler.(interface{ Name() string }); ok {
			name = named.Name()
		}
		mux.Handle(p.Prefix+path, s.calls.counted(name, handler))
	}
	if err := p.Register(handle); err != nil {
		t.Fatal(err)
	}
	certificate, err := tls.LoadX509KeyPair(filepath.Join(o.LocalServingCertDir, "tls.crt"), filepath.Join(o.LocalServingCertDir, "tls.key"))
	if err != nil {
		t.Fatal(err)
	}
	address := net.JoinHostPort(o.LocalServingHost, strconv.Itoa(o.LocalServingPort))
	listener, err := tls.Listen("tcp", address, &tls.Config{Certificates: []tls.Certificate{certificate}})
	if err != nil {
		t.Fatal(err)
	}
	s.url, s.authority = "https://"+address, o.LocalServingCAData
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	go func() { _ = server.Serve(listener) }() // it ends with Close
}

// definitions are the project's CRDs. Conversions in them or in a patch are called where the webhooks are.
func (s *apiServer) definitions(t *testing.T, p Project) []*apiextensionsv1.CustomResourceDefinition {
	options := envtest.CRDInstallOptions{}
	for _, pattern := range p.Definitions {
		options.Paths = append(options.Paths, matches(t, pattern)...)
	}
	if err := envtest.ReadCRDFiles(&options); err != nil {
		t.Fatal(err)
	}
	patches := map[string]*apiextensionsv1.CustomResourceConversion{} // by the definition's name
	for _, file := range matches(t, p.Conversions) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var patch apiextensionsv1.CustomResourceDefinition
		if err := yaml.Unmarshal(text, &patch); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		patches[patch.Name] = patch.Spec.Conversion
	}
	for _, crd := range options.CRDs {
		if patch, ok := patches[crd.Name]; ok {
			crd.Spec.Conversion = patch
		}
		if c := crd.Spec.Conversion; c != nil && c.Webhook != nil && c.Webhook.ClientConfig.Service != nil {
			url := s.url + *c.Webhook.ClientConfig.Service.Path
			c.Webhook.ClientConfig = &apiextensionsv1.WebhookClientConfig{URL: &url, CABundle: s.authority}
		}
	}
	return options.CRDs
}

// discover asks the API server what it serves.
func (s *apiServer) discover(t *testing.T, config *rest.Config) {
	discoverer, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	_, lists, err := discoverer.ServerGroupsAndResources()
	if err != nil {
		t.Fatal(err)
	}
	s.versions, s.scales = map[schema.GroupKind][]schema.GroupVersion{}, map[schema.GroupVersionKind]bool{}
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			t.Fatal(err)
		}
		kinds := map[string]string{} // by resource
		for _, r := range list.APIResources {
			if resource, sub, found := strings.Cut(r.Name, "/"); !found {
				kinds[r.Name] = r.Kind
				kind := schema.GroupKind{Group: gv.Group, Kind: r.Kind}
				s.versions[kind] = append(s.versions[kind], gv)
			} else if sub == "scale" {
				s.scales[gv.WithKind(kinds[resource])] = true
			}
		}
	}
}

// await waits until the API server calls webhooks. An API server reads new configurations after a moment, and does not
// report that. The webhooks of await are only for objects with a label of their own, and nobody serves them. So these
// objects are refused as soon as the API server calls webhooks.
func (s *apiServer) await(t *testing.T) {
	const label = "integration-probe"
	url, policy, none := s.url+"/nobody", admissionregistrationv1.Fail, admissionregistrationv1.SideEffectClassNone
	config := admissionregistrationv1.WebhookClientConfig{URL: &url, CABundle: s.authority}
	rules := []admissionregistrationv1.RuleWithOperations{{
		Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
		Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
	}}
	labelled := func(value string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchLabels: map[string]string{label: value}}
	}
	meta := metav1.ObjectMeta{Name: label}
	for _, configuration := range []client.Object{
		&admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: meta, Webhooks: []admissionregistrationv1.MutatingWebhook{{
			Name: "mutating.integration.probe", ClientConfig: config, Rules: rules, ObjectSelector: labelled("mutating"),
			FailurePolicy: &policy, SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
		}}},
		&admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: meta, Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: "validating.integration.probe", ClientConfig: config, Rules: rules, ObjectSelector: labelled("validating"),
			FailurePolicy: &policy, SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
		}}},
	} {
		if err := s.client.Create(t.Context(), configuration); err != nil {
			t.Fatal(err)
		}
	}
	for _, kind := range []string{"mutating", "validating"} {
		probe := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: label, Labels: map[string]string{label: kind}}}
		for deadline := time.Now().Add(time.Minute); s.client.Create(t.Context(), probe.DeepCopy(), client.DryRunAll) == nil; {
			if time.Now().After(deadline) {
				t.Fatalf("the API server calls no %s webhooks", kind)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}

// matches are the files and folders that a pattern matches.
func matches(t *testing.T, pattern string) []string {
	files, err := filepath.Glob(filepath.FromSlash(pattern))
	if err != nil {
		t.Fatal(err)
	}
	return files
}
