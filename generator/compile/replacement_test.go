// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
)

// TestReplacement runs the generated comparison of a validator with the policy that replaces its webhook. The two
// agree, and it finds each change of one side, and the smallest request for it in a few calls of the program.
func TestReplacement(t *testing.T) {
	skipIfShort(t)
	archive, err := txtar.ParseFile("testdata/replacement.txtar")
	if err != nil {
		t.Fatal(err)
	}
	const types, validator = "api/v1/order_types.go", "internal/webhook/v1/order_webhook.go"
	w := newWorkspace(t)
	dir, module := w.add("replaced", archive.Files)
	w.use("replaced")
	test := func(program string) (string, error) {
		t.Helper()
		result := engine.Generate(context.Background(), engine.Config{Dir: dir})
		if failed := append(result.Diagnostics, result.Write()...); failed.HasErrors() {
			t.Fatal(failed)
		}
		t.Setenv("WEBHOOK_GEN", program)
		return w.goCommand("test", "-vet=off", "-v", "-run", "//policy$", module+"/internal/webhook/v1")
	}
	// Each call of the program adds a line to a file.
	program, calls := filepath.Join(t.TempDir(), "webhook-gen"), filepath.Join(t.TempDir(), "calls")
	writeFile(t, program, fmt.Sprintf("#!/bin/sh\necho >>%s\nexec '%s' \"$@\"\n", calls, webhookGen(t)))
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	if got, err := test(program); err != nil || !strings.Contains(got, "requests, ") {
		t.Errorf("%v\n%s", err, got)
	}
	if got, err := test(""); err == nil || !strings.Contains(got, " build -o ") || !strings.Contains(got, " ./cmd/webhook-gen\n") {
		t.Errorf("without the program: %v\n%s", err, got)
	}
	for _, c := range []struct{ file, from, to, want string }{
		{types, ">= 1", ">= 0", "ValidateCreate denies the request, and the policy validate.orders.v1.shop.example.com allows it"},
		{types, " == oldObject.spec.?tier.orValue('')", " == object.spec.?tier.orValue('')", "ValidateUpdate denies the request, and the policy validate.orders.v1.shop.example.com allows it"},
		{types, "!= 'large'", "!= 'larger'", "ValidateDelete denies the request, and the policy validate.orders.v1.shop.example.com allows it"},
		{validator, "spec.Weight < 1:", "spec.Weight < 1 || spec.Weight > 4217:", "ValidateCreate denies the request, and the policy validate.orders.v1.shop.example.com allows it"},
		{validator, "utf8.RuneCountInString(spec.Note)", "len(spec.Note) + 0*utf8.RuneCountInString(spec.Note)", "ValidateCreate denies the request, and the policy validate.orders.v1.shop.example.com allows it"},
	} {
		file := filepath.Join(dir, c.file)
		before, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(before), c.from) != 1 {
			t.Fatalf("%s does not have %q once", c.file, c.from)
		}
		writeFile(t, file, strings.Replace(string(before), c.from, c.to, 1))
		writeFile(t, calls, "")
		got, err := test(program)
		if err == nil || !strings.Contains(got, c.want) {
			t.Errorf("%q in place of %q: %v\n%s", c.to, c.from, err, got)
		}
		t.Logf("%q in place of %q:\n%s", c.to, c.from, got)
		const most = 20
		if text, err := os.ReadFile(calls); err != nil {
			t.Error(err)
		} else if len(text) > most {
			t.Errorf("%q in place of %q: the program is called %d times, want at most %d", c.to, c.from, len(text), most)
		}
		writeFile(t, file, string(before))
	}

	for _, c := range []struct {
		name           string
		file, from, to string
		added, text    string
		finds, in      string
	}{
		{
			"a sample that the validator denies", validator, "spec.Weight < 1:", "spec.Weight < 1 || spec.Weight*3 == 12651:", "config/samples/denied/heavy.yaml",
			"{apiVersion: shop.example.com/v1, kind: Order, metadata: {name: heavy, labels: {shop: a}}, spec: {lines: [{sku: tea}], weight: 4217}}\n",
			"ValidateCreate denies the request, and the policy validate.orders.v1.shop.example.com allows it", "weight: 4217",
		},
		{
			"a constant of another file of the package", validator, "spec.Weight < 1:", "spec.Weight < 1 || spec.Weight == heaviest:",
			"internal/webhook/v1/limits.go", "package v1\n\nconst heaviest = 4217\n",
			"ValidateCreate denies the request, and the policy validate.orders.v1.shop.example.com allows it", "weight: 4217",
		},
		{
			"an expression that fails", types, "object.spec.weight > 0", "10 / object.spec.weight > 0 || object.spec.weight > 10", "", "",
			"ValidateCreate denies the request, and an expression of the policy validate.orders.v1.shop.example.com fails on it", "weight: 0",
		},
	} {
		edited := filepath.Join(dir, c.file)
		before, err := os.ReadFile(edited)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(before), c.from) != 1 {
			t.Fatalf("%s does not have %q once", c.file, c.from)
		}
		writeFile(t, edited, strings.Replace(string(before), c.from, c.to, 1))
		if c.added != "" {
			writeFile(t, filepath.Join(dir, c.added), c.text)
		}
		got, err := test(program)
		if err == nil || !strings.Contains(got, c.finds) || !strings.Contains(got, c.in) {
			t.Errorf("%s: %v\n%s", c.name, err, got)
		}
		writeFile(t, edited, string(before))
		if c.added != "" {
			if err := os.Remove(filepath.Join(dir, c.added)); err != nil {
				t.Fatal(err)
			}
		}
	}

	// No constant leads to the weight that is denied, but a case of a table does.
	file := filepath.Join(dir, validator)
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, file, strings.Replace(string(before), "spec.Weight < 1:", "spec.Weight < 1 || spec.Weight*3 == 12651:", 1))
	cases := filepath.Join(filepath.Dir(file), "cases_test.go")
	writeFile(t, cases, strings.ReplaceAll(replacementCases, "example.com/app/", module+"/"))
	got, err := test(program)
	if err == nil || !strings.Contains(got, "--- FAIL: TestCases/validate.orders.v1.shop.example.com/policy") || strings.Contains(got, "--- FAIL: TestGenerated") ||
		!strings.Contains(got, "denies the request, and the policy") || !strings.Contains(got, "weight: 4217") {
		t.Errorf("a case that the policy allows: %v\n%s", err, got)
	}
	t.Logf("a case that the policy allows:\n%s", got)
	// A validator and a policy that deny nothing.
	if err := os.Remove(cases); err != nil {
		t.Fatal(err)
	}
	writeFile(t, file, regexp.MustCompile(`return errors.New.*`).ReplaceAllString(string(before), "return errors.Join()"))
	file = filepath.Join(dir, types)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, file, regexp.MustCompile(`="object [=!]= null .*`).ReplaceAllString(string(text), `="true"`))
	if got, err := test(program); err == nil || !strings.Contains(got, "denies no sample and no random request") || !strings.Contains(got, "config/samples/denied") {
		t.Errorf("nothing is denied: %v\n%s", err, got)
	}
}

// replacementCases is a test with a case that the validator denies.
const replacementCases = `package v1

import (
	"testing"

	shopv1 "example.com/app/api/v1"
	"github.com/webhook-gen/webhook-gen/runtime/admission/admissiontest"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestCases(t *testing.T) {
	admissiontest.Table[shopv1.Order]{
		Webhooks: newWebhooks(t),
		Paths:    []string{ValidateOrderPath},
		Kind:     admissiontest.Kind{APIVersion: "shop.example.com/v1", Kind: "Order"},
		Cases: []admissiontest.Case[shopv1.Order]{{
			Name: "heavy",
			Request: admissiontest.Create(&shopv1.Order{
				ObjectMeta: metav1.ObjectMeta{Name: "heavy", Labels: map[string]string{"shop": "a"}},
				Spec:       shopv1.OrderSpec{Lines: []shopv1.Line{{SKU: "tea"}}, Weight: 4217},
			}),
			Denied: 403,
		}},
	}.Run(t)
}
`
