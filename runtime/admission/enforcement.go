// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Enforcement is what a validating webhook does with a request that it would deny.
type Enforcement string

// The enforcements. A failure is no denial: whatever the enforcement, the failurePolicy decides then.
const (
	// EnforceDeny denies the request. It is the default.
	EnforceDeny Enforcement = "deny"
	// EnforceWarn allows the request, with a warning to the user and everything that EnforceAudit does.
	EnforceWarn Enforcement = "warn"
	// EnforceAudit allows the request, with the audit annotation "would-deny" and [Observation.Unenforced].
	EnforceAudit Enforcement = "audit"
)

// Enforce sets the enforcement of a validating webhook, so that a rule can be tried before it holds. Mutating webhooks
// ignore it: they deny what they cannot edit.
func Enforce(e Enforcement) Option {
	return func(h *Handler) { h.enforcement = e }
}

// unenforced answers a request that a validator denies and that is allowed. The validator's warnings stay.
func (h *Handler) unenforced(c *call, o *Observation, status *metav1.Status, err error) {
	r := c.request
	if r == nil {
		r = &c.head
	}
	if h.enforcement == EnforceWarn {
		r.Warn("would be denied: " + status.Message)
	}
	r.AuditAnnotation("would-deny", status.Message)
	o.Allowed, o.Unenforced, o.Patched, o.Code, o.Err = true, true, false, http.StatusOK, err
	o.refused = ""
	c.patch = nil
	c.appendReview(nil)
}

// Enforcements are enforcements of single webhooks, by name, which replace the ones of their markers. It is a
// [flag.Value]: each flag is NAME=deny, NAME=warn or NAME=audit.
//
// Pass [Enforcements.Option] to Register, and check [Enforcements.Unknown] after that.
type Enforcements struct {
	mu    sync.Mutex
	named map[string]Enforcement
	known map[string]bool
}

// Set adds an enforcement, as NAME=warn.
func (e *Enforcements) Set(text string) error {
	name, value, ok := strings.Cut(text, "=")
	enforcement := Enforcement(value)
	if !ok || name == "" || !slices.Contains([]Enforcement{EnforceDeny, EnforceWarn, EnforceAudit}, enforcement) {
		return fmt.Errorf("%q is not the name of a webhook, =, and deny, warn or audit", text)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.named == nil {
		e.named = map[string]Enforcement{}
	}
	e.named[name] = enforcement
	return nil
}

// String returns the enforcements as flags have them, sorted and with commas.
func (e *Enforcements) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var all []string
	for _, name := range slices.Sorted(maps.Keys(e.named)) {
		all = append(all, name+"="+string(e.named[name]))
	}
	return strings.Join(all, ",")
}

// Option sets the enforcement of the handlers that are named.
func (e *Enforcements) Option() Option {
	return func(h *Handler) {
		e.mu.Lock()
		defer e.mu.Unlock()
		enforcement, ok := e.named[h.name]
		if !ok || h.mutating {
			return
		}
		h.enforcement = enforcement
		if e.known == nil {
			e.known = map[string]bool{}
		}
		e.known[h.name] = true
	}
}

// Unknown returns an error with the names that no validating webhook has; nil without such names.
func (e *Enforcements) Unknown() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(e.named)) {
		if !e.known[name] {
			unknown = append(unknown, name)
		}
	}
	if unknown == nil {
		return nil
	}
	return fmt.Errorf("enforcement: no validating webhook is called %s", strings.Join(unknown, " or "))
}
