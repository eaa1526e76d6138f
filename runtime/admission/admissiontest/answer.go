// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// takeAnswer checks an answer by the rules of an API server. By some rules it refuses the answer (k8s.io/apiserver
// pkg/admission/plugin/webhook/request, VerifyAdmissionResponse). By others it silently drops warnings and audit
// annotations (pkg/endpoints/filters/warning.go, pkg/admission attributes.go).
func takeAnswer(asked *admissionv1.AdmissionReview, header http.Header, body []byte) (*admissionv1.AdmissionResponse, error) {
	if _, _, err := mime.ParseMediaType(header.Get("Content-Type")); err != nil {
		return nil, fmt.Errorf("Content-Type %q: %w", header.Get("Content-Type"), err)
	}
	var answer admissionv1.AdmissionReview
	decoder := json.NewDecoder(bytes.NewReader(body))
	if err := decoder.Decode(&answer); err != nil {
		return nil, err
	}
	if decoder.More() {
		return nil, errors.New("something follows the review")
	}
	response := answer.Response
	switch {
	case answer.TypeMeta != asked.TypeMeta:
		return nil, fmt.Errorf("it is %s of %s, want %s of %s", answer.Kind, answer.APIVersion, asked.Kind, asked.APIVersion)
	case response == nil:
		return nil, errors.New("it has no response")
	case response.UID != asked.Request.UID:
		return nil, fmt.Errorf("its uid is %q, want the request's, %q", response.UID, asked.Request.UID)
	case (len(response.Patch) > 0) != (response.PatchType != nil):
		return nil, errors.New("patch and patchType go together")
	case response.PatchType != nil && *response.PatchType != admissionv1.PatchTypeJSONPatch:
		return nil, fmt.Errorf("patchType %q is not supported", *response.PatchType)
	case len(response.Patch) > 0 && asked.Request.Object.Raw == nil:
		return nil, errors.New("there is no object to patch")
	}
	for _, warning := range response.Warnings {
		if !utf8.ValidString(warning) || strings.ContainsFunc(warning, unicode.IsControl) {
			return nil, fmt.Errorf("warning %q would be dropped: it is not UTF-8 or has control characters", warning)
		}
	}
	for key := range response.AuditAnnotations {
		if problems := validation.IsQualifiedName("webhook.example.com/" + key); len(problems) > 0 || strings.Contains(key, "/") {
			return nil, fmt.Errorf("audit annotation %q would be dropped: its key is not a qualified name without prefix", key)
		}
	}
	return response, nil
}
