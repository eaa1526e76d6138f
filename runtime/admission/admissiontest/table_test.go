// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// sized has two webhooks: one sets the size of widgets, and the other denies some widgets.
type sized struct{}

func (sized) Register(handle func(string, http.Handler), options ...admission.Option) error {
	handle("/mutate", admission.Mutating("mutate.example.com",
		admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[widget]) error {
			if r.Object.Spec.Size == "" {
				r.Object.Spec.Size = "small"
				r.Warn("no size given")
			}
			return nil
		})).With(options...))
	handle("/validate", admission.Validating("validate.example.com",
		admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[widget]) error {
			r.AuditAnnotation("size", r.Object.Spec.Size)
			switch size := r.Object.Spec.Size; size {
			case "huge":
				r.Warn("think twice")
				return field.Invalid(field.NewPath("spec", "size"), size, "does not fit")
			case "unknown":
				return admission.Failure(errors.New("nobody knows"))
			}
			return nil
		}),
		admission.OnDelete(func(_ context.Context, r *admission.DeleteRequest[widget]) error {
			if r.SubResource != "" || r.Resource.Resource != "widgetry" {
				return errors.New(r.Resource.Resource)
			}
			return nil
		})).With(options...))
	return nil
}

func ofSize(size string) *widget {
	return &widget{ObjectMeta: metav1.ObjectMeta{Name: "one"}, Spec: widgetSpec{Size: size}}
}

func tableOf(cases ...Case[widget]) Table[widget] {
	return Table[widget]{
		Webhooks: sized{},
		Paths:    []string{"/mutate", "/validate"},
		Kind:     Kind{"example.com/v1", "Widget"},
		Resource: Resource{APIVersion: "example.com/v1", Name: "widgetry"},
		Cases:    cases,
	}
}

func TestTable(t *testing.T) {
	tableOf(
		Case[widget]{Name: "allowed", Request: Create(ofSize("large"))},
		Case[widget]{Name: "defaulted", Request: Create(ofSize("")), Object: ofSize("small"), Warnings: []string{"no size given"},
			Audit: map[string]string{"size": "small"}},
		Case[widget]{Name: "denied", Request: Create(ofSize("huge")), Denied: 422, Causes: []string{"spec.size"}, Message: "does not fit",
			Warnings: []string{"think twice"}},
		Case[widget]{Name: "failed", Request: Create(ofSize("unknown")), Failed: 500, Message: "nobody knows"},
		Case[widget]{Name: "deleted", Request: Delete(ofSize("huge"))},
		Case[widget]{Name: "unknown members", Request: Create(ofSize("")).JSON(`{"spec":{"size":"large"},"more":1}`)},
	).Run(t)
}

func TestTableFindsDifferences(t *testing.T) {
	for name, test := range map[string]struct {
		wrong Case[widget]
		want  string
	}{
		"denied, and should not be":   {Case[widget]{Request: Create(ofSize("huge")), Warnings: []string{"think twice"}}, "denied with 422"},
		"allowed, and should not be":  {Case[widget]{Request: Create(ofSize("large")), Denied: 422}, "allowed, want it denied with 422"},
		"another code":                {Case[widget]{Request: Create(ofSize("huge")), Denied: 403}, "denied with 422"},
		"other causes":                {Case[widget]{Request: Create(ofSize("huge")), Denied: 422}, `causes in fields ["spec.size"]`},
		"another message":             {Case[widget]{Request: Create(ofSize("huge")), Denied: 422, Message: "too late"}, `want "too late" in it`},
		"failed, and should not":      {Case[widget]{Request: Create(ofSize("unknown"))}, "the call failed with HTTP 500"},
		"failed, and should deny":     {Case[widget]{Request: Create(ofSize("unknown")), Denied: 403}, "the call failed with HTTP 500"},
		"does not fail":               {Case[widget]{Request: Create(ofSize("large")), Failed: 500}, "want a call that failed with 500"},
		"changed, and should not be":  {Case[widget]{Request: Create(ofSize("")), Warnings: []string{"no size given"}}, "object after the patch"},
		"changed into something else": {Case[widget]{Request: Create(ofSize("large")), Object: ofSize("small")}, "object after the patch"},
		"no warning":                  {Case[widget]{Request: Create(ofSize("large")), Warnings: []string{"a"}}, "warnings (-want +got)"},
		"a warning":                   {Case[widget]{Request: Create(ofSize("")), Object: ofSize("small")}, "warnings (-want +got)"},
		"another audit annotation":    {Case[widget]{Request: Create(ofSize("large")), Audit: map[string]string{}}, "audit annotations (-want +got)"},
		"nobody is asked":             {Case[widget]{Request: Update(ofSize(""), ofSize(""))}, "none of the webhooks is for UPDATE"},
	} {
		t.Run(name, func(t *testing.T) {
			table := tableOf()
			output := reported(t, func(t testing.TB) { table.run(t, serve(t, table.Webhooks), test.wrong) })
			if !strings.Contains(output, test.want) {
				t.Errorf("it reports %q, want %q in it", output, test.want)
			}
		})
	}
}
