// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// existing returns handlers with one defect, and the test of them. An empty defect is a project without one.
func existing(t *testing.T, defect string) Existing {
	is := func(text string) bool { return defect == text }
	var kept struct { // as a handler may keep an object
		sync.Mutex
		size string
	}
	keep := func(size string) string {
		kept.Lock()
		kept.size = size
		kept.Unlock()
		runtime.Gosched()
		kept.Lock()
		defer kept.Unlock()
		return kept.size
	}
	shared := map[string]string{"new": "true"}
	validate := func(object, old *widget) error {
		if is("panics if full") && object.Spec.Inner != nil && object.Spec.Size != "" {
			var missing *widgetSpec
			return errors.New(missing.Size)
		}
		if is("panics if the old object is sparse") && object.Spec.Inner != nil && old != nil {
			return fmt.Errorf("%s is the size", old.Spec.Inner.Size)
		}
		if is("order of a map") {
			var messages []string
			for tag := range object.Spec.Tags {
				messages = append(messages, tag)
			}
			if len(messages) > 0 {
				return errors.New(strings.Join(messages, ", "))
			}
		}
		if own := "widgets.example.com/last"; is("exempts its finalizer") && old != nil && !slices.Contains(old.Finalizers, own) {
			return errors.New("spec is wrong")
		}
		if is("finalizer of an invalid object") && object.Spec.Inner == nil || is("finalizer") && old != nil && old.Spec.Size != "" {
			return errors.New("spec.size is wrong")
		}
		return nil
	}
	mutating := admission.Mutating("mutate.example.com", admission.ForKind("example.com/v1", "Widget"),
		admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[widget]) error {
			spec := &r.Object.Spec
			switch {
			case is("appends"):
				spec.Parts = append(spec.Parts, part{Name: "added"})
			case is("denies its own result"):
				if spec.Size == "none" {
					return errors.New("no such size")
				}
				spec.Size = "none"
			case is("keeps the object"):
				spec.Size = keep(spec.Size)
			case is("shares a default"), is("collects in a default"):
				if spec.Tags == nil {
					spec.Tags = shared
				}
				if spec.Size != "" && is("shares a default") {
					spec.Tags["size"] = spec.Size
				} else if spec.Size != "" {
					spec.Tags[spec.Size] = "size"
				}
			case spec.Size == "":
				spec.Size = "small"
			}
			return nil
		}))
	validating := http.Handler(admission.Validating("validate.example.com", admission.ForKind("example.com/v1", "Widget"),
		admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[widget]) error { return validate(r.Object, nil) }),
		admission.OnUpdate(func(_ context.Context, r *admission.UpdateRequest[widget]) error {
			old, err := r.OldObject()
			if err != nil {
				return err
			}
			return validate(r.Object, old)
		})))
	handlers := map[string]http.Handler{"/mutate": mutating, "/validate": validating}
	answer := func(text string) {
		handlers["/validate"] = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, text)
		})
	}
	const head = `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":`
	const uid = `"uid":"00000000-0000-4000-8000-000000000000"`
	switch defect {
	case "no handler":
		handlers["/validate"] = nil
	case "no webhook":
		handlers["/other"] = mutating
	case "no uid":
		answer(head + `{"allowed":true}}`)
	case "allows everything":
		answer(head + `{"allowed":true,` + uid + `}}`)
	case "patch of a validating webhook":
		handlers["/validate"] = admission.Mutating("any", admission.On(admission.Create, func(context.Context, *admission.RawRequest) error { return nil }),
			admission.OnUpdate(func(_ context.Context, r *admission.UpdateRequest[widget]) error {
				r.Object.Spec.Size = "set"
				return nil
			}))
	case "panics on any":
		handlers["/validate"] = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("no way") })
	case "fails":
		handlers["/validate"] = http.NotFoundHandler()
	case "removes unknown members":
		handlers["/mutate"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			// The patch replaces spec as a whole: [{"op":"replace","path":"/spec","value":{"size":"x"}}]
			fmt.Fprint(w, head+`{"allowed":true,`+uid+`,"patchType":"JSONPatch",`+
				`"patch":"W3sib3AiOiJyZXBsYWNlIiwicGF0aCI6Ii9zcGVjIiwidmFsdWUiOnsic2l6ZSI6IngifX1d"}}`)
		})
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	sample := "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: one, namespace: default}\nspec: {size: big}\n"
	write("sample.yaml", sample)
	manifest := strings.Replace(manifestText, "[CREATE, DELETE]", "[CREATE]", 1)
	manifest = strings.Replace(manifest, "[UPDATE]", "[CREATE, UPDATE]", 1)
	if is("another path in the manifest") {
		manifest = strings.Replace(manifest, "localhost/validate", "localhost/other", 1)
	}
	kinds := []Kind{{"example.com/v1", "Widget"}}
	validated, validatedKinds := any(widget{}), kinds
	if is("no object") {
		validated = nil
	}
	if is("no kinds") {
		validatedKinds = nil
	}
	return Existing{
		Manifest: write("manifest.txt", manifest),
		Samples:  []string{dir},
		Webhooks: []Webhook{
			{
				Name: "mutate.example.com", Path: "/mutate", Mutating: true, Object: widget{}, Kinds: kinds, Resources: []string{"widgets"},
				Functions: map[admission.Operation]string{admission.Create: "Default"},
			},
			{
				Name: "validate.example.com", Path: "/validate", Object: validated, Kinds: validatedKinds, Resources: []string{"widgets"},
				Functions: map[admission.Operation]string{admission.Create: "ValidateCreate", admission.Update: "ValidateUpdate"},
			},
		},
		Handlers: handlers,
	}
}

