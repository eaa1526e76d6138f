// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// appendReview appends the review that answers a call: the uid of the request, in the version of the request. A denial
// has a status, and an edited object has the patch in c.patch.
func (c *call) appendReview(denial *metav1.Status) {
	out := append(c.out[:0], `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/`...)
	out = append(out, c.version...)
	out = append(out, `","response":{"uid":`...)
	out = wire.AppendText(out, string(c.head.UID))
	out = append(out, `,"allowed":`...)
	out = strconv.AppendBool(out, denial == nil)
	if denial != nil {
		status, _ := json.Marshal(denial) // A Status of strings can always be written.
		out = append(append(out, `,"status":`...), status...)
	}
	if len(c.patch) > 0 {
		out = append(out, `,"patch":"`...)
		out = base64.StdEncoding.AppendEncode(out, c.patch)
		out = append(out, `","patchType":"JSONPatch"`...)
	}
	r := c.request
	if r == nil { // no function was called
		r = &c.head
	}
	if annotations := r.annotations; len(annotations) > 0 {
		out = append(out, `,"auditAnnotations":{`...)
		for i, key := range slices.Sorted(maps.Keys(annotations)) {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(wire.AppendText(out, key), ':')
			out = wire.AppendText(out, annotations[key])
		}
		out = append(out, '}')
	}
	for i, warning := range r.warnings {
		if i == 0 {
			out = append(out, `,"warnings":[`...)
		} else {
			out = append(out, ',')
		}
		out = wire.AppendText(out, warning)
	}
	if len(r.warnings) > 0 {
		out = append(out, ']')
	}
	c.out = append(out, "}}"...)
}

// send writes an answer. It ignores errors: a client that has hung up cannot be told.
func send(w http.ResponseWriter, code int, body []byte) {
	w.Header()["Content-Type"] = []string{"application/json"} // Set would look first whether the key is canonical.
	w.WriteHeader(code)
	_, _ = w.Write(body)
}

// sendLast is send in a goroutine that ends without a return to net/http, which then does not complete the response.
// With its length announced, a response over HTTP/1.1 is complete all the same.
func sendLast(w http.ResponseWriter, code int, body []byte) {
	w.Header().Set("Connection", "close")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	send(w, code, body)
	_ = http.NewResponseController(w).Flush()
}
