// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/webhook"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/validating"
	webhookutil "k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/rest"

	"github.com/webhook-gen/webhook-gen/explain/internal/configuration"
)

// Program is a running program that serves webhooks.
type Program struct {
	// URL is its address. A webhook is called at the path of its clientConfig below it.
	URL *url.URL
	// Roots sign its certificate. If it is nil, the system's roots and the webhook's caBundle do.
	Roots *x509.CertPool
}

// NewProgram reads the address of a program, and certificates in PEM, which may be nil.
func NewProgram(address string, authorities []byte) (*Program, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("--webhooks: %q is no address of a program: use a URL such as https://127.0.0.1:9443", address)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("--webhooks: %q has a user, a query or a fragment: leave them away, as in a webhook's clientConfig", address)
	case u.Scheme == "http" && u.Hostname() != "localhost" && !net.ParseIP(u.Hostname()).IsLoopback():
		return nil, fmt.Errorf("--webhooks: %s is not on this machine, and requests may have secrets: use https", address)
	}
	p := &Program{URL: u}
	if authorities != nil {
		p.Roots = x509.NewCertPool()
		if !p.Roots.AppendCertsFromPEM(authorities) {
			return nil, errors.New("--webhooks-ca: there is no certificate in the file: use a PEM file with the program's certificate, or with the certificate of its authority")
		}
	}
	return p, nil
}

// largestResponse is the size of a response that is read. It is far above the largest object of an API server.
const largestResponse = 16 << 20

// server is the API server's own plugin and dispatcher for webhooks of one kind, which build the request, apply the
// response and keep account of reinvocations. It serves all callers of a request, because its setup takes longer than
// many calls. At each call it knows one webhook.
type server struct {
	Cluster
	*plugin
	dispatch func(context.Context, admission.Attributes, admission.ObjectInterfaces) error
	wires    map[string]*wire // by host
}

func newServer(c Cluster, isMutating bool) (*server, error) {
	c.Configurations = configuration.Set{}
	s := &server{Cluster: c, plugin: &plugin{}, wires: map[string]*wire{}}
	if isMutating {
		p, err := mutating.NewMutatingWebhook(nil)
		if err != nil {
			return nil, err
		}
		s.Webhook, s.dispatch = p.Webhook, p.Admit
	} else {
		p, err := validating.NewValidatingAdmissionWebhook(nil)
		if err != nil {
			return nil, err
		}
		s.Webhook, s.dispatch = p.Webhook, p.Validate
	}
	clients := &webhookutil.AuthenticationInfoResolverDelegator{ClientConfigForFunc: func(hostPort string) (*rest.Config, error) {
		host, _, err := net.SplitHostPort(hostPort)
		return &rest.Config{Transport: s.wires[host]}, err
	}}
	s.SetAuthenticationInfoResolverWrapper(func(webhookutil.AuthenticationInfoResolver) webhookutil.AuthenticationInfoResolver {
		return clients
	})
	return s, s.initialize(c)
}

// caller calls one webhook. It has all rounds of one request.
type caller struct {
	*server
	known informers.SharedInformerFactory // with this webhook alone
	wire  *wire
}

func (s *server) caller(h webhook.WebhookAccessor, program *Program) (*caller, error) {
	// Each webhook has a host of its own, because the plugin caches clients by URL
	// (k8s.io/apiserver/pkg/util/webhook, ClientManager.HookClient).
	called := &caller{server: s, wire: &wire{program: program, host: fmt.Sprintf("webhook-%d.invalid", len(s.wires))}}
	s.wires[called.wire.host] = called.wire
	c := s.Cluster
	if m, ok := h.GetMutatingWebhook(); ok {
		one := m.DeepCopy()
		called.wire.to(&one.ClientConfig)
		c.Configurations.Mutating = []*v1.MutatingWebhookConfiguration{{Webhooks: []v1.MutatingWebhook{*one}}}
		c.Configurations.Mutating[0].Name = h.GetConfigurationName()
	}
	if w, ok := h.GetValidatingWebhook(); ok {
		one := w.DeepCopy()
		called.wire.to(&one.ClientConfig)
		c.Configurations.Validating = []*v1.ValidatingWebhookConfiguration{{Webhooks: []v1.ValidatingWebhook{*one}}}
		c.Configurations.Validating[0].Name = h.GetConfigurationName()
	}
	var err error
	called.known, err = c.Informers(s.namespaces.Client)
	return called, err
}

