// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// TestEnforce has a validator deny, fail and panic with each enforcement.
func TestEnforce(t *testing.T) {
	invalid := func(_ context.Context, r *CreateRequest[corev1.Pod]) error {
		r.Warn("its own warning")
		switch r.Object.Name {
		case "panic":
			panic("no way")
		case "fail":
			return Failure(errors.New("no answer"))
		case "good":
			return nil
		}
		return field.Required(field.NewPath("spec"), "say more")
	}
	const would = `Pod "web" is invalid: spec: Required value: say more`
	for _, enforcement := range []Enforcement{"", EnforceDeny, EnforceWarn, EnforceAudit} {
		t.Run(string(enforcement), func(t *testing.T) {
			lenient := enforcement == EnforceWarn || enforcement == EnforceAudit
			var seen observed
			var log bytes.Buffer
			h := Validating("pods.example.com", OnCreate(invalid), Observe(&seen), Enforce(enforcement), Log(slog.New(slog.NewTextHandler(&log, nil))))

			got := verdictOf(t, h, reviewOf(Create, podJSON, "")).Response
			warnings, annotation := []string{"its own warning"}, ""
			if lenient {
				annotation = would
			}
			if enforcement == EnforceWarn {
				warnings = append(warnings, "would be denied: "+would)
			}
			if got.Allowed != lenient || !slices.Equal(got.Warnings, warnings) || got.AuditAnnotations["would-deny"] != annotation || got.Result != nil && lenient {
				t.Errorf("got %+v", got)
			}
			if o := seen[0]; o.Allowed != lenient || o.Unenforced != lenient || (o.Code == http.StatusOK) != lenient || o.Err == nil {
				t.Errorf("observed %+v", o)
			}

			if got := verdictOf(t, h, reviewOf(Create, `{"metadata":{"name":"good"}}`, "")).Response; !got.Allowed || len(got.Warnings) != 1 || got.AuditAnnotations != nil {
				t.Errorf("a good object: %+v", got)
			}
			if o := seen[1]; o.Unenforced || o.Err != nil {
				t.Errorf("observed %+v of a good object", o)
			}
			if w := ask(h, reviewOf(Create, `{"metadata":{"name":"fail"}}`, "")); w.Code != http.StatusInternalServerError {
				t.Errorf("a failure: HTTP %d %s", w.Code, w.Body)
			}
			if got := verdictOf(t, h, reviewOf(Create, `{"spec":7}`, "")).Response; got.Allowed != lenient {
				t.Errorf("an object that cannot be decoded: %+v", got)
			}
			log.Reset()
			if got := verdictOf(t, h, reviewOf(Create, `{"metadata":{"name":"panic"}}`, "")).Response; got.Allowed != lenient {
				t.Errorf("a panic: %+v", got)
			}
			if !strings.Contains(log.String(), "webhook panicked") {
				t.Errorf("of a panic it logs %q", &log)
			}
		})
	}
	mutating := Mutating("pods.example.com", OnCreate(invalid), Enforce(EnforceWarn))
	if got := verdictOf(t, mutating, reviewOf(Create, podJSON, "")).Response; got.Allowed {
		t.Errorf("a mutating webhook allows: %+v", got)
	}
}

// TestEnforcements reads flags, and passes each to the handler of its name.
func TestEnforcements(t *testing.T) {
	deny := func(context.Context, *RawRequest) error { return errors.New("no") }
	var e Enforcements
	flags := flag.NewFlagSet("webhook", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Var(&e, "enforcement", "")
	if err := flags.Parse([]string{"-enforcement=b.example.com=deny", "-enforcement=a.example.com=warn"}); err != nil || e.String() != "a.example.com=warn,b.example.com=deny" {
		t.Fatalf("%v: %s", err, &e)
	}
	for name, allowed := range map[string]bool{"a.example.com": true, "b.example.com": false, "c.example.com": true} {
		h := Validating(name, On(Create, deny), Enforce(EnforceWarn)).With(e.Option())
		if got := verdictOf(t, h, reviewOf(Create, podJSON, "")).Response; got.Allowed != allowed {
			t.Errorf("%s: allowed is %v", name, got.Allowed)
		}
	}
	if err := e.Unknown(); err != nil {
		t.Error(err)
	}
	if err := e.Set("m.example.com=audit"); err != nil {
		t.Fatal(err)
	}
	Mutating("m.example.com", On(Create, deny), e.Option())
	if err := e.Unknown(); err == nil || !strings.Contains(err.Error(), "no validating webhook is called m.example.com") {
		t.Errorf("got %v", err)
	}
	for _, bad := range []string{"", "a.example.com", "a.example.com=", "a.example.com=Deny", "=warn", "a.example.com=warn=audit"} {
		if err := e.Set(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
