// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// picky is a validator of widgets that denies sizes.
type picky struct {
	subject
	deny func(w *widget) error
}

func (p picky) ValidateUpdate(_ context.Context, r *admission.UpdateRequest[widget]) error {
	return p.deny(r.Object)
}

// ratchetSuite returns the suite of the widgets with ratchet, a validator, and the options of its handler.
func ratchetSuite(t *testing.T, deny func(w *widget) error, options ...admission.Option) Suite {
	s := suite(t, "", asItIs)
	s.Webhooks[1].Ratchet = true
	s.Samples = nil
	s.Implementations = widgets{&faulty{Widget: picky{subject{asked: new(int)}, deny}, updates: options}}
	s.Probes = func(p *Probe) Webhooks {
		return widgets{&faulty{Widget: widgetProbe{p}, updates: options}}
	}
	return s
}

// TestRatchet has validators and handlers that keep the promises of ratchet, and others that do not.
func TestRatchet(t *testing.T) {
	size := func(w *widget) error {
		if w.Spec.Size != "" {
			return field.Invalid(field.NewPath("spec", "size"), w.Spec.Size, "must be empty")
		}
		return nil
	}
	plain := func(w *widget) error {
		if w.Spec.Size != "" {
			return errors.New("the size must be empty")
		}
		return nil
	}
	users := func(*widget) error {
		return apierrors.NewForbidden(schema.GroupResource{Resource: "widgets"}, "one", errors.New("ask an admin"))
	}
	calls := 0
	fickle := func(w *widget) error {
		calls++
		return field.Invalid(field.NewPath("spec", "size"), fmt.Sprint(calls), "must be empty")
	}
	everything := func(h *admission.Handler) {
		h.With(admission.OnUpdate(func(context.Context, *admission.UpdateRequest[widget]) error { return nil }))
	}
	on := admission.Ratchet(true)
	for _, test := range []struct {
		name    string
		deny    func(w *widget) error
		options []admission.Option
		want    []string
	}{
		{"field errors", size, []admission.Option{on}, nil},
		{"about the user", users, []admission.Option{on}, nil},
		{"no ratchet", size, nil, []string{"a field error of the stored object: allowed is false", "denies an update that changes nothing, and ratchet: true does not make a warning of spec.size"}},
		{"other errors", plain, []admission.Option{on}, []string{"compares field errors: return them"}},
		{"an error that is never the same", fickle, []admission.Option{on}, []string{"does not make a warning of spec.size"}},
		{"new errors are allowed", size, []admission.Option{on, everything}, []string{"a new field error: allowed is true"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var output strings.Builder
			for _, c := range ratchetSuite(t, test.deny, test.options...).checks(t) {
				if strings.Contains(c.name, "/ratchet/") || test.want == nil && strings.Contains(c.name, "validate.example.com/handler/") {
					output.WriteString(reported(t, c.run))
				}
			}
			if test.want == nil && output.Len() > 0 {
				t.Errorf("the suite reports %q", &output)
			}
			for _, want := range test.want {
				if !strings.Contains(output.String(), want) {
					t.Errorf("the suite reports %q, want %q in it", &output, want)
				}
			}
		})
	}
}

// TestRatchetAddsNothing has a handler that makes warnings of all field errors.
func TestRatchetAddsNothing(t *testing.T) {
	size := func(w *widget) error {
		return field.Invalid(field.NewPath("spec", "size"), w.Spec.Size, "must be empty")
	}
	s := ratchetSuite(t, size, admission.Ratchet(true))
	s.Implementations = widgets{&faulty{Widget: picky{subject{asked: new(int)}, size}}}
	generous := lenientWidgets{s.Implementations.(widgets)}
	s.Implementations = generous
	var output strings.Builder
	for _, c := range s.checks(t) {
		if strings.HasSuffix(c.name, "/ratchet/updates") {
			output.WriteString(reported(t, c.run))
		}
	}
	if want := "allows an update that adds the error spec.size"; !strings.Contains(output.String(), want) {
		t.Errorf("the suite reports %q, want %q in it", &output, want)
	}
}

// lenientWidgets are widgets whose handler allows all updates, unless the suite turns ratchet off beside enforcement.
type lenientWidgets struct{ widgets }

func (w lenientWidgets) Register(handle func(string, http.Handler), options ...admission.Option) error {
	if len(options) > 1 {
		return w.widgets.Register(handle, options...)
	}
	return w.widgets.Register(handle, admission.OnUpdate(func(context.Context, *admission.UpdateRequest[widget]) error { return nil }))
}
