// SPDX-License-Identifier: Apache-2.0

package attacks

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"
)

// send posts a body to a handler.
func send(t testing.TB, h http.Handler, body []byte) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/?timeout=10s", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}