func TestExisting(t *testing.T) { existing(t, "").Run(t) }

// TestExistingRespectsFinalizers has a validator that lets its own finalizer go, and no other.
func TestExistingRespectsFinalizers(t *testing.T) {
	e := existing(t, "exempts its finalizer")
	if output := existingFindings(t, e); !strings.Contains(output, "denies that the last finalizer is removed") {
		t.Errorf("without the finalizer, it reports\n%s", output)
	}
	e.Finalizers = []string{"other.example.com/last", "widgets.example.com/last"}
	if output := existingFindings(t, e); strings.Contains(output, "finalizer") {
		t.Errorf("it reports\n%s", output)
	}
}

// TestExistingSharedPath has a webhook for each operation, with one handler.
func TestExistingSharedPath(t *testing.T) {
	e := existing(t, "")
	text, err := os.ReadFile(e.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	i, end := strings.Index(string(text), "- name: validate"), strings.Index(string(text), "- name: any")
	shared := string(text[i:end])
	create := strings.NewReplacer("validate.example.com", "create.example.com", "[CREATE, UPDATE]", "[CREATE]").Replace(shared)
	update := strings.NewReplacer("validate.example.com", "update.example.com", "[CREATE, UPDATE]", "[UPDATE]").Replace(shared)
	if err := os.WriteFile(e.Manifest, []byte(string(text[:i])+create+update+string(text[end:])), 0o600); err != nil {
		t.Fatal(err)
	}
	w := e.Webhooks[1]
	e.Webhooks = e.Webhooks[:1]
	for operation, name := range map[admission.Operation]string{admission.Create: "create.example.com", admission.Update: "update.example.com"} {
		w.Name, w.Functions = name, map[admission.Operation]string{operation: "Validate"}
		e.Webhooks = append(e.Webhooks, w)
	}
	e.Run(t)
}

// TestExistingFindsDefects has one defect at a time. The smallest object of each finding is part of it.
func TestExistingFindsDefects(t *testing.T) {
	const head = "\napiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: filled\n  namespace: default\nspec:"
	for defect, want := range map[string][]string{
		"no handler":                         {"/validate, for which there is no handler"},
		"no webhook":                         {"the handler at /other is never called"},
		"another path in the manifest":       {"called at /other, and it is served at /validate"},
		"no object":                          {"webhook validate.example.com gets no objects of its type", "\tObject: TYPE{},\n"},
		"no kinds":                           {"webhook validate.example.com gets no objects of its type", "\tObject: admissiontest.widget{},\n", `{APIVersion: "example.com/v1", Kind: "widget"}`},
		"no uid":                             {"ValidateCreate fails: an API server does not accept the answer: its uid"},
		"allows everything":                  {"an empty body: the handler allows the request", "half a review: the handler allows the request"},
		"fails":                              {"ValidateCreate fails: HTTP 404"},
		"panics on any":                      {"ValidateCreate panics: no way, at existing_test.go:", "ValidateUpdate panics: no way, at existing_test.go:"},
		"patch of a validating webhook":      {"ValidateUpdate sends a patch"},
		"panics if full":                     {"ValidateCreate panics: runtime error: invalid memory address or nil pointer dereference", "\nspec:\n  inner: {}\n  size: "},
		"panics if the old object is sparse": {"ValidateUpdate panics", head + "\n  size: small\nwith the changes\n+ spec.inner: {}\n- spec.size: small\n"},
		"order of a map":                     {"ValidateCreate answers the same request differently", "\n  tags:\n    text-"},
		"finalizer":                          {"ValidateUpdate denies that the last finalizer is removed", "Its CREATE is allowed", "and the edits by defaults and mutating webhooks\n+ spec.size: small\n"},
		"finalizer of an invalid object":     {"ValidateUpdate denies that the last finalizer is removed", "older than the rule", "and the edits by defaults and mutating webhooks\n+ spec.size: small\n"},
		"appends":                            {"Default changes its own result", head + " {}\n"},
		"denies its own result":              {"Default denies its own result: no such size", head + " {}\n"},
		"keeps the object":                   {"in parallel, Default answers the same request differently"},
		"shares a default":                   {"Default answers differently after another request", "\nCREATE of" + head + " {}\nafter CREATE of" + head + "\n  size: "},
		"collects in a default":              {"Default answers differently after another request", "\nCREATE of" + head + " {}\nafter CREATE of\n"},
		"removes unknown members":            {"Default removes members that are unknown to the Go type, such as spec.unknownToTheType"},
	} {
		t.Run(defect, func(t *testing.T) {
			t.Parallel()
			output := existingFindings(t, existing(t, defect))
			for _, text := range want {
				if !strings.Contains(strings.ReplaceAll(output, "\n  name: one\n", "\n  name: filled\n"), text) {
					t.Errorf("it reports\n%s\nwant %s in it", output, text)
				}
			}
			const screen = 24
			for _, finding := range strings.SplitAfter(output, "\n\n") {
				if lines := strings.Count(finding, "\n"); lines > screen {
					t.Errorf("a finding has %d lines:\n%s", lines, finding)
				}
			}
		})
	}
}

// TestExistingWritesReviews posts the reviews of findings to the handlers, and wants the same answers.
func TestExistingWritesReviews(t *testing.T) {
	for defect, want := range map[string][3]string{
		"panics if full": {"/validate", "validate.example.com-CREATE-1.json", "panic: runtime error: invalid memory address"},
		"finalizer":      {"/validate", "validate.example.com-UPDATE-1.json", "spec.size is wrong"},
		// The second review has the first one's result.
		"denies its own result": {"/mutate", "mutate.example.com-CREATE-2.json", "no such size"},
	} {
		t.Run(defect, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "reviews")
			t.Setenv(reviewsFolder, dir)
			e := existing(t, defect)
			if output := existingFindings(t, e); !strings.Contains(output, "\nPOST "+want[0]+" < "+filepath.Join(dir, want[1])) {
				t.Errorf("the finding does not name the file:\n%s", output)
			}
			body, err := os.Open(filepath.Join(dir, want[1]))
			if err != nil {
				t.Fatal(err)
			}
			defer body.Close()
			server := httptest.NewServer(e.Handlers[want[0]])
			defer server.Close()
			response, err := http.Post(server.URL+want[0], "application/json", body)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			answer, err := io.ReadAll(response.Body)
			if err != nil || !strings.Contains(string(answer), `"allowed":false`) || !strings.Contains(string(answer), want[2]) {
				t.Errorf("%s, %v, want %s", answer, err, want[2])
			}
		})
	}
}

