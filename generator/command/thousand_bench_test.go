// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// kindWithPolicy is a type with a policy of six expressions, which read its fields.
const kindWithPolicy = `
// KIND is an object.
//
// +webhook:policy:validating(operations: "create;update")
// +webhook:policy:matchCondition(name: "people")="!('system:nodes' in request.userInfo.groups)"
// +webhook:policy:variable(name: "sized")="object.spec.?items.orValue([]).filter(i, has(i.size))"
// +webhook:policy:validation(messageExpression: "'sizes of ' + object.metadata.name")="variables.sized.all(i, i.size > 0 && i.size < 1000)"
// +webhook:policy:validation(message: "the mode is fixed")="oldObject == null || object.spec.mode == oldObject.spec.mode"
// +webhook:policy:validation(message: "at most 1Gi")="!has(object.spec.memory) || quantity(object.spec.memory).isLessThan(quantity('1Gi'))"
type KIND struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	Spec KINDSpec ` + "`json:\"spec\"`" + `
}

// KINDSpec is what it is to be.
type KINDSpec struct {
	// +kubebuilder:validation:MaxLength=32
	Mode string ` + "`json:\"mode\"`" + `
	// +kubebuilder:validation:MaxLength=32
	// +optional
	Memory string ` + "`json:\"memory,omitempty\"`" + `
	// +kubebuilder:validation:MaxItems=10
	// +optional
	Items []KINDItem ` + "`json:\"items,omitempty\"`" + `
}

// KINDItem is a part.
type KINDItem struct {
	// +optional
	Size int32 ` + "`json:\"size,omitempty\"`" + `
}
`

// BenchmarkThousandPolicies has webhook-gen generate the policies of 1000 types in 20 packages, and
// their tests. It holds the best of all rounds to 5 seconds. In the end a misspelt field is found.
func BenchmarkThousandPolicies(b *testing.B) {
	binaries, dir := b.TempDir(), b.TempDir()
	build := exec.Command("go", "build", "-o", binaries+"/", "../../cmd/webhook-gen")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	write("go.mod", "module example.com/app\n\ngo 1.26.0\n")
	write("webhook-gen.yaml", "version: 1\noutputs: [manifests, tests]\n")
	var last string
	for p := range 20 {
		last = fmt.Sprintf("// +groupName=p%d.example.com\n// +versionName=v1\npackage p%[1]d\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n", p)
		for k := range 50 {
			last += strings.ReplaceAll(kindWithPolicy, "KIND", fmt.Sprintf("Kind%d", k))
		}
		write(fmt.Sprintf("api/p%d/types.go", p), last)
	}
	generate := func() (string, *os.ProcessState, error) {
		c := exec.Command(filepath.Join(binaries, "webhook-gen"))
		c.Dir = dir
		out, err := c.CombinedOutput()
		return string(out), c.ProcessState, err
	}

	best, processors := time.Hour, time.Hour
	for b.Loop() {
		begin := time.Now()
		out, state, err := generate()
		if err != nil || strings.Contains(out, "not compiled") {
			b.Fatalf("%v\n%s", err, out)
		}
		best, processors = min(best, time.Since(begin)), min(processors, state.UserTime()+state.SystemTime())
	}
	b.ReportMetric(best.Seconds(), "s")
	b.ReportMetric(processors.Seconds(), "processor-s")
	if best > 5*time.Second {
		b.Errorf("1000 policies take %s, of which the processors work %s", best, processors)
	}

	manifest, err := os.ReadFile(filepath.Join(dir, "config/webhook/policies.yaml"))
	if n := strings.Count(string(manifest), "kind: ValidatingAdmissionPolicy\n"); err != nil || n != 1000 {
		b.Errorf("%d policies: %v", n, err)
	}
	write("api/p19/types.go", strings.Replace(last, "object.spec.mode ==", "object.spec.moda ==", 1))
	if out, _, err := generate(); err == nil || !strings.Contains(out, "undefined field 'moda'") {
		b.Errorf("a misspelt field: %v\n%s", err, out)
	}
}
