// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"strings"
	"testing"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// TestEnforcement has handlers with the enforcement of their marker, and with another one. The other tests of the suite
// see the validator deny.
func TestEnforcement(t *testing.T) {
	for _, test := range []struct {
		name           string
		marker, option admission.Enforcement
		want           string
	}{
		{"deny", "", admission.EnforceDeny, ""},
		{"warn", admission.EnforceWarn, admission.EnforceWarn, ""},
		{"audit", admission.EnforceAudit, admission.EnforceAudit, ""},
		{"warn without its option", admission.EnforceWarn, admission.EnforceDeny, "with enforcement: warn, UPDATE is denied"},
		{"audit with the option of warn", admission.EnforceAudit, admission.EnforceWarn, "with enforcement: audit, UPDATE is denied"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := suite(t, "", asItIs)
			s.Webhooks[1].Enforcement = test.marker
			options := []admission.Option{admission.Enforce(test.option)}
			s.Implementations = widgets{&faulty{Widget: subject{asked: new(int)}, updates: options}}
			s.Probes = func(p *Probe) Webhooks { return widgets{&faulty{Widget: widgetProbe{p}, updates: options}} }
			output := findings(t, s)
			if test.want == "" && output != "" || !strings.Contains(output, test.want) {
				t.Errorf("the suite reports %q, want %q", output, test.want)
			}
		})
	}
}