// admit calls the webhook, unless the API server's code decides not to.
func (c *caller) admit(ctx context.Context, a admission.Attributes, objects admission.ObjectInterfaces) error {
	if err := c.know(c.known); err != nil {
		return err
	}
	return c.dispatch(ctx, a, objects)
}

// wire is the connection to a program. Without a program, it answers that the request is allowed as it is, which is
// never taken for the program's answer.
type wire struct {
	program *Program
	// host is the host of requests to the webhook, in place of the host of clientConfig.
	host string
	// names are the names for which the program may have a certificate.
	names []string
	path  string
	inner http.RoundTripper
	// calls counts the requests. status is the answer to the last one, and unreached its error if there was no answer.
	calls     int
	status    string
	unreached error
}

// to redirects a webhook to the wire.
func (w *wire) to(c *v1.WebhookClientConfig) {
	switch {
	case c.Service != nil:
		w.names = append(w.names, c.Service.Name+"."+c.Service.Namespace+".svc")
		if c.Service.Path != nil {
			w.path = *c.Service.Path
		}
	case c.URL != nil:
		if u, err := url.Parse(*c.URL); err == nil {
			w.names, w.path = append(w.names, u.Hostname()), u.Path
		}
	}
	if w.program != nil {
		w.path = strings.TrimSuffix(w.program.URL.Path, "/") + "/" + strings.TrimPrefix(w.path, "/")
		w.names = append(w.names, w.program.URL.Hostname())
		w.inner = &http.Transport{TLSClientConfig: w.trust(c.CABundle), DisableKeepAlives: true, ResponseHeaderTimeout: time.Minute}
	}
	address := (&url.URL{Scheme: "https", Host: w.host, Path: w.path}).String()
	*c = v1.WebhookClientConfig{URL: &address}
}

// trust verifies the program's certificate for its address, or for the name by which the cluster calls it.
func (w *wire) trust(bundle []byte) *tls.Config {
	roots := w.program.Roots
	if roots == nil {
		var err error
		if roots, err = x509.SystemCertPool(); err != nil {
			roots = x509.NewCertPool()
		}
		roots.AppendCertsFromPEM(bundle)
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12, ServerName: w.program.URL.Hostname(),
		InsecureSkipVerify: true, // VerifyConnection verifies, for several names
		VerifyConnection: func(state tls.ConnectionState) error {
			options := x509.VerifyOptions{Roots: roots, Intermediates: x509.NewCertPool()}
			for _, c := range state.PeerCertificates[1:] {
				options.Intermediates.AddCert(c)
			}
			var first error
			for i := len(w.names) - 1; i >= 0; i-- {
				options.DNSName = w.names[i]
				_, err := state.PeerCertificates[0].Verify(options)
				if err == nil {
					return nil
				}
				first = cmp.Or(first, err)
			}
			return &tls.CertificateVerificationError{UnverifiedCertificates: state.PeerCertificates, Err: first}
		},
	}
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	w.calls++
	if w.program == nil {
		return allowing(r)
	}
	if r.URL.Host != w.host {
		return nil, fmt.Errorf("the program redirects to %s, which is not followed", r.URL.Host)
	}
	to := r.Clone(r.Context())
	to.URL.Scheme, to.URL.Host, to.Host = w.program.URL.Scheme, w.program.URL.Host, w.program.URL.Host
	response, err := w.inner.RoundTrip(to)
	w.unreached = err
	if err != nil {
		return nil, err
	}
	w.status = response.Status
	response.Body = &limited{ReadCloser: response.Body, left: largestResponse}
	return response, nil
}

// allowing is the answer of a webhook that allows a request as it is.
func allowing(r *http.Request) (*http.Response, error) {
	defer r.Body.Close()
	var review admissionv1.AdmissionReview // v1beta1 has the same fields
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
		return nil, err
	}
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
	review.Request = nil
	text, err := json.Marshal(review)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(text)), ContentLength: int64(len(text)),
	}, nil
}

// limited is a body that ends with an error if it is too long.
type limited struct {
	io.ReadCloser
	left int64
}

func (l *limited) Read(into []byte) (int, error) {
	n, err := l.ReadCloser.Read(into)
	if l.left -= int64(n); l.left < 0 {
		return 0, fmt.Errorf("the response is larger than %d MiB", largestResponse>>20)
	}
	return n, err
}
