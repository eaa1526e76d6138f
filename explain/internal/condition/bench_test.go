package condition

import (
	"testing"
	"time"

	v1 "k8s.io/api/admissionregistration/v1"
)

// long is an expression of some size, as policies have them.
const long = "request.operation == 'DELETE' || (has(object.metadata.labels) && object.metadata.labels.exists(k, k.startsWith('team.example.com/')) && " +
	"!(request.userInfo.username.startsWith('system:serviceaccount:kube-system:') || 'system:nodes' in request.userInfo.groups) && " +
	"object.spec.containers.all(c, c.image.matches('^registry[.]example[.]com/[a-z/-]+(:[a-z0-9.-]+)?$') && (!has(c.resources) || quantity(c.resources.limits.memory).isLessThan(quantity('1Gi')))))"

// BenchmarkCheck is what an expression costs once the compiler is there.
func BenchmarkCheck(b *testing.B) {
	c := newCompiler(b)
	for b.Loop() {
		c.Check([]v1.MatchCondition{{Name: "c", Expression: long}}, on("pods", "*"), true)
	}
}

// TestCheckIsFast holds an expression to 5 ms.
func TestCheckIsFast(t *testing.T) {
	c := newCompiler(t)
	best := time.Hour // of several, as the machine may have other things to do
	for range 20 {
		begin := time.Now()
		if found := c.Check([]v1.MatchCondition{{Name: "c", Expression: long}}, on("pods", "*"), true); len(found) > 0 {
			t.Fatal(found)
		}
		best = min(best, time.Since(begin))
	}
	if best > 5*time.Millisecond {
		t.Errorf("an expression costs %s", best)
	}
}
