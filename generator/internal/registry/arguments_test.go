// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"strings"
	"testing"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// TestExamplesSetTheirField decodes the example of each argument. The value must be in the entry's field, with the
// position of the example.
func TestExamplesSetTheirField(t *testing.T) {
	for _, a := range Arguments() {
		line := "+webhook:mutating(" + a.Name + ": " + a.Example + ")"
		markers, diags := marker.Parse([]marker.Line{{Text: line, Pos: diag.Position{File: "example.go", Line: 1, Column: 1}}}, Prefix)
		decoded, bad := Markers().Decode([]marker.Placed{{Marker: markers[0], On: marker.OnType}})
		if diags = append(diags, bad...); len(diags) > 0 {
			t.Errorf("%s: %v", line, diags)
			continue
		}
		w := &model.Webhook{Source: model.Source{At: model.Positions{}}, Mutating: true}
		decoded[0].Target.(*Webhook).Apply(w, "v1beta1")
		if a.Field == "" {
			if len(w.At) > 0 {
				t.Errorf("%s sets %v, and its entry names no field", line, w.At)
			}
			continue
		}
		if got, want := w.At[a.Field].Pos.Column, 1+strings.Index(line, a.Example); got != want {
			t.Errorf("%s: %s is set at column %d, not %d", line, a.Field, got, want)
		}
		if text, set := a.Text(&w.Spec); set && text != a.Example || set != (a.Type == Word || a.Type == Number) {
			t.Errorf("%s: the field is %q", line, text)
		}
	}
}

// TestDefaultsGiveWay completes a webhook's arguments with the package's defaults. A list is taken as a whole.
func TestDefaultsGiveWay(t *testing.T) {
	settings := func(line string) Settings {
		markers, _ := marker.Parse([]marker.Line{{Text: line, Pos: diag.Position{File: "example.go", Line: 1, Column: 1}}}, Prefix)
		decoded, diags := Markers().Decode([]marker.Placed{{Marker: markers[0], On: marker.OnPackage}})
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		switch m := decoded[0].Target.(type) {
		case *Webhook:
			return m.Settings
		case *Defaults:
			return m.Settings
		}
		return nil
	}
	own := settings(`+webhook:validating(timeoutSeconds: 5, admissionReviewVersions: "v1")`)
	defaults := settings(`+webhook:defaults(timeoutSeconds: 7, failurePolicy: Ignore, admissionReviewVersions: "v1beta1;v1", reinvocationPolicy: IfNeeded)`)
	w := &model.Webhook{Source: model.Source{At: model.Positions{}}}
	own.Over(defaults).Apply(w, "v1")
	if s := w.Spec; *s.TimeoutSeconds != 5 || *s.FailurePolicy != "Ignore" || len(s.AdmissionReviewVersions) != 1 || s.ReinvocationPolicy != nil || *s.SideEffects != "None" {
		t.Errorf("%+v", s)
	}
	if _, stale := w.At["admissionReviewVersions[1]"]; stale {
		t.Errorf("%v", w.At)
	}
}
