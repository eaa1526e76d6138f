// SPDX-License-Identifier: Apache-2.0

package integrationtest

import (
	"net/http"
	"slices"
	"sync"
)

// calls counts the calls of each webhook, by its name or, of conversions, by their path.
type calls struct {
	mu     sync.Mutex
	served map[string]int
}

// counted is a handler whose calls are counted.
func (c *calls) counted(webhook string, handler http.Handler) http.Handler {
	c.served[webhook] = 0
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		c.served[webhook]++
		c.mu.Unlock()
		handler.ServeHTTP(w, r)
	})
}

// missing are the webhooks that have not been called.
func (c *calls) missing() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var names []string
	for name, count := range c.served {
		if count == 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
