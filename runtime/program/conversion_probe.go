// SPDX-License-Identifier: Apache-2.0

package program

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
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

const (
	// probePage is the number of objects of one review.
	probePage = 100
	// probes is the least number of reviews. Each takes a connection of its own, so that a Service leads to several of
	// its pods.
	probes = 10
	// probeTimeout is the time that the API server gives to a conversion webhook.
	probeTimeout = 30 * time.Second
	// longestAnswer is how many bytes of an answer are read. It has room for many of the longest objects that etcd stores,
	// which have 1.5 MiB, and smaller pages follow an answer that is longer.
	longestAnswer = 64 << 20
	// mostFailures is how many objects a probe names at most.
	mostFailures = 20
)

// probe sends ConversionReviews to the webhook of a definition.
type probe struct {
	*switcher
	definition *customResourceDefinition
	// from is a version in which objects can be read, and to the version to convert them to.
	from, to string
	send     func(ctx context.Context, review []byte) ([]byte, error)
}

func (s *switcher) newProbe(ctx context.Context, d *customResourceDefinition, to string) (*probe, error) {
	p := &probe{switcher: s, definition: d, to: to}
	for _, gvr := range d.served() {
		if gvr.Version != to {
			p.from = gvr.Version
			break
		}
	}
	var err error
	p.send, err = s.sender(ctx, d.Spec.Conversion.Webhook.ClientConfig)
	return p, err
}

// objects converts objects to the version and back: one page of them or all. It returns their number and the ones that
// do not convert. Without objects, any well-formed answer will do, because an invented object need not convert.
func (p *probe) objects(ctx context.Context, onePage bool) (count int64, failures []failure, err error) {
	invented := []unstructured.Unstructured{{Object: map[string]any{
		"apiVersion": p.definition.Spec.Group + "/" + cmp.Or(p.from, p.definition.storage()), "kind": p.definition.Spec.Names.Kind,
		"metadata": map[string]any{"name": conversionName, "uid": string(uuid.NewUUID()), "creationTimestamp": metav1.Now().UTC().Format(time.RFC3339)},
	}}}
	for range probes {
		if _, err := p.convert(ctx, p.to, invented); err != nil && !errors.As(err, new(refusal)) {
			return 0, []failure{{Message: err.Error()}}, ctx.Err()
		}
	}
	if p.from == "" {
		return 0, nil, nil // nobody can read objects
	}
	list := p.dynamic.Resource(p.definition.resource(p.from))
	options := metav1.ListOptions{Limit: probePage}
	for again := 0; ; {
		page, err := list.List(ctx, options)
		if apierrors.IsResourceExpired(err) && again < restarts {
			again++
			count, failures, options.Continue = 0, nil, ""
			continue
		}
		if err != nil {
			return count, failures, err
		}
		total := count + int64(len(page.Items))
		if rest := page.GetRemainingItemCount(); rest != nil {
			total += *rest
		}
		p.progress.show(p.definition.Metadata.Name, count, total)
		count += int64(len(page.Items))
		failures = append(failures, p.page(ctx, page.Items)...)
		if options.Continue = page.GetContinue(); options.Continue == "" || onePage || len(failures) >= mostFailures || ctx.Err() != nil {
			return count, failures, ctx.Err()
		}
	}
}

// page converts objects to the version and back. If that fails, it finds the objects that are the cause.
func (p *probe) page(ctx context.Context, objects []unstructured.Unstructured) (failures []failure) {
	there, err := p.convert(ctx, p.to, objects)
	if err == nil {
		_, err = p.convert(ctx, p.from, there)
	}
	switch {
	case err == nil || ctx.Err() != nil:
		return nil
	case len(objects) == 1 || !errors.As(err, new(refusal)) && !errors.As(err, new(tooLong)):
		f := failure{Message: err.Error()}
		if len(objects) == 1 {
			f.Namespace, f.Name = objects[0].GetNamespace(), objects[0].GetName()
		}
		return []failure{f}
	}
	for half := range slices.Chunk(objects, (len(objects)+1)/2) {
		if len(failures) < mostFailures {
			failures = append(failures, p.page(ctx, half)...)
		}
	}
	return failures
}

