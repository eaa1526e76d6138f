// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// widget is the kind of the webhooks in these tests.
type widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec widgetSpec `json:"spec"`
}

type widgetSpec struct {
	Size  string            `json:"size,omitempty"`
	Parts []part            `json:"parts,omitempty"`
	Tags  map[string]string `json:"tags,omitempty"`
	Inner *widgetSpec       `json:"inner,omitempty"`
}

type part struct {
	Name string `json:"name"`
	Note string `json:"note,omitempty"`
}

// widgets are webhooks as they are generated. The suite must find their faults.
type widgets struct {
	Widget *faulty
}

func (w widgets) Register(handle func(string, http.Handler), options ...admission.Option) error {
	if w.Widget == nil {
		return errors.New("Widget is nil")
	}
	return w.Widget.register(handle, options...)
}

// carelessWidgets are webhooks that do not check for a missing validator or defaulter.
type carelessWidgets struct{ Widget *faulty }

func (w carelessWidgets) Register(handle func(string, http.Handler), options ...admission.Option) error {
	if w.Widget == nil {
		return nil
	}
	return w.Widget.register(handle, options...)
}

// stubbornWidgets are webhooks that cannot be left out.
type stubbornWidgets struct {
	Widget  *faulty
	Without struct{ Widget bool }
}

func (w stubbornWidgets) Register(handle func(string, http.Handler), options ...admission.Option) error {
	return widgets{w.Widget}.Register(handle, options...)
}

// hastyWidgets are webhooks that register a handler before they look whether something is missing.
type hastyWidgets struct{ Widget *faulty }

func (w hastyWidgets) Register(handle func(string, http.Handler), options ...admission.Option) error {
	if w.Widget == nil {
		handle("/any", http.NotFoundHandler())
	}
	return widgets(w).Register(handle, options...)
}

// faulty has the code of the webhooks, and registers handlers with a fault.
type faulty struct {
	Widget interface {
		DefaultCreate(context.Context, *admission.CreateRequest[widget]) error
		DefaultDelete(context.Context, *admission.DeleteRequest[widget]) error
		ValidateUpdate(context.Context, *admission.UpdateRequest[widget]) error
		ValidateAnyCreate(context.Context, *admission.RawRequest) error
	}
	fault string
	// updates are further options of the handler for updates.
	updates []admission.Option
}

func (w faulty) register(handle func(string, http.Handler), options ...admission.Option) error {
	mutating := admission.Mutating
	validating := admission.Validating
	mutate := []admission.Option{
		admission.ForKind("example.com/v1", "Widget"), admission.ListKeys[widgetSpec]("parts", "name"),
		admission.OnCreate(w.Widget.DefaultCreate), admission.OnDelete(w.Widget.DefaultDelete),
	}
	validate := []admission.Option{admission.ForKind("example.com/v1", "Widget"), admission.OnUpdate(w.Widget.ValidateUpdate)}
	validate = append(validate, w.updates...)
	paths := []string{"/mutate", "/validate", "/any"}
	name := "mutate.example.com"
	switch w.fault {
	case "another path":
		paths[0] = "/mutated"
	case "paths changed over":
		paths[0], paths[1] = paths[1], paths[0]
	case "another name":
		name = "default.example.com"
	case "a webhook is missing":
		paths[2] = "/any/"
	case "no patch":
		mutating = admission.Validating
	case "a patch of a validating webhook":
		validating = admission.Mutating
	case "no kind":
		mutate[0] = func(*admission.Handler) {}
	case "another kind":
		mutate[0] = admission.ForKind("example.com/v2", "Widget")
	case "no keys":
		mutate[1] = func(*admission.Handler) {}
	case "an operation is missing":
		mutate[3] = func(*admission.Handler) {}
	case "one operation more":
		mutate = append(mutate, admission.OnUpdate(func(context.Context, *admission.UpdateRequest[widget]) error { return nil }))
	case "an error is swallowed":
		validate[1] = admission.OnUpdate(func(ctx context.Context, r *admission.UpdateRequest[widget]) error {
			_ = w.Widget.ValidateUpdate(ctx, r)
			return nil
		})
	case "an error is wrapped":
		validate[1] = admission.OnUpdate(func(ctx context.Context, r *admission.UpdateRequest[widget]) error {
			if err := w.Widget.ValidateUpdate(ctx, r); err != nil {
				return errors.New(err.Error())
			}
			return nil
		})
	case "another context":
		validate[1] = admission.OnUpdate(func(_ context.Context, r *admission.UpdateRequest[widget]) error {
			return w.Widget.ValidateUpdate(context.Background(), r)
		})
	case "no function is asked":
		validate[1] = admission.OnUpdate(func(context.Context, *admission.UpdateRequest[widget]) error { return nil })
	case "asked twice":
		validate[1] = admission.OnUpdate(func(ctx context.Context, r *admission.UpdateRequest[widget]) error {
			return errors.Join(w.Widget.ValidateUpdate(ctx, r), w.Widget.ValidateUpdate(ctx, r))
		})
	case "another object":
		validate[1] = admission.OnUpdate(func(ctx context.Context, r *admission.UpdateRequest[widget]) error {
			r.Object = &widget{}
			return w.Widget.ValidateUpdate(ctx, r)
		})
	case "options are dropped":
		options = nil
	case "bodies are too large soon":
		mutate = append(mutate, admission.BodyLimit(100))
	}
	handle(paths[0], mutating(name, mutate...).With(options...))
	handle(paths[1], validating("validate.example.com", validate...).With(options...))
	handle(paths[2], admission.Validating("any.example.com", admission.On(admission.Create, w.Widget.ValidateAnyCreate)).With(options...))
	return nil
}

