// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// enforcementCheck calls the handler of a webhook that allows what its validator denies.
type enforcementCheck struct {
	Webhook
	// probed calls the probe, with the enforcement of the marker.
	probed http.Handler
	probe  *Probe
}

func (c enforcementCheck) checks(call call) []check {
	if c.Enforcement == "" || c.probed == nil {
		return nil
	}
	return []check{{c.Name + "/enforcement", func(t testing.TB) { c.check(t, call) }}}
}

// check has the validator deny requests, which must be allowed, and fail, which must fail.
func (c enforcementCheck) check(t testing.TB, call call) {
	for _, operation := range c.operations() {
		c.probe.expect(func(question) error { return errors.New("no reason") })
		result := c.review(operation, call, 1).Send(t, c.probed)
		warned := strings.Contains(strings.Join(warningsOf(result), "\n"), "would be denied: no reason")
		if result.Response == nil || !result.Response.Allowed || warned != (c.Enforcement == admission.EnforceWarn) ||
			result.Response.AuditAnnotations["would-deny"] != "no reason" {
			t.Errorf("with enforcement: %s, %s is denied: the answer is %+v, want it allowed, with the audit annotation would-deny", c.Enforcement, operation, result.Response)
		}
		c.probe.expect(func(question) error { return admission.Failure(errors.New("no answer")) })
		c.review(operation, call, 1).Send(t, c.probed).Failed(http.StatusInternalServerError, "no answer")
	}
}