// refusal is the webhook's answer that objects do not convert. Other errors are about the webhook.
type refusal struct{ message string }

func (r refusal) Error() string { return r.message }

// tooLong is the error of an answer of more than longestAnswer bytes.
type tooLong struct{}

func (tooLong) Error() string {
	return fmt.Sprintf("the webhook's answer is longer than %d MiB", longestAnswer>>20)
}

// bounded returns a transport whose answers end with tooLong.
func bounded(transport http.RoundTripper) http.RoundTripper { return boundedTransport{transport} }

type boundedTransport struct{ http.RoundTripper }

func (b boundedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		response.Body = &boundedBody{response.Body, longestAnswer}
	}
	return response, err
}

// boundedBody is an answer of which some bytes may still be read.
type boundedBody struct {
	io.ReadCloser
	left int
}

func (b *boundedBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into[:min(len(into), b.left+1)])
	if n > b.left {
		return b.left, tooLong{}
	}
	b.left -= n
	return n, err
}

// convert has the webhook convert objects. It has the demands of the API server: type webhookConverter of
// k8s.io/apiextensions-apiserver/pkg/apiserver/conversion.
func (p *probe) convert(ctx context.Context, to string, objects []unstructured.Unstructured) ([]unstructured.Unstructured, error) {
	if len(objects) == 0 {
		return nil, nil
	}
	version := "v1"
	if all := p.definition.Spec.Conversion.Webhook.ConversionReviewVersions; len(all) > 0 && !slices.Contains(all, version) {
		version = all[0]
	}
	id, desired := string(uuid.NewUUID()), p.definition.Spec.Group+"/"+to
	contents := make([]map[string]any, 0, len(objects))
	for _, o := range objects {
		contents = append(contents, o.Object)
	}
	kind := metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/" + version, Kind: "ConversionReview"}
	review, err := json.Marshal(map[string]any{"apiVersion": kind.APIVersion, "kind": kind.Kind,
		"request": map[string]any{"uid": id, "desiredAPIVersion": desired, "objects": contents}})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	text, err := p.send(ctx, review)
	if err != nil {
		return nil, err
	}
	var answer struct {
		metav1.TypeMeta `json:",inline"`
		Response        *struct {
			UID              string            `json:"uid"`
			ConvertedObjects []json.RawMessage `json:"convertedObjects"`
			Result           metav1.Status     `json:"result"`
		} `json:"response"`
	}
	switch err := json.Unmarshal(text, &answer); {
	case err != nil:
		return nil, fmt.Errorf("the webhook's answer is not a ConversionReview: %w", err)
	case answer.TypeMeta != kind || answer.Response == nil:
		return nil, fmt.Errorf("the webhook's answer is %s of %s, and not a ConversionReview of %s with a response", cmp.Or(answer.Kind, "no kind"), cmp.Or(answer.APIVersion, "no version"), kind.APIVersion)
	case answer.Response.UID != id:
		return nil, fmt.Errorf("the webhook's answer has the UID %q of another review", answer.Response.UID)
	case answer.Response.Result.Status != metav1.StatusSuccess:
		return nil, refusal{cmp.Or(answer.Response.Result.Message, "the webhook's answer has no message")}
	case len(answer.Response.ConvertedObjects) != len(objects):
		return nil, fmt.Errorf("the webhook returns %d objects of %d", len(answer.Response.ConvertedObjects), len(objects))
	}
	converted := make([]unstructured.Unstructured, len(objects))
	for i, text := range answer.Response.ConvertedObjects {
		in, out := &objects[i], &converted[i]
		if err := json.Unmarshal(text, &out.Object); err != nil {
			return nil, refusal{fmt.Sprintf("the webhook returns no object: %v", err)}
		}
		for _, field := range []struct{ path, want, got string }{
			{"apiVersion", desired, out.GetAPIVersion()}, {"kind", in.GetKind(), out.GetKind()}, {"metadata.name", in.GetName(), out.GetName()},
			{"metadata.namespace", in.GetNamespace(), out.GetNamespace()}, {"metadata.uid", string(in.GetUID()), string(out.GetUID())},
		} {
			if field.got != field.want {
				return nil, refusal{fmt.Sprintf("the webhook returns an object whose %s is %q, and not %q", field.path, field.got, field.want)}
			}
		}
	}
	return converted, nil
}