// subject is the validator and defaulter with the fault, for faults that are not in a handler.
type subject struct {
	fault string
	asked *int
}

func (s subject) DefaultCreate(_ context.Context, r *admission.CreateRequest[widget]) error {
	*s.asked++
	spec := &r.Object.Spec
	if spec.Size == "" {
		spec.Size = "small"
	}
	switch s.fault {
	case "not idempotent":
		spec.Parts = append(spec.Parts, part{Name: fmt.Sprint("added-", len(spec.Parts))})
	case "not deterministic":
		for size := range map[string]bool{"a": true, "b": true, "c": true, "d": true, "e": true, "f": true, "g": true, "h": true} {
			spec.Size = size
			break
		}
	case "remembers":
		spec.Size = fmt.Sprint(*s.asked)
	case "panics":
		spec.Size = spec.Inner.Size
	case "refuses what it has made":
		if r.Object.Labels["made"] != "" {
			return errors.New("made already")
		}
		r.Object.Labels = map[string]string{"made": "yes"}
	}
	return nil
}

func (s subject) DefaultDelete(context.Context, *admission.DeleteRequest[widget]) error { return nil }

func (s subject) ValidateUpdate(_ context.Context, r *admission.UpdateRequest[widget]) error {
	if s.fault == "refuses all" {
		return errors.New("no")
	}
	if s.fault == "refuses samples" && r.Object.Spec.Size == "small" {
		return errors.New("too small")
	}
	return nil
}

func (s subject) ValidateAnyCreate(context.Context, *admission.RawRequest) error { return nil }

// widgetProbe is a validator and defaulter that calls a probe.
type widgetProbe struct{ *Probe }

func (p widgetProbe) DefaultCreate(ctx context.Context, r *admission.CreateRequest[widget]) error {
	return p.Record(ctx, "Widget.DefaultCreate", r)
}

func (p widgetProbe) DefaultDelete(ctx context.Context, r *admission.DeleteRequest[widget]) error {
	return p.Record(ctx, "Widget.DefaultDelete", r)
}

func (p widgetProbe) ValidateUpdate(ctx context.Context, r *admission.UpdateRequest[widget]) error {
	return p.Record(ctx, "Widget.ValidateUpdate", r)
}

func (p widgetProbe) ValidateAnyCreate(ctx context.Context, r *admission.RawRequest) error {
	return p.Record(ctx, "Widget.ValidateAnyCreate", r)
}

