// SPDX-License-Identifier: Apache-2.0

package program

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
)

// orderObjects returns objects of v1.
func orderObjects(n int) []unstructured.Unstructured {
	var all []unstructured.Unstructured
	for i := range n {
		all = append(all, unstructured.Unstructured{Object: map[string]any{"apiVersion": "shop.example.com/v1", "kind": "Order",
			"metadata": map[string]any{"namespace": "shop", "name": fmt.Sprintf("order-%03d", i), "uid": fmt.Sprint(i)}}})
	}
	return all
}

// answering returns a probe of Orders whose webhook answers well, except for what edit changes.
func answering(edit func(request, response map[string]any)) *probe {
	d := &customResourceDefinition{}
	d.Spec.Group, d.Spec.Names.Kind = "shop.example.com", "Order"
	return &probe{switcher: &switcher{progress: newProgress(io.Discard)}, definition: d, from: "v1", to: "v2",
		send: func(_ context.Context, text []byte) ([]byte, error) {
			var review map[string]any
			if err := json.Unmarshal(text, &review); err != nil {
				return nil, err
			}
			request := review["request"].(map[string]any)
			var all []any
			for _, o := range request["objects"].([]any) {
				o.(map[string]any)["apiVersion"] = request["desiredAPIVersion"]
				all = append(all, o)
			}
			review["response"] = map[string]any{"uid": request["uid"], "convertedObjects": all, "result": map[string]any{"status": "Success"}}
			edit(request, review["response"].(map[string]any))
			delete(review, "request")
			return json.Marshal(review)
		}}
}

// TestProbeAnswers refuses the answers that an API server refuses.
func TestProbeAnswers(t *testing.T) {
	set := func(path ...string) func(_, response map[string]any) {
		return func(_, response map[string]any) {
			first := response["convertedObjects"].([]any)[0].(map[string]any)
			unstructured.SetNestedField(first, "other", path...)
		}
	}
	for want, edit := range map[string]func(request, response map[string]any){
		"": func(_, _ map[string]any) {},
		"the webhook's answer has the UID \"x\" of another review": func(_, r map[string]any) { r["uid"] = "x" },
		"the webhook returns 1 objects of 2":                       func(_, r map[string]any) { r["convertedObjects"] = r["convertedObjects"].([]any)[1:] },
		"no":                                                       func(_, r map[string]any) { r["result"] = map[string]any{"status": "Failure", "message": "no"} },
		"the webhook's answer has no message":                      func(_, r map[string]any) { delete(r, "result") },
		"the webhook returns no object: json":                      func(_, r map[string]any) { r["convertedObjects"].([]any)[0] = "text" },
		"an object whose apiVersion is \"other\"":                  set("apiVersion"),
		"an object whose kind is \"other\"":                        set("kind"),
		"an object whose metadata.name is \"other\"":               set("metadata", "name"),
		"an object whose metadata.namespace is \"other\"":          set("metadata", "namespace"),
		"an object whose metadata.uid is \"other\"":                set("metadata", "uid"),
	} {
		_, err := answering(edit).convert(t.Context(), "v2", orderObjects(2))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v", want, err)
		}
	}
	for want, answer := range map[string]string{
		"is not a ConversionReview: ":                          "<html>",
		"is no kind of no version, and not a ConversionReview": "{}",
		"is ConversionReview of apiextensions.k8s.io/v1beta1":  `{"kind": "ConversionReview", "apiVersion": "apiextensions.k8s.io/v1beta1", "response": {}}`,
	} {
		p := answering(nil)
		p.send = func(context.Context, []byte) ([]byte, error) { return []byte(answer), nil }
		if _, err := p.convert(t.Context(), "v2", orderObjects(1)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", answer, err)
		}
	}
}

// TestProbeFindsObjects names the objects of a page that do not convert, in either direction.
func TestProbeFindsObjects(t *testing.T) {
	for _, bad := range [][]string{nil, {"order-000"}, {"order-099"}, {"order-041", "order-042", "order-077"}} {
		for _, version := range []string{"v1", "v2"} {
			reviews := 0
			p := answering(func(request, response map[string]any) {
				reviews++
				for _, o := range request["objects"].([]any) {
					name, _, _ := unstructured.NestedString(o.(map[string]any), "metadata", "name")
					if slices.Contains(bad, name) && request["desiredAPIVersion"] == "shop.example.com/"+version {
						response["result"] = map[string]any{"status": "Failure", "message": "no"}
					}
				}
			})
			var names []string
			for _, f := range p.page(t.Context(), orderObjects(100)) {
				names = append(names, f.Name)
			}
			if !slices.Equal(names, bad) || reviews > 2*(1+15*len(bad)) {
				t.Errorf("%v to %s: got %v in %d reviews", bad, version, names, reviews)
			}
		}
	}
	dead := answering(nil)
	dead.send = func(context.Context, []byte) ([]byte, error) { return nil, errors.New("connection refused") }
	if all := dead.page(t.Context(), orderObjects(100)); len(all) != 1 || all[0].Name != "" {
		t.Errorf("without a webhook: %v", all)
	}
}

