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
// has a status, and a change the patch in c.patch.
func (c *call) appendReview(denial *metav1.Status) error {
	out := append(c.out[:0], `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/`...)
	out = append(out, c.version...)
	out = append(out, `","response":{"uid":`...)
	out = wire.AppendText(out, string(c.head.UID))
	out = append(out, `,"allowed":`...)
	out = strconv.AppendBool(out, denial == nil)
	if denial != nil {
		status, err := json.Marshal(denial)
		if err != nil {
			return err
		}
		out = append(append(out, `,"status":`...), status...)
	}
	if len(c.patch) > 0 {
		out = append(out, `,"patch":"`...)
		out = base64.StdEncoding.AppendEncode(out, c.patch)
		out = append(out, `","patchType":"JSONPatch"`...)
	}
	if annotations := c.request.annotations; len(annotations) > 0 {
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
	for i, warning := range c.request.warnings {
		if i == 0 {
			out = append(out, `,"warnings":[`...)
		} else {
			out = append(out, ',')
		}
		out = wire.AppendText(out, warning)
	}
	if len(c.request.warnings) > 0 {
		out = append(out, ']')
	}
	c.out = append(out, "}}"...)
	return nil
}

// send writes an answer. That the other side has gone meanwhile is nothing that could be told to anybody.
func send(w http.ResponseWriter, code int, body []byte) {
	w.Header()["Content-Type"] = []string{"application/json"} // Set would look first whether the key is canonical.
	w.WriteHeader(code)
	_, _ = w.Write(body)
}