// suite returns the suite of the widgets, with or without a fault.
func suite(t *testing.T, fault string, manifest func(string) string) Suite {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	write("sample.yaml", "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: one, namespace: default}\nspec: {}\n")
	if err := os.Mkdir(filepath.Join(dir, "denied"), 0o700); err != nil {
		t.Fatal(err)
	}
	write("denied/sample.yaml", "{no YAML, so that reading it fails")
	return Suite{
		Manifest: write("manifest.txt", manifest(manifestText)),
		Samples:  []string{dir, filepath.Join(dir, "missing")},
		Webhooks: []Webhook{
			{
				Name: "mutate.example.com", Path: "/mutate", Mutating: true, Object: widget{},
				Kinds: []Kind{{"example.com/v1", "Widget"}}, Resources: []string{"widgets"},
				Functions: map[admission.Operation]string{admission.Create: "Widget.DefaultCreate", admission.Delete: "Widget.DefaultDelete"},
				Lists:     []List{{In: widgetSpec{}, Member: "parts", Keys: []string{"name"}}},
			},
			{
				Name: "validate.example.com", Path: "/validate", Object: widget{},
				Kinds: []Kind{{"example.com/v1", "Widget"}}, Resources: []string{"widgets"},
				Functions: map[admission.Operation]string{admission.Update: "Widget.ValidateUpdate"},
			},
			{
				Name: "any.example.com", Path: "/any", Resources: []string{"*"},
				Functions: map[admission.Operation]string{admission.Create: "Widget.ValidateAnyCreate"},
			},
		},
		Implementations: widgets{&faulty{Widget: subject{fault, new(int)}}},
		Probes: func(p *Probe) Webhooks {
			probes := widgets{&faulty{Widget: widgetProbe{p}, fault: fault}}
			if fault == "nobody misses a validator" {
				return carelessWidgets(probes)
			}
			if fault == "registered before an error" {
				return hastyWidgets(probes)
			}
			if fault == "nobody can be left out" {
				return stubbornWidgets{Widget: probes.Widget}
			}
			return probes
		},
	}
}

const manifestText = `kind: MutatingWebhookConfiguration
webhooks:
- name: mutate.example.com
  clientConfig: {service: {path: /mutate}}
  rules: [{apiGroups: [example.com], apiVersions: [v1], operations: [CREATE, DELETE], resources: [widgets]}]
---
kind: ValidatingWebhookConfiguration
webhooks:
- name: validate.example.com
  clientConfig: {url: "https://localhost/validate"}
  rules: [{apiGroups: [example.com], apiVersions: [v1], operations: [UPDATE], resources: [widgets]}]
- name: any.example.com
  clientConfig: {service: {path: /any}}
  rules: [{apiGroups: ["*"], apiVersions: ["*"], operations: [CREATE], resources: ["*"]}]
`

func asItIs(manifest string) string { return manifest }

func TestSuite(t *testing.T) { suite(t, "", asItIs).Run(t) }

// TestSuiteFindsFaults has one fault at a time, in a handler or in the user's code.
func TestSuiteFindsFaults(t *testing.T) {
	for fault, want := range map[string]string{
		"another path":                    "nothing is registered at /mutate",
		"paths changed over":              "validate.example.com is registered at /mutate",
		"another name":                    "default.example.com is registered at /mutate",
		"a webhook is missing":            "nothing is registered at /any",
		"no patch":                        "the object after the patch (-edited +got)",
		"a patch of a validating webhook": "want no patch",
		"no kind":                         "want a call that failed with 400",
		"another kind":                    "the call failed with HTTP 400",
		"no keys":                         "what the type does not know of the elements of parts",
		"an operation is missing":         `the operation is "DELETE"`,
		"one operation more":              "want a call that failed with 400",
		"an error is swallowed":           "allowed, want it denied with 403",
		"an error is wrapped":             "denied with 403, want 422: spec.field",
		"another context":                 "does not end when the API server stops waiting",
		"no function is asked":            "0 functions are asked, want one: Widget.ValidateUpdate",
		"asked twice":                     "2 functions are asked",
		"another object":                  "the object (-sent +asked)",
		"bodies are too large soon":       "more than 100 bytes",
		"options are dropped":             "hears of 0 calls",
		"nobody misses a validator":       "an error that names it",
		"registered before an error":      "return an error, and have registered /any",
		"nobody can be left out":          "registered without Widget on purpose",
		"not idempotent":                  "changes its own result",
		"not deterministic":               "gives another answer to the same request",
		"remembers":                       "gives another answer to the same request",
		"panics":                          "DefaultCreate panics: invalid memory address",
		"refuses what it has made":        "does not allow its own result: made already",
		"refuses samples":                 "does not let Widget one be updated: too small",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			if output := findings(t, suite(t, fault, asItIs)); !strings.Contains(output, want) {
				t.Errorf("the suite reports %q, want %q in it", output, want)
			}
		})
	}
}

// TestSuiteLogsNothing has probes and a defaulter that panic: the suite reports them, and logs nothing.
func TestSuiteLogsNothing(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	output := findings(t, suite(t, "panics", asItIs))
	if !strings.Contains(output, "DefaultCreate panics") || log.Len() > 0 {
		t.Errorf("the suite reports %q and logs\n%.2000s", output, log.String())
	}
}

