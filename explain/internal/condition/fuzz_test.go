// SPDX-License-Identifier: Apache-2.0

package condition

import (
	"testing"

	v1 "k8s.io/api/admissionregistration/v1"
)

// FuzzCheck checks that every finding lies within its expression, for any expression.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{
		long, "object.metadata.labels['a'] == 'b'", "[1, 2].exists(x, x == object.spec.a)", "(object).metadata . labels\n.a == 'x'",
		"has(object.metadata.labels.a) ? {'a': object.metadata.name}.size() > 0 : namespaceObject == null", "object[?'metadata'].labels['é'] == ''",
		"object.metadata.labels.map(k, object.metadata.labels[k]).size() > 0", "authorizer.requestResource.check('get').allowed()", "a b", "'", "",
	} {
		f.Add(seed)
	}
	c := newCompiler(f)
	f.Fuzz(func(t *testing.T, expression string) {
		for _, found := range c.Check([]v1.MatchCondition{{Name: "c", Expression: expression}}, on("*/*", "*"), true) {
			if found.From < 0 || found.From > found.To || found.To > len(expression) {
				t.Errorf("%q: %+v", expression, found)
			}
		}
	})
}
