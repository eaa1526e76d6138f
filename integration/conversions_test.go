// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	webhookv1alpha1 "github.com/webhook-gen/webhook-gen/integration/internal/webhook/v1alpha1"
	webhookv1beta1 "github.com/webhook-gen/webhook-gen/integration/internal/webhook/v1beta1"
	"github.com/webhook-gen/webhook-gen/runtime/conversion"
)

// conversions are the calls by which the API server has had objects converted.
type conversions struct {
	mu      sync.Mutex
	all     []converted
	handler http.Handler // which converts
}

// converted is one such call.
type converted struct {
	version string
	objects int
}

// ServeHTTP records the call and hands it to the handler.
func (c *conversions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var review apiextensionsv1.ConversionReview
	if err := json.Unmarshal(body, &review); err != nil || review.Request == nil {
		http.Error(w, "no review", http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	c.all = append(c.all, converted{review.Request.DesiredAPIVersion, len(review.Request.Objects)})
	handler := c.handler
	c.mu.Unlock()
	r.Body = io.NopCloser(bytes.NewReader(body))
	handler.ServeHTTP(w, r)
}

// withoutKeys converts without keys until the test ends.
func (c *conversions) withoutKeys(t *testing.T) {
	set := func(handler http.Handler) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.handler = handler
	}
	set(newConverter())
	t.Cleanup(func() { set(newSigningConverter()) })
}

// count is how many calls there have been.
func (c *conversions) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.all)
}

// forget forgets the calls so far.
func (c *conversions) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = nil
}

// largest is how many objects one call has had converted to a version at most.
func (c *conversions) largest(version string) (objects int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range c.all {
		if one.version == version {
			objects = max(objects, one.objects)
		}
	}
	return objects
}

// newConverter serves the generated conversions of Fleet.
func newConverter(options ...conversion.Option) http.Handler {
	return conversion.NewHandler(append(options,
		webhookv1alpha1.NewConverter(webhookv1alpha1.Route{}).Conversions(),
		webhookv1beta1.Conversions(),
	)...)
}

// newSigningConverter is newConverter with a key.
func newSigningConverter() http.Handler {
	return newConverter(conversion.Keys(func() ([][]byte, error) { return [][]byte{[]byte("a key of this suite, 32 bytes long")}, nil }))
}
