// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"crypto/tls"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/webhook-gen/webhook-gen/runtime/conversion"
)

// switched runs an action of the command conversion, and checks its exit code and a part of its report. It returns the
// versions that the report has for Crates.
func (c crateTest) switched(code int, want string, args ...string) (versions []crateVersion) {
	c.Helper()
	got, report := c.run(append([]string{"conversion"}, args...)...)
	text := strings.Join(report.Problems, "\n")
	for _, d := range report.Definitions {
		versions = d.Versions
		text += "\n" + d.Changed
		for _, f := range d.Failures {
			text += "\n" + f.Name + ": " + f.Message
		}
		for _, v := range d.Versions {
			text += "\n" + v.Message
		}
	}
	if got != code || !strings.Contains(text, want) {
		c.Fatalf("conversion %s: exit code %d and not %d, or no %q in: %s", strings.Join(args, " "), got, code, want, text)
	}
	return versions
}

// serves checks which versions the definition serves and which one it stores.
func (c crateTest) serves(storage string, served ...string) {
	c.Helper()
	var now []string
	for _, v := range c.definition().Spec.Versions {
		if v.Served {
			now = append(now, v.Name)
		}
		if v.Storage && v.Name != storage {
			c.Errorf("the storage version is %s", v.Name)
		}
	}
	if !slices.Equal(now, served) {
		c.Errorf("the served versions are %v, and not %v", now, served)
	}
}

// hideV2 has the definition not serve v2, as on the day that it comes.
func (c crateTest) hideV2() {
	c.Helper()
	c.change(func(spec *apiextensionsv1.CustomResourceDefinitionSpec) { spec.Versions[1].Served = false })
	eventually(c.T, "v2 is not served", func() bool {
		_, err := c.list("v2")
		return err != nil
	})
}

// reachBy changes how the API server reaches the conversion webhook.
func (c crateTest) reachBy(change func(*apiextensionsv1.WebhookClientConfig)) {
	c.Helper()
	c.change(func(spec *apiextensionsv1.CustomResourceDefinitionSpec) { change(spec.Conversion.Webhook.ClientConfig) })
}

// TestConversionSwitch serves a version once its conversion is there, stores it, and goes back. Before each step it
// tries what must not work.
func TestConversionSwitch(t *testing.T) {
	c := newCrates(t)
	c.hideV2()
	var all []*unstructured.Unstructured
	for i := range 250 { // three reviews
		all = append(all, c.crate("v1", "crate-"+strconv.Itoa(1000+i), object{"size": strconv.Itoa(i) + "cm"}))
	}
	broken := c.crate("v1", all[222].GetName(), object{"size": "broken"})
	whole := all[222]
	all[222] = broken
	c.storeAll(t, crateGroup+"/crates", all)

	// A webhook that does not answer.
	working := *c.definition().Spec.Conversion.Webhook.ClientConfig
	dead := "https://127.0.0.1:1/convert"
	c.reachBy(func(config *apiextensionsv1.WebhookClientConfig) { config.URL = &dead })
	c.switched(1, "connection refused", "on", "--version", "v2")
	c.switched(0, "connection refused", "status")
	c.reachBy(func(config *apiextensionsv1.WebhookClientConfig) { config.URL, config.CABundle = working.URL, c.ca })
	c.switched(1, "certificate", "on", "--version", "v2")
	c.reachBy(func(config *apiextensionsv1.WebhookClientConfig) { *config = working })
	if versions := c.switched(0, "", "status"); len(versions) != 2 || versions[0].Answered != nil || !versions[0].Stored || versions[1].Served || versions[1].Answered == nil || !*versions[1].Answered {
		t.Errorf("the status is %+v", versions)
	}

	// An object that does not convert.
	c.switched(1, "crate-1222: ", "on", "--version", "v2")
	c.serves("v1", "v1")
	c.storeAll(t, crateGroup+"/crates", []*unstructured.Unstructured{whole})
	// The API server may answer lists from before for a moment.
	eventually(t, "the object is repaired", func() bool {
		code, _ := c.run("conversion", "on", "--version", "v2", "--dry-run")
		return code == 0
	})
	c.switched(1, "v2 is not served: run conversion on --version v2 without --storage first", "on", "--version", "v2", "--storage")
	c.switched(2, "no definition has a version v3", "on", "--version", "v3")
	c.serves("v1", "v1")

	// On, as far as it goes.
	c.switched(0, "v2 is served", "on", "--version", "v2")
	if _, err := c.list("v2"); err != nil {
		t.Errorf("v2 is not served at the end: %v", err)
	}
	c.switched(0, "", "on", "--version", "v2")
	c.serves("v1", "v1", "v2")
	c.switched(0, "v2 is the storage version", "on", "--version", "v2", "--storage")
	c.serves("v2", "v1", "v2")

	// And back.
	c.switched(1, "v2 is the storage version", "off", "--version", "v2")
	c.switched(0, "v1 is the storage version", "on", "--version", "v1", "--storage")
	c.switched(1, "objects may be stored in v2: run migrate", "off", "--version", "v2")
	if code, report := c.migrate("--rate", "2000"); code != 0 {
		t.Fatalf("migrate: exit code %d, %+v", code, report)
	}
	c.switched(0, "v2 is not served", "off", "--version", "v2", "--dry-run")
	c.serves("v1", "v1", "v2")
	c.switched(0, "v2 is not served", "off", "--version", "v2")
	c.serves("v1", "v1")
	c.switched(0, "", "off", "--version", "v2")

	// Without a conversion.
	c.change(func(spec *apiextensionsv1.CustomResourceDefinitionSpec) {
		spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.NoneConverter}
	})
	c.switched(1, "its strategy is None", "on", "--version", "v2")
	c.serves("v1", "v1")
}

