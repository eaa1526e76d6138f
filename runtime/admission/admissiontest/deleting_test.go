// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// deletingSuite returns the suite of the widgets with a marker's `deleting`, a validator that refuses all widgets, and
// the options of its handler.
func deletingSuite(t *testing.T, deleting string, options ...admission.Option) Suite {
	s := suite(t, "refuses all", asItIs)
	s.Webhooks[1].Deleting = deleting
	s.Implementations.(widgets).Widget.updates = options
	s.Probes = func(p *Probe) Webhooks {
		return widgets{&faulty{Widget: widgetProbe{p}, updates: options}}
	}
	denied := "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: bad}\nspec: {size: huge}\n"
	if err := os.WriteFile(filepath.Join(s.Samples[0], "denied", "sample.yaml"), []byte(denied), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestDeleting has handlers that skip updates of objects that are being deleted, and handlers that skip too few or too
// many of them.
func TestDeleting(t *testing.T) {
	everything := admission.OnUpdate(func(context.Context, *admission.UpdateRequest[widget]) error { return nil })
	const handler, finalizers = "with deleting", "its last finalizer is removed"
	for _, test := range []struct {
		name, deleting string
		options        []admission.Option
		want           []string
	}{
		{"skip", "skip", []admission.Option{admission.SkipDeleting()}, nil},
		{"unchangedSpec", "unchangedSpec", []admission.Option{admission.SkipDeletingUnchanged()}, nil},
		{"check", "", nil, nil},
		{"skip without its option", "skip", nil, []string{handler, "the last finalizer goes", finalizers}},
		{"unchangedSpec without its option", "unchangedSpec", nil, []string{handler, "the last finalizer goes", finalizers}},
		{"unchangedSpec with the option of skip", "unchangedSpec", []admission.Option{admission.SkipDeleting()}, []string{handler, "another member changes"}},
		{"skip with the option of unchangedSpec", "skip", []admission.Option{admission.SkipDeletingUnchanged()}, []string{handler, "another member changes"}},
		{"skip of all updates", "skip", []admission.Option{everything}, []string{handler}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var output strings.Builder
			for _, c := range deletingSuite(t, test.deleting, test.options...).checks(t) {
				if strings.Contains(c.name, "/deleting/") {
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

// TestDeletingReadsDenied wants the suite to read the denied samples of a webhook with `deleting`.
func TestDeletingReadsDenied(t *testing.T) {
	s := deletingSuite(t, "skip")
	if got := s.samplesFor(t, s.Webhooks[1]); len(got) != 2 || !strings.Contains(string(got[0])+string(got[1]), "huge") {
		t.Errorf("got %s", got)
	}
}