// existingFindings returns the findings, with a blank line after each test.
func existingFindings(t *testing.T, e Existing) string {
	var output strings.Builder
	var checks []check
	output.WriteString(reported(t, func(t testing.TB) { checks = e.checks(t) }) + "\n")
	for _, c := range checks {
		output.WriteString(reported(t, c.run) + "\n")
	}
	return output.String()
}

// TestExistingFollowsDefinitions has validators that panic for some objects. This is a defect only if an API server
// calls the validator with such an object.
func TestExistingFollowsDefinitions(t *testing.T) {
	const definition = `
kind: Namespace
---
kind: CustomResourceDefinition
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        properties:
          metadata: {type: object}
          spec:
            type: object
            properties:
              size: {type: string, default: small, enum: [small, large]}
              parts: {type: array, items: {type: object, properties: {name: {type: string}, note: {type: string, pattern: '^1'}}}}
`
	for _, test := range []struct {
		name  string
		wrong func(*widget) bool
		want  string
	}{
		{"a default", func(w *widget) bool { return w.Spec.Size == "" }, ""},
		{"a constant", func(w *widget) bool { return w.Spec.Size == "large" }, "spec:\n  size: large\n"},
		{"no constant", func(w *widget) bool { return w.Spec.Size != "small" && w.Spec.Size != "large" }, ""},
		{"a member that the schema lacks", func(w *widget) bool { return w.Spec.Inner != nil || w.Spec.Tags != nil }, ""},
		{"a sample that the schema refuses", func(w *widget) bool { return w.Spec.Size == "huge" }, ""},
		{"no namespace", func(w *widget) bool { return w.Namespace == "" }, ""},
		{"values that a pattern accepts", func(w *widget) bool { return len(w.Spec.Parts) > 0 && w.Spec.Parts[0].Note != "" },
			"\n    note: \"1\"\n"},
		{"values that it refuses", func(w *widget) bool {
			return len(w.Spec.Parts) > 0 && w.Spec.Parts[0].Note != "" && !strings.HasPrefix(w.Spec.Parts[0].Note, "1")
		}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := existing(t, "")
			e.Definitions = []string{filepath.Join(t.TempDir(), "definition.yaml"), filepath.Join(t.TempDir(), "missing")}
			sample := "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: one}\nspec: {size: small}\n"
			refused := strings.Replace(sample, "small", "huge", 1)
			for file, text := range map[string]string{
				e.Definitions[0]: definition, filepath.Join(e.Samples[0], "sample.yaml"): sample, filepath.Join(e.Samples[0], "refused.yaml"): refused,
			} {
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			e.Handlers["/validate"] = admission.Validating("validate.example.com",
				admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[widget]) error {
					if test.wrong(r.Object) {
						panic("no way")
					}
					return nil
				}),
				admission.OnUpdate(func(context.Context, *admission.UpdateRequest[widget]) error { return nil }))
			output := existingFindings(t, e)
			if found := strings.Contains(output, "ValidateCreate panics: no way"); found != (test.want != "") || !strings.Contains(output, test.want) {
				t.Errorf("it reports\n%s\nwant %q in it", output, test.want)
			}
		})
	}
}

