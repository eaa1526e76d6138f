// SPDX-License-Identifier: Apache-2.0

package program

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
	"github.com/webhook-gen/webhook-gen/runtime/conversion"
)

// scanner sends objects to the webhooks of a program.
type scanner struct {
	timeout  time.Duration
	user     authenticationv1.UserInfo
	webhooks []webhook
	progress *progress
	report   report
}

// webhook is a handler and its path.
type webhook struct {
	path    string
	handler *admission.Handler
}

// object is an object to scan.
type object struct {
	source    string // file and line; empty for one of a cluster
	kind      metav1.GroupVersionKind
	resource  metav1.GroupVersionResource
	namespace string
	name      string
	text      []byte // JSON
}

// register takes the webhooks of the program that creations of objects reach. The report names the others.
func (s *scanner) register(register Register) error {
	err := register(func(path string, handler http.Handler) {
		switch h := handler.(type) {
		case *conversion.Handler:
		case *admission.Handler:
			switch {
			case !slices.Contains(h.Operations(), admission.Create):
				s.report.skip("webhook "+h.Name(), "it is not called when an object is created")
			case len(h.Kinds()) == 0:
				s.report.skip("webhook "+h.Name(), "its handler does not name its kinds")
			default:
				s.webhooks = append(s.webhooks, webhook{path, h})
			}
		default:
			s.report.problem(fmt.Sprintf("the handler of %s is %T: scan needs *admission.Handler of this runtime", path, handler))
		}
	})
	if err != nil {
		return err
	}
	// The API server calls mutating webhooks first.
	slices.SortStableFunc(s.webhooks, func(a, b webhook) int { return cmp.Compare(phase(a), phase(b)) })
	return nil
}

func phase(w webhook) int {
	if w.handler.Mutating() {
		return 0
	}
	return 1
}

// kinds returns the kinds of the webhooks, without duplicates.
func (s *scanner) kinds() []metav1.GroupVersionKind {
	var kinds []metav1.GroupVersionKind
	for _, w := range s.webhooks {
		for _, kind := range w.handler.Kinds() {
			if !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
	}
	return kinds
}

// scan sends an object to the webhooks of its kind, the mutating ones first. Each gets the object as the previous ones
// left it. A mutating webhook that refuses the object ends the scan of it, as it ends a request.
func (s *scanner) scan(ctx context.Context, o object) []finding {
	var findings []finding
	for _, w := range s.webhooks {
		if !slices.Contains(w.handler.Kinds(), o.kind) {
			continue
		}
		found, refused := s.call(ctx, w, &o)
		findings = append(findings, found...)
		if refused && w.handler.Mutating() {
			break
		}
	}
	return findings
}

// call sends an object to one webhook, and applies its patch. It reports whether the object got no further.
func (s *scanner) call(ctx context.Context, w webhook, o *object) (findings []finding, refused bool) {
	add := func(outcome outcome, code int32, field, message string) {
		findings = append(findings, finding{
			Source: o.source, APIVersion: apiVersion(o.kind), Kind: o.kind.Kind, Namespace: o.namespace, Name: o.name,
			Webhook: w.handler.Name(), Outcome: outcome, Code: code, Field: field, Message: message,
		})
	}
	code, body, err := s.send(ctx, w, o)
	if err != nil {
		add(failed, 0, "", err.Error())
		return findings, true
	}
	if code != http.StatusOK {
		var status metav1.Status
		if json.Unmarshal(body, &status) != nil || status.Message == "" {
			status.Message = string(body)
		}
		add(failed, int32(code), "", status.Message)
		return findings, true
	}
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(body, &review); err != nil || review.Response == nil {
		add(failed, int32(code), "", fmt.Sprintf("the answer is no review: %v", err))
		return findings, true
	}
	response := review.Response
	for _, warning := range response.Warnings {
		add(warned, 0, "", warning)
	}
	if !response.Allowed {
		status := metav1.Status{Message: "denied without a message"}
		if response.Result != nil {
			status = *response.Result
		}
		if status.Details == nil || len(status.Details.Causes) == 0 {
			add(denied, status.Code, "", status.Message)
			return findings, true
		}
		for _, cause := range status.Details.Causes {
			add(denied, status.Code, cause.Field, cause.Message)
		}
		return findings, true
	}
	if len(response.Patch) > 0 {
		patch, err := jsonpatch.DecodePatch(response.Patch)
		if err == nil {
			var patched []byte
			if patched, err = patch.Apply(o.text); err == nil {
				o.text = patched
			}
		}
		if err != nil {
			add(failed, int32(code), "", fmt.Sprintf("the patch cannot be applied: %v", err))
			return findings, true
		}
	}
	return findings, false
}

// send calls a webhook as an API server does, without a network.
func (s *scanner) send(ctx context.Context, w webhook, o *object) (int, []byte, error) {
	dryRun := true
	options, err := json.Marshal(metav1.CreateOptions{
		TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "CreateOptions"},
		DryRun:   []string{metav1.DryRunAll},
	})
	if err != nil {
		return 0, nil, err
	}
	body, err := json.Marshal(admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
		Request: &admissionv1.AdmissionRequest{
			UID:  uuid.NewUUID(),
			Kind: o.kind, RequestKind: &o.kind,
			Resource: o.resource, RequestResource: &o.resource,
			Namespace: o.namespace, Name: o.name,
			Operation: admissionv1.Create,
			UserInfo:  s.user,
			Object:    runtime.RawExtension{Raw: o.text},
			DryRun:    &dryRun,
			Options:   runtime.RawExtension{Raw: options},
		},
	})
	if err != nil {
		return 0, nil, fmt.Errorf("the object cannot be written as JSON: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.URL.RawQuery = url.Values{"timeout": {s.timeout.String()}}.Encode()
	request.Header.Set("Content-Type", "application/json")
	done := make(chan *answer, 1)
	go func() {
		a := &answer{code: http.StatusOK, header: make(http.Header)}
		defer func() { // A validator can call runtime.Goexit, and the handler still answers.
			if v := recover(); v != nil {
				a.err = fmt.Errorf("panic: %v", v)
			}
			done <- a
		}()
		w.handler.ServeHTTP(a, request)
	}()
	select {
	case a := <-done:
		return a.code, a.body.Bytes(), a.err
	case <-ctx.Done():
	}
	// The handler answers soon after its context has ended, unless the code of a validator does not return.
	select {
	case a := <-done:
		return a.code, a.body.Bytes(), a.err
	case <-time.After(time.Second):
		return 0, nil, fmt.Errorf("no answer within %s, and the code is still running", s.timeout)
	}
}

// answer is the http.ResponseWriter of a call.
type answer struct {
	code   int
	header http.Header
	body   bytes.Buffer
	err    error
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(code int)        { a.code = code }
func (a *answer) Write(b []byte) (int, error) { return a.body.Write(b) }

func apiVersion(kind metav1.GroupVersionKind) string {
	return schema.GroupVersion{Group: kind.Group, Version: kind.Version}.String()
}
