// SPDX-License-Identifier: Apache-2.0

package attacks

import (
	"net/http"
	"runtime/debug"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/webhook-gen/webhook-gen/hack/peers/controllerruntime/reviews"
)

// TestDecodedLength measures how much memory a body of empty containers takes, for both handlers. Nothing bounds it but the length of the
// body: docs/security.md has the figures.
func TestDecodedLength(t *testing.T) {
	const length = 7_000_000
	object := []byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[` + strings.TrimSuffix(strings.Repeat("{},", length/3), ",") + `]}}`)
	body := reviews.Of(t, admissionv1.Create, reviews.PodKind, object, nil)
	for name, h := range map[string]http.Handler{"ours": ourValidator(), "theirs": theirValidator()} {
		func() {
			defer debug.SetGCPercent(debug.SetGCPercent(5)) // little garbage beside what is in use
			stop := peak()
			w := send(t, h, body)
			most := stop()
			factor := float64(most) / float64(len(body))
			t.Logf("%s: HTTP %d, %.0f times the body in use at most, %d MiB; %.200s", name, w.Code, factor, most>>20, w.Body)
			if name == "ours" && factor > 2000 {
				t.Error("more than decoding takes")
			}
		}()
	}
}
