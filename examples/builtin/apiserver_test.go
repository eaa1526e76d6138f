// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// request is a request of a user to the API server. Objects are YAML, and may have fields without a Go field.
type request struct {
	operation         admissionv1.Operation
	resource          metav1.GroupVersionResource
	subResource       string
	namespace, name   string // if the object does not say them
	groups            []string
	object, oldObject string
}

// verdict is what a webhook makes of a request.
type verdict struct {
	Allowed  bool
	Code     int32 // of the status that denies or, without a verdict, of the HTTP answer
	Failed   bool  // there is no verdict
	Message  string
	Causes   []string // the fields that are wrong
	Warnings []string
	Audit    map[string]string
	Object   string // after the patch, as YAML; empty without a patch
}

// check sends a request to a webhook in both versions of AdmissionReview, and wants the same verdict of both.
func (r request) check(t *testing.T, client *http.Client, url string, want verdict) {
	t.Helper()
	want.Object = string(toJSON(t, want.Object))
	for _, version := range []string{"v1", "v1beta1"} {
		if got := r.send(t, client, url, version); !reflect.DeepEqual(got, want) {
			t.Errorf("review of %s:\ngot  %+v\nwant %+v", version, got, want)
		}
	}
}

// send does what an API server does: it calls the webhook, holds the answer to the protocol, and applies the patch with
// the same engine (k8s.io/apiserver/pkg/admission/plugin/webhook/mutating).
func (r request) send(t *testing.T, client *http.Client, url, version string) verdict {
	t.Helper()
	review := r.review(t, version)
	response, err := client.Post(url+"?timeout=3s", "application/json", bytes.NewReader(marshal(t, review)))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		var status metav1.Status
		unmarshal(t, body, &status)
		return verdict{Failed: true, Code: int32(response.StatusCode), Message: status.Message}
	}
	var answer admissionv1.AdmissionReview
	unmarshal(t, body, &answer)
	if answer.TypeMeta != review.TypeMeta || answer.Response == nil || answer.Response.UID != review.Request.UID {
		t.Fatalf("the answer is not one to this review: %s", body)
	}
	return read(t, answer.Response, review.Request.Object.Raw)
}

// review puts the request into the envelope of the protocol.
func (r request) review(t *testing.T, version string) *admissionv1.AdmissionReview {
	t.Helper()
	object, old := toJSON(t, r.object), toJSON(t, r.oldObject)
	about := object
	if about == nil {
		about = old
	}
	var known metav1.PartialObjectMetadata
	unmarshal(t, about, &known)
	if r.namespace == "" && r.name == "" {
		r.namespace, r.name = known.Namespace, known.Name
	}
	kind := metav1.GroupVersionKind(known.GroupVersionKind())
	return &admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/" + version, Kind: "AdmissionReview"},
		Request: &admissionv1.AdmissionRequest{
			UID:                types.UID("705ab4f5-6393-11e8-b7cc-42010a800002"),
			Kind:               kind,
			Resource:           r.resource,
			SubResource:        r.subResource,
			RequestKind:        &kind,
			RequestResource:    &r.resource,
			RequestSubResource: r.subResource,
			Namespace:          r.namespace,
			Name:               r.name,
			Operation:          r.operation,
			UserInfo:           authenticationv1.UserInfo{Username: "alice", Groups: append(r.groups, "system:authenticated")},
			DryRun:             new(bool),
			Object:             runtime.RawExtension{Raw: object},
			OldObject:          runtime.RawExtension{Raw: old},
		},
	}
}

// read takes the answer apart.
func read(t *testing.T, r *admissionv1.AdmissionResponse, object []byte) verdict {
	t.Helper()
	v := verdict{Allowed: r.Allowed, Warnings: r.Warnings, Audit: r.AuditAnnotations}
	if r.Result != nil {
		v.Code, v.Message = r.Result.Code, r.Result.Message
		if r.Result.Details != nil {
			for _, cause := range r.Result.Details.Causes {
				v.Causes = append(v.Causes, cause.Field)
			}
		}
	}
	if (r.Patch == nil) != (r.PatchType == nil) {
		t.Fatalf("patch %s and patchType %v do not go together", r.Patch, r.PatchType)
	}
	if r.Patch != nil {
		patch, err := jsonpatch.DecodePatch(r.Patch)
		if err != nil {
			t.Fatal(err)
		}
		patched, err := patch.Apply(object)
		if err != nil {
			t.Fatalf("%v in %s", err, r.Patch)
		}
		v.Object = string(toJSON(t, string(patched)))
	}
	return v
}

// toJSON converts YAML, in one order of keys, and nothing to nothing.
func toJSON(t *testing.T, text string) []byte {
	t.Helper()
	if text == "" {
		return nil
	}
	data, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return data
}

func marshal(t *testing.T, value any) []byte {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func unmarshal(t *testing.T, data []byte, value any) {
	t.Helper()
	if err := json.Unmarshal(data, value); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
}