// TestConversionSwitchByService has the command reach the webhook by a Service: by its externalName, and through the
// API server's proxy. The API server itself reaches it by the former.
func TestConversionSwitchByService(t *testing.T) {
	c := newCrates(t)
	c.hideV2()
	c.create(t, c.crate("v1", "crate", object{"size": "1cm"}))
	serving, err := newCertificate(t.TempDir(), "outside."+c.namespace+".svc")
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.LoadX509KeyPair(serving.certFile, serving.keyFile)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", ":0") // also where endpoints of Services may be
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: conversion.NewHandler(conversion.Serve(crateConversion())), TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}}}
	go server.ServeTLS(listener, "", "")
	t.Cleanup(func() { server.Close() })
	port := int32(listener.Addr().(*net.TCPAddr).Port)
	for name, spec := range map[string]corev1.ServiceSpec{
		"outside": {Type: corev1.ServiceTypeExternalName, ExternalName: "127.0.0.1"},
		"inside":  {Ports: []corev1.ServicePort{{Port: port}}},
	} {
		c.create(t, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: c.namespace, Name: name}, Spec: spec})
	}
	path := conversion.Path
	by := func(name string, ca []byte) {
		c.reachBy(func(config *apiextensionsv1.WebhookClientConfig) {
			config.URL, config.CABundle = nil, ca
			config.Service = &apiextensionsv1.ServiceReference{Namespace: c.namespace, Name: name, Path: &path, Port: &port}
		})
	}
	by("inside", nil)
	c.switched(2, "no caBundle yet", "on", "--version", "v2")
	by("inside", serving.ca)
	c.switched(1, `"inside"`, "on", "--version", "v2") // it has no endpoints
	if address, err := outerAddress(); err == nil && address != "" {
		c.endpoint("inside", address, port)
		// The command's reviews arrive. Those of the API server do not, because nothing forwards a ClusterIP here.
		eventually(t, "the endpoint answers", func() bool {
			code, _ := c.run("conversion", "on", "--version", "v2", "--dry-run")
			return code == 0
		})
	}
	by("outside", serving.ca)
	c.switched(0, "v2 is served", "on", "--version", "v2")
	if all, err := c.list("v2"); err != nil || len(all) != 1 {
		t.Errorf("%d objects, %v", len(all), err)
	}
}

// endpoint gives a Service an endpoint, as controllers do. API servers have a proxy for pods alone, and read Endpoints
// or EndpointSlices, depending on their version.
func (c crateTest) endpoint(service, address string, port int32) {
	c.Helper()
	meta := metav1.ObjectMeta{Namespace: c.namespace, Name: service, Labels: map[string]string{discoveryv1.LabelServiceName: service}}
	pod := &corev1.Pod{ObjectMeta: meta, Spec: corev1.PodSpec{NodeName: "node", Containers: []corev1.Container{{Name: "webhook", Image: "webhook"}}}}
	c.create(c.T, pod)
	pod.Status = corev1.PodStatus{Phase: corev1.PodRunning, PodIP: address, PodIPs: []corev1.PodIP{{IP: address}}}
	if err := c.client.Status().Update(c.Context(), pod); err != nil {
		c.Fatal(err)
	}
	target, unnamed := &corev1.ObjectReference{Kind: "Pod", Namespace: c.namespace, Name: service}, ""
	c.create(c.T, &corev1.Endpoints{ObjectMeta: meta, Subsets: []corev1.EndpointSubset{
		{Addresses: []corev1.EndpointAddress{{IP: address, TargetRef: target}}, Ports: []corev1.EndpointPort{{Port: port}}}}})
	c.create(c.T, &discoveryv1.EndpointSlice{ObjectMeta: meta, AddressType: discoveryv1.AddressTypeIPv4,
		Endpoints: []discoveryv1.Endpoint{{Addresses: []string{address}, TargetRef: target}},
		Ports:     []discoveryv1.EndpointPort{{Name: &unnamed, Port: &port}}})
}

// outerAddress returns an address of this machine that others could use, if it has one.
func outerAddress() (string, error) {
	all, err := net.InterfaceAddrs()
	for _, a := range all {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.IsGlobalUnicast() && ip.IP.To4() != nil {
			return ip.IP.String(), nil
		}
	}
	return "", err
}