// TestSuiteFindsDrift has manifests that differ from the markers.
func TestSuiteFindsDrift(t *testing.T) {
	for name, test := range map[string]struct{ old, new, want string }{
		"another path":          {"/mutate}", "/mutated}", "called at /mutated, and it is served at /mutate"},
		"another name":          {"name: mutate.", "name: default.", "has no webhook mutate.example.com"},
		"the wrong side":        {"MutatingWebhook", "ValidatingWebhook", "has no webhook mutate.example.com"},
		"one operation less":    {"[CREATE, DELETE]", "[CREATE]", "no rule in"},
		"one operation more":    {"[UPDATE]", "[UPDATE, CONNECT]", "for which it has no function"},
		"another group":         {"[example.com]", "[example.org]", "called for widgets of example.org/v1"},
		"another version":       {"[v1]", "[v1, v2]", "called for widgets of example.com/v2"},
		"another resource":      {"[widgets]", "[gadgets]", "resources of webhook"},
		"no rule for the kind":  {"apiVersions: [v1]", "apiVersions: []", "no rule in"},
		"a URL of another path": {"localhost/validate", "localhost/", "called at /, and it is served at /validate"},
	} {
		t.Run(name, func(t *testing.T) {
			output := findings(t, suite(t, "", func(m string) string { return strings.Replace(m, test.old, test.new, 1) }))
			if !strings.Contains(output, test.want) || !strings.Contains(output, "/manifest.txt:") {
				t.Errorf("the suite reports %q, want %q in it, with the line in the manifest", output, test.want)
			}
		})
	}
}

func TestCheckManifest(t *testing.T) {
	file := suite(t, "", asItIs).Manifest
	CheckManifest(t, file, []string{"/any", "/mutate"}, []string{"/validate"})
	for _, served := range [][]string{{"/any", "/mutate"}, {"/any", "/mutate", "/validate", "/more"}} {
		if output := reported(t, func(t testing.TB) { CheckManifest(t, file, served, nil) }); !strings.Contains(output, "(-served +in ") {
			t.Errorf("for %q it reports %q", served, output)
		}
	}
}

// TestCheckManifestThroughAggregator has a webhook that is called through the API server itself, and a webhook of a
// Service with a similar name.
func TestCheckManifestThroughAggregator(t *testing.T) {
	file := filepath.Join(t.TempDir(), "manifests.yaml")
	const manifest = `kind: ValidatingWebhookConfiguration
webhooks:
- clientConfig: {service: {name: kubernetes, namespace: default, path: /apis/shop.shop-system.svc/v1/validate}}
- clientConfig: {service: {name: kubernetes, namespace: shop, path: /apis/shop.shop-system.svc/v1/other}}
`
	if err := os.WriteFile(file, []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	CheckManifest(t, file, []string{"/validate"}, []string{"/apis/shop.shop-system.svc/v1/other"})
}

// TestFilled checks that one seed always gives the same JSON, that most seeds give different JSON, and that the type
// keeps all of it.
func TestFilled(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(20) {
		object := filled(reflect.TypeFor[widget](), seed, 2)
		seen[string(object)] = true
		if again := filled(reflect.TypeFor[widget](), seed, 2); string(again) != string(object) {
			t.Errorf("seed %d gives %s and %s", seed, object, again)
		}
		if got := (Webhook{Object: widget{}}).throughType(object); got != string(object) {
			t.Errorf("%s becomes %s", object, got)
		}
	}
	if len(seen) < 15 {
		t.Errorf("%d objects of 20 seeds", len(seen))
	}
}

// findings returns the reports of all checks of a suite.
func findings(t *testing.T, s Suite) string {
	var output strings.Builder
	var checks []check
	output.WriteString(reported(t, func(t testing.TB) { checks = s.checks(t) }))
	for _, c := range checks {
		output.WriteString(reported(t, c.run))
	}
	return output.String()
}

// reported returns the reports of a test.
func reported(t *testing.T, test func(testing.TB)) string {
	recorder := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		test(recorder)
	}()
	<-done
	return recorder.output.String()
}

// recorder is a testing.TB that records failures without failing the test.
type recorder struct {
	testing.TB
	output strings.Builder
}

func (r *recorder) Helper() {}

func (r *recorder) Failed() bool { return r.output.Len() > 0 }

func (r *recorder) Logf(string, ...any) {}

func (r *recorder) Errorf(format string, args ...any) { fmt.Fprintf(&r.output, format+"\n", args...) }

func (r *recorder) Fatal(args ...any) { r.Errorf("%s", fmt.Sprint(args...)); runtime.Goexit() }

func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...); runtime.Goexit() }

func (r *recorder) FailNow() { runtime.Goexit() }

func (r *recorder) Skipf(format string, args ...any) {
	r.Errorf("skipped: "+format, args...)
	runtime.Goexit()
}
