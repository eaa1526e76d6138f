// SPDX-License-Identifier: Apache-2.0

package attacks

import (
	"net/http"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	admissionv1 "k8s.io/api/admission/v1"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/webhook-gen/webhook-gen/hack/peers/controllerruntime/reviews"
)

// TestDecodedLength measures the memory for a body of empty containers, for both handlers. Ours denies at a bound. The
// other handler gets a shorter body, because its memory has no bound.
func TestDecodedLength(t *testing.T) {
	log.SetLogger(logr.Discard())
	for _, test := range []struct {
		name   string
		h      http.Handler
		length int
	}{{"ours", ourValidator(), 7_000_000}, {"theirs", theirValidator(), 1_000_000}} {
		object := []byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[` + strings.TrimSuffix(strings.Repeat("{},", test.length/3), ",") + `]}}`)
		body := reviews.Of(t, admissionv1.Create, reviews.PodKind(), object, nil)
		stop := peak()
		w := send(t, test.h, body)
		most := stop()
		t.Logf("%s: %d bytes: HTTP %d, %d MiB in use at most, %d times the body; %.300s", test.name, len(body), w.Code, most>>20, most/uint64(len(body)), w.Body)
		if test.name == "ours" && (most > 1500<<20 || !strings.Contains(w.Body.String(), "decodes to more than")) {
			t.Error("there is no bound")
		}
	}
}
