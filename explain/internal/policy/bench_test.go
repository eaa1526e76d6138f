// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"testing"
	"time"
)

// many is a policy of the size that projects use.
const many = `
matchConditions: [{name: c, expression: "!('system:nodes' in request.userInfo.groups)"}]
variables:
- {name: sized, expression: "object.spec.items.filter(i, has(i.size))"}
- {name: old, expression: "oldObject == null ? object : oldObject"}
validations:
- {expression: "variables.sized.all(i, i.size > 0 && i.size < 1000)", messageExpression: "'sizes of ' + object.metadata.name"}
- {expression: "request.operation == 'CREATE' || object.spec.mode == oldObject.spec.mode || quantity(object.spec.memory).isLessThan(quantity('1Gi'))"}
auditAnnotations: [{key: k, valueExpression: "'mode ' + variables.old.spec.mode"}]`

// BenchmarkExpression measures an expression with its types once the environment is there, and holds the best of all
// rounds to 5 ms.
func BenchmarkExpression(b *testing.B) {
	c := newChecker(b, "")
	p := newPolicy(b, "ValidatingAdmissionPolicy", many, "Widget")
	s, err := readSpec(&p.Object)
	if err != nil {
		b.Fatal(err)
	}
	count := len(s.expressions())
	best := time.Hour
	for b.Loop() {
		begin := time.Now()
		if _, err := c.Policy(p); err != nil {
			b.Fatal(err)
		}
		best = min(best, time.Since(begin)/time.Duration(count))
	}
	b.ReportMetric(float64(best.Microseconds()), "µs/expression")
	if best > 5*time.Millisecond {
		b.Errorf("an expression costs %s", best)
	}
}