// sender returns a function that sends reviews to a webhook, on the way of the API server as far as that is possible.
//
// The API server connects to a URL, to the ClusterIP of a Service or to its externalName. A ClusterIP can be reached in
// the cluster only. From elsewhere, the API server's proxy forwards the review to an endpoint of the Service, without a
// look at the certificate. Behind kube-aggregator, the Service is the API server's own.
func (s *switcher) sender(ctx context.Context, c admissionregistrationv1.WebhookClientConfig) (func(context.Context, []byte) ([]byte, error), error) {
	if c.URL != nil {
		return direct(*c.URL, "", c.CABundle)
	}
	if c.Service == nil {
		return nil, errors.New("the conversion has neither a URL nor a Service")
	}
	path, port := "/", int32(443)
	if c.Service.Path != nil {
		path = "/" + strings.TrimPrefix(*c.Service.Path, "/")
	}
	if c.Service.Port != nil {
		port = *c.Service.Port
	}
	config := rest.CopyConfig(s.config)
	config.Wrap(bounded)
	apiServer, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	through := func(path string) func(context.Context, []byte) ([]byte, error) {
		return func(ctx context.Context, review []byte) ([]byte, error) {
			text, err := apiServer.RESTClient().Post().AbsPath(path).SetHeader("Content-Type", "application/json").Body(review).Do(ctx).Raw()
			if status := (metav1.Status{}); err != nil && json.Unmarshal(text, &status) == nil && status.Message != "" {
				return nil, errors.New(status.Message) // the error has only the words for the code
			}
			return text, err
		}
	}
	if c.Service.Namespace == metav1.NamespaceDefault && c.Service.Name == "kubernetes" {
		return through(path), nil
	}
	u, err := s.dynamic.Resource(corev1.SchemeGroupVersion.WithResource("services")).Namespace(c.Service.Namespace).
		Get(ctx, c.Service.Name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	var service corev1.Service
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &service); err != nil {
		return nil, err
	}
	host, number := c.Service.Name+"."+c.Service.Namespace+".svc", strconv.Itoa(int(port))
	url := "https://" + net.JoinHostPort(host, number) + path
	switch {
	case service.Spec.Type == corev1.ServiceTypeExternalName:
		return direct(url, net.JoinHostPort(service.Spec.ExternalName, number), c.CABundle)
	case s.inCluster():
		return direct(url, net.JoinHostPort(service.Spec.ClusterIP, number), c.CABundle)
	case len(c.CABundle) == 0:
		return nil, errors.New("the conversion has no caBundle yet: wait for cert-manager or the server that sets it")
	}
	return through("/api/v1/namespaces/" + c.Service.Namespace + "/services/https:" + c.Service.Name + ":" + number + "/proxy" + path), nil
}

// inCluster reports whether the program runs in a pod of the cluster that it changes.
func (s *switcher) inCluster() bool {
	host, port := os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT")
	return host != "" && s.config.Host == "https://"+net.JoinHostPort(host, port)
}

// direct returns a function that posts reviews to a URL. The address replaces the one that the URL has, if it is not
// empty. Each review takes a new connection.
func direct(url, address string, caBundle []byte) (func(context.Context, []byte) ([]byte, error), error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableKeepAlives = true
	transport.TLSClientConfig = &tls.Config{}
	if len(caBundle) > 0 {
		transport.TLSClientConfig.RootCAs = x509.NewCertPool()
		if !transport.TLSClientConfig.RootCAs.AppendCertsFromPEM(caBundle) {
			return nil, errors.New("the conversion's caBundle has no certificate")
		}
	}
	if address != "" {
		transport.Proxy = nil
		transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}
	}
	client := &http.Client{Transport: bounded(transport)}
	return func(ctx context.Context, review []byte) ([]byte, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(review))
		if err != nil {
			return nil, err
		}
		request.Header.Set("Content-Type", "application/json")
		response, err := client.Do(request)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err == nil && response.StatusCode != http.StatusOK {
			err = fmt.Errorf("the webhook answers %s: %.300s", response.Status, text)
		}
		return text, err
	}, nil
}