// TestSenderBehindAggregator calls the API server itself if the Service is its own.
func TestSenderBehindAggregator(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s", r.Method, r.URL.Path, text)
	}))
	defer server.Close()
	s := &switcher{}
	s.config = &rest.Config{Host: server.URL}
	path := "/apis/shop.shop-system.svc/v1/convert"
	send, err := s.sender(t.Context(), admissionregistrationv1.WebhookClientConfig{
		Service: &admissionregistrationv1.ServiceReference{Namespace: "default", Name: "kubernetes", Path: &path}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := send(t.Context(), []byte("review")); err != nil || string(got) != "POST "+path+" review" {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := s.sender(t.Context(), admissionregistrationv1.WebhookClientConfig{}); err == nil {
		t.Error("a webhook without address has a sender")
	}
}

// TestEndlessAnswers stops reading an answer that does not end, with each status, of a URL and through the API server. A
// page whose answer is too long is converted in parts.
func TestEndlessAnswers(t *testing.T) {
	for _, status := range []int{http.StatusOK, http.StatusInternalServerError} {
		endless := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			for part := make([]byte, 1<<20); ; {
				if _, err := w.Write(part); err != nil {
					return
				}
			}
		})
		webhook, apiServer := httptest.NewTLSServer(endless), httptest.NewServer(endless)
		defer webhook.Close()
		defer apiServer.Close()
		s := &switcher{}
		s.config = &rest.Config{Host: apiServer.URL}
		for name, client := range map[string]admissionregistrationv1.WebhookClientConfig{
			"URL":     {URL: &webhook.URL, CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: webhook.Certificate().Raw})},
			"Service": {Service: &admissionregistrationv1.ServiceReference{Namespace: "default", Name: "kubernetes"}},
		} {
			send, err := s.sender(t.Context(), client)
			if err != nil {
				t.Fatal(err)
			}
			if text, err := send(t.Context(), []byte("review")); !errors.As(err, new(tooLong)) || len(text) > longestAnswer {
				t.Errorf("%s, %d: %d bytes, %v", name, status, len(text), err)
			}
		}
	}
	p := answering(func(_, _ map[string]any) {})
	whole := p.send
	p.send = func(ctx context.Context, review []byte) ([]byte, error) {
		if bytes.Count(review, []byte(`"uid"`)) > 30 || bytes.Contains(review, []byte(`"order-007"`)) {
			return nil, tooLong{}
		}
		return whole(ctx, review)
	}
	if all := p.page(t.Context(), orderObjects(100)); len(all) != 1 || all[0].Name != "order-007" {
		t.Errorf("a long page: %v", all)
	}
	p.send = func(context.Context, []byte) ([]byte, error) { return nil, tooLong{} }
	if _, all, err := p.objects(t.Context(), true); err != nil || len(all) != 1 {
		t.Errorf("without objects: %v, %v", all, err)
	}
}

// TestConversionArguments has bad arguments refused before anything is called.
func TestConversionArguments(t *testing.T) {
	for args, want := range map[string]string{
		"":                              "conversion: name an action: conversion status, conversion on or conversion off\n",
		"up":                            "conversion: name an action",
		"--output json":                 "conversion: name an action",
		"on":                            "conversion: --version is missing: name the version to turn on, as in --version v2\n",
		"off --output json":             "conversion: --version is missing: name the version to turn off",
		"off --version v2 --storage":    "flag provided but not defined: -storage: run conversion off --help\n",
		"status --dry-run":              "flag provided but not defined: -dry-run",
		"status --output yaml":          "conversion: --output is \"yaml\": use table or json\n",
		"on v2":                         "conversion: unexpected argument \"v2\": run conversion on --help\n",
		"status --kubeconfig /dev/null": "invalid configuration",
	} {
		var out, problems bytes.Buffer
		code, ran := run(t.Context(), append([]string{"conversion"}, strings.Fields(args)...), webhooks, nil, &out, &problems)
		if !ran || code != 2 || !strings.Contains(problems.String(), want) {
			t.Errorf("%s: exit code %d, %s", args, code, problems.String())
		}
	}
	for _, args := range []string{"--help", "status --help", "on --help", "off --help"} {
		var out bytes.Buffer
		code, ran := run(t.Context(), append([]string{"conversion"}, strings.Fields(args)...), webhooks, nil, &out, io.Discard)
		if !ran || code != 0 || !strings.Contains(out.String(), "-definition name") {
			t.Errorf("%s: exit code %d, %s", args, code, out.String())
		}
	}
}
