// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"encoding/json"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/webhook-gen/webhook-gen/runtime/internal/defaulting"
)

// defaulted returns an object in JSON with the defaults that an API server sets in Kubernetes' own kinds when it
// decodes the object. Objects of other kinds stay as they are.
func defaulted(object []byte) []byte {
	var fields map[string]any
	if utiljson.Unmarshal(object, &fields) != nil || !defaulting.Kubernetes().Set(fields) {
		return object
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return object
	}
	return text
}
