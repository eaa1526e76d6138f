// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"context"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// visits are the webhooks A and B, and a validating one. Each mutating one appends its name to the size of a widget, as
// often as it may.
type visits struct{ a, b int }

func (v visits) Register(handle func(string, http.Handler), options ...admission.Option) error {
	for name, most := range map[string]int{"A": v.a, "B": v.b} {
		handle("/"+name, admission.Mutating(name,
			admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[widget]) error {
				r.Warn("called")
				visit(name, most)(r.Object)
				return nil
			})).With(options...))
	}
	handle("/validate", admission.Validating("validate.example.com",
		admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[widget]) error {
			r.AuditAnnotation("saw", r.Object.Spec.Size)
			return nil
		})).With(options...))
	return nil
}

// visit appends a name to the size of a widget until it stands there so many times.
func visit(name string, most int) func(*widget) {
	return func(w *widget) {
		if strings.Count(w.Spec.Size, name) < most {
			w.Spec.Size += name
		}
	}
}

// TestReinvocation plays the scenarios of KEP 492 (Mutating Plugin ordering). The API server's own plugins add a T, the
// webhooks an A and a B, and somebody else's webhook an O.
func TestReinvocation(t *testing.T) {
	for name, test := range map[string]struct {
		webhooks  visits
		paths     string
		inTree    int
		other     int
		reinvoked []string
		want      string
	}{
		"1 no reinvocation":             {webhooks: visits{a: 0}, paths: "/A", inTree: 1, reinvoked: []string{"/A"}, want: "T"},
		"2 in-tree reinvocation only":   {webhooks: visits{a: 2}, paths: "/A", inTree: 1, reinvoked: []string{"/A"}, want: "TA"},
		"3 full reinvocation":           {webhooks: visits{a: 2}, paths: "/A", inTree: 2, reinvoked: []string{"/A"}, want: "TATA"},
		"4 partial reinvocation":        {webhooks: visits{a: 1, b: 2}, paths: "/A /B", inTree: 1, reinvoked: []string{"/A", "/B"}, want: "TAB"},
		"5 full, of both":               {webhooks: visits{a: 2, b: 2}, paths: "/A /B", inTree: 1, reinvoked: []string{"/A", "/B"}, want: "TABAB"},
		"never a third time":            {webhooks: visits{a: 9, b: 9}, paths: "/A /B", inTree: 9, reinvoked: []string{"/A", "/B"}, want: "TABTAB"},
		"none asks":                     {webhooks: visits{a: 9, b: 9}, paths: "/A /B", inTree: 9, want: "TABT"},
		"only the later one asks":       {webhooks: visits{a: 9, b: 9}, paths: "/A /B", reinvoked: []string{"/B"}, want: "AB"},
		"in another order":              {webhooks: visits{a: 9, b: 9}, paths: "/B /A", reinvoked: []string{"/B"}, want: "BAB"},
		"a webhook of others between":   {webhooks: visits{a: 9, b: 9}, paths: "/A other /B", other: 1, reinvoked: []string{"/A"}, want: "AOBA"},
		"a webhook of others is called": {webhooks: visits{a: 9}, paths: "other /A", other: 2, reinvoked: []string{"other"}, want: "OAO"},
	} {
		t.Run(name, func(t *testing.T) {
			table := Table[widget]{
				Webhooks: test.webhooks, Paths: strings.Fields(test.paths + " /validate"), Kind: Kind{"example.com/v1", "Widget"},
				InTree: visit("T", test.inTree), Reinvoked: test.reinvoked,
				Cases: []Case[widget]{{
					Name: "case", Request: Create(ofSize("")), Object: ofSize(test.want),
					Warnings: []string{"called"}, Audit: map[string]string{"saw": test.want},
				}},
			}
			if test.other > 0 {
				table.Others = map[string]func(*widget){"other": visit("O", test.other)}
			}
			table.Run(t)
		})
	}
}

// TestOthersKeepUnknownMembers has functions of the table edit an object that has more members than its type.
func TestOthersKeepUnknownMembers(t *testing.T) {
	Table[metav1.PartialObjectMetadata]{
		Webhooks: visits{}, Paths: []string{"other"}, Kind: Kind{"example.com/v1", "Widget"},
		Others: map[string]func(*metav1.PartialObjectMetadata){"other": func(o *metav1.PartialObjectMetadata) { o.Labels = map[string]string{"a": "b"} }},
		Cases: []Case[metav1.PartialObjectMetadata]{{
			Name:    "case",
			Request: Create(&metav1.PartialObjectMetadata{}).JSON(`{"metadata":{"name":"one"},"spec":{"size":"large"}}`),
			Object:  &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "one", Labels: map[string]string{"a": "b"}}},
		}},
	}.Run(t)
}

// TestReinvocationIsPrinted has a failing case print the changes of each call, and the object after it.
func TestReinvocationIsPrinted(t *testing.T) {
	table := Table[widget]{
		Webhooks: visits{a: 2, b: 1}, Paths: []string{"/A", "/B"}, Kind: Kind{"example.com/v1", "Widget"},
		InTree: func(w *widget) { w.Labels = map[string]string{"tree": "in"} }, Reinvoked: []string{"/A"},
	}
	output := reported(t, func(t testing.TB) {
		table.run(t, serve(t, table.Webhooks), Case[widget]{Request: Create(ofSize("")), Object: ofSize("AB"), Warnings: []string{"called"}})
	})
	const want = `the API server changes
  + metadata.labels: {"tree":"in"}
the object is then
  apiVersion: example.com/v1
  kind: Widget
  metadata:
    labels:
      tree: in
    name: one
  spec: {}
/A changes
  + spec.size: A
the object is then
  apiVersion: example.com/v1
  kind: Widget
  metadata:
    labels:
      tree: in
    name: one
  spec:
    size: A
/B changes
  - spec.size: A
  + spec.size: AB
the object is then
  apiVersion: example.com/v1
  kind: Widget
  metadata:
    labels:
      tree: in
    name: one
  spec:
    size: AB
the API server changes nothing
/A changes
  - spec.size: AB
  + spec.size: ABA
the object is then
  apiVersion: example.com/v1
  kind: Widget
  metadata:
    labels:
      tree: in
    name: one
  spec:
    size: ABA`
	if !strings.Contains(output, want) {
		t.Errorf("it reports\n%s\nwant in it\n%s", output, want)
	}
}