// TestExistingSetsDefaultsOfBuiltinKinds has a validator of Deployments that reads replicas, which an API server always
// sets before it calls webhooks.
func TestExistingSetsDefaultsOfBuiltinKinds(t *testing.T) {
	manifest := filepath.Join(t.TempDir(), "manifest.txt")
	if err := os.WriteFile(manifest, []byte(`apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: all}
webhooks:
- name: validate.example.com
  rules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}]
  clientConfig: {url: "https://localhost/validate"}
  admissionReviewVersions: [v1]
  sideEffects: None
`), 0o600); err != nil {
		t.Fatal(err)
	}
	var called atomic.Bool
	validate := func(d *appsv1.Deployment) error {
		called.Store(true)
		if *d.Spec.Replicas < 0 {
			return errors.New("replicas are negative")
		}
		return nil
	}
	Existing{
		Manifest: manifest,
		Webhooks: []Webhook{{
			Name: "validate.example.com", Path: "/validate", Object: appsv1.Deployment{},
			Kinds: []Kind{{"apps/v1", "Deployment"}}, Resources: []string{"deployments"},
			Functions: map[admission.Operation]string{admission.Create: "ValidateCreate", admission.Update: "ValidateUpdate"},
		}},
		Handlers: map[string]http.Handler{"/validate": admission.Validating("validate.example.com", admission.ForKind("apps/v1", "Deployment"),
			admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[appsv1.Deployment]) error {
				return validate(r.Object)
			}),
			admission.OnUpdate(func(_ context.Context, r *admission.UpdateRequest[appsv1.Deployment]) error {
				return validate(r.Object)
			}))},
	}.Run(t)
	if !called.Load() {
		t.Error("the validator was not called")
	}
}
