// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
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
}
