// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
)

// deprecatedOrder has a deprecated field at the top, in a list and in a map, and a field with a deprecated value.
type deprecatedOrder struct {
	Spec struct {
		Note    any            `json:"note"`
		Mode    string         `json:"mode"`
		Parcels []any          `json:"parcels"`
		Notes   map[string]any `json:"notes"`
	} `json:"spec"`
}

// warnings returns the warnings for a request. The old object may be nil.
func warningsOf(t *testing.T, requestKind string, object, old any) []string {
	t.Helper()
	allow := func(context.Context, *CreateRequest[deprecatedOrder]) error { return nil }
	h := Validating("validate.orders.example.com", OnCreate(allow),
		OnUpdate(func(context.Context, *UpdateRequest[deprecatedOrder]) error { return nil }),
		Deprecated(
			Deprecation{Field: "spec.note", Message: "use spec.notes"},
			Deprecation{Field: "spec.mode", Value: "fast", Message: "use turbo"},
			Deprecation{Field: "spec.parcels[*].note", Message: "use spec.notes"},
			Deprecation{Field: "spec.notes[*].by", Message: "remove it"},
			Deprecation{Field: "spec.parcels[*].tags[*]", Value: "old", Message: "use new"},
		))
	request := map[string]any{"uid": "1", "operation": "CREATE", "kind": map[string]any{"group": "g", "version": "v1", "kind": "Order"},
		"requestKind": map[string]any{"group": "g", "version": requestKind, "kind": "Order"}, "object": object}
	if old != nil {
		request["operation"], request["oldObject"] = "UPDATE", old
	}
	body, err := json.Marshal(map[string]any{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	var answer struct {
		Response struct {
			Allowed  bool
			Warnings []string
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || !answer.Response.Allowed {
		t.Fatalf("%v: %s", err, w.Body)
	}
	return answer.Response.Warnings
}

func TestDeprecated(t *testing.T) {
	for _, test := range []struct {
		name, object, old string
		want              []string
	}{
		{"nothing", `{"spec": {"mode": "slow", "parcels": [{}], "notes": {"a": {}}}}`, "", nil},
		{"created", `{"spec": {"note": "x"}}`, "", []string{"spec.note is deprecated: use spec.notes"}},
		{"null", `{"spec": {"note": null}}`, "", nil},
		{"empty", `{"spec": {"note": ""}}`, "", []string{"spec.note is deprecated: use spec.notes"}},
		{"an escaped name", `{"spec": {"n\u006fte": "x"}}`, "", []string{"spec.note is deprecated: use spec.notes"}},
		{"left alone", `{"spec": {"note": "x", "mode": "slow"}}`, `{"spec": {"note": "x"}}`, nil},
		{"changed", `{"spec": {"note": "y"}}`, `{"spec": {"note": "x"}}`, []string{"spec.note is deprecated: use spec.notes"}},
		{"removed", `{"spec": {}}`, `{"spec": {"note": "x"}}`, nil},
		{"a value", `{"spec": {"mode": "fast"}}`, `{"spec": {"mode": "slow"}}`, []string{`spec.mode: "fast" is deprecated: use turbo`}},
		{"a value left alone", `{"spec": {"mode": "fast", "note": null}}`, `{"spec": {"mode": "fast"}}`, nil},
		{"an element", `{"spec": {"parcels": [{}, {"note": {"a": [1]}}]}}`, `{"spec": {"parcels": []}}`, []string{"spec.parcels[1].note is deprecated: use spec.notes"}},
		{"a moved element", `{"spec": {"parcels": [{}, {"note": {"a": [1]}}]}}`, `{"spec": {"parcels": [{"note": {"a": [1]}}]}}`, nil},
		{"a key of a map", `{"spec": {"notes": {"b": {"by": "me"}, "a": {}}}}`, "", []string{"spec.notes[b].by is deprecated: remove it"}},
		{"two lists", `{"spec": {"parcels": [{"tags": ["new", "old"]}]}}`, "", []string{`spec.parcels[0].tags[1]: "old" is deprecated: use new`}},
		{"other types", `{"spec": {"mode": "slow", "parcels": [[1], "note", null, {"tags": {"a": 1}}], "notes": {"by": 5}}}`, "", nil},
	} {
		var old any
		if test.old != "" {
			old = json.RawMessage(test.old)
		}
		if got := warningsOf(t, "v1", json.RawMessage(test.object), old); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q", test.name, got)
		}
		if got := warningsOf(t, "v2", json.RawMessage(test.object), old); got != nil {
			t.Errorf("%s in another version: got %q", test.name, got)
		}
	}
}

// TestDeprecatedAtRandom compares the warnings for random updates with those of a plain loop over the parcels.
func TestDeprecatedAtRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	order := func() (order map[string]any, notes []string) {
		var parcels []any
		for range random.IntN(4) {
			parcel := map[string]any{"n": random.IntN(9)}
			if note := fmt.Sprint(random.IntN(4)); random.IntN(2) == 0 {
				parcel["note"] = note
			}
			parcels = append(parcels, parcel)
		}
		for _, p := range parcels {
			note, _ := p.(map[string]any)["note"].(string)
			notes = append(notes, note)
		}
		return map[string]any{"spec": map[string]any{"parcels": parcels}}, notes
	}
	warned := 0
	for range 2000 {
		object, notes := order()
		old, before := order()
		var want []string
		for i, note := range notes {
			if note != "" && !slices.Contains(before, note) {
				want = []string{fmt.Sprintf("spec.parcels[%d].note is deprecated: use spec.notes", i)}
				break
			}
		}
		if got := warningsOf(t, "v1", object, old); !slices.Equal(got, want) {
			t.Fatalf("%v after %v: got %q, want %q", object, old, got, want)
		}
		warned += len(want)
	}
	if warned < 300 || warned > 1700 {
		t.Errorf("%d of 2000 updates are warned of", warned)
	}
}
