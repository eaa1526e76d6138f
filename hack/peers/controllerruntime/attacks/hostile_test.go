// SPDX-License-Identifier: Apache-2.0

package attacks

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/hack/peers/controllerruntime/reviews"
	"github.com/webhook-gen/webhook-gen/runtime/admission"
	"github.com/webhook-gen/webhook-gen/runtime/conversion"
)

// Lamps of two versions: v2 has more than v1, and other names.
type (
	lampV1 struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitempty"`

		Spec lampSpecV1 `json:"spec,omitempty"`
	}
	lampSpecV1 struct {
		Watts int64             `json:"watts,omitempty"`
		Name  string            `json:"name,omitempty"`
		Bulbs []bulbV1          `json:"bulbs,omitempty"`
		Notes map[string]string `json:"notes,omitempty"`
	}
	bulbV1 struct {
		Name string `json:"name"`
	}

	lampV2 struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitempty"`

		Spec   lampSpecV2 `json:"spec,omitempty"`
		Status struct {
			Approved bool `json:"approved,omitempty"`
		} `json:"status,omitempty"`
	}
	lampSpecV2 struct {
		Watts      int64             `json:"watts,omitempty"`
		Title      string            `json:"title,omitempty"` // Name of v1
		Bulbs      []bulbV2          `json:"bulbs,omitempty"`
		Notes      map[string]string `json:"notes,omitempty"`
		Color      string            `json:"color,omitempty"`
		Level      int               `json:"level,omitempty"`
		Privileged bool              `json:"privileged,omitempty"`
	}
	bulbV2 struct {
		Name  string            `json:"name"`
		Hours int               `json:"hours,omitempty"`
		Extra map[string]string `json:"extra,omitempty"`
	}
)

var (
	stashV1 = conversion.NewStash[lampV1]("v1", conversion.Schema{Lossless: true})
	stashV2 = conversion.NewStash[lampV2]("v2", conversion.Schema{Members: map[string]conversion.Schema{"spec": {Members: map[string]conversion.Schema{
		"color": {Limits: conversion.Limits{Enum: []string{"red", "white"}}}, "level": {Limits: conversion.Limits{Minimum: "0", Maximum: "10"}},
		"bulbs": {Keys: []string{"name"}, Elements: &conversion.Schema{Members: map[string]conversion.Schema{"hours": {Limits: conversion.Limits{Maximum: "1000"}}}}},
	}}}})
)

func lampToV2(_ context.Context, src *lampV1, dst *lampV2) error {
	src.ObjectMeta.DeepCopyInto(&dst.ObjectMeta)
	dst.Spec.Watts, dst.Spec.Title, dst.Spec.Notes = src.Spec.Watts, src.Spec.Name, src.Spec.Notes
	for _, b := range src.Spec.Bulbs {
		dst.Spec.Bulbs = append(dst.Spec.Bulbs, bulbV2{Name: b.Name})
	}
	return nil
}

func lampToV1(_ context.Context, src *lampV2, dst *lampV1) error {
	src.ObjectMeta.DeepCopyInto(&dst.ObjectMeta)
	dst.Spec.Watts, dst.Spec.Name, dst.Spec.Notes = src.Spec.Watts, src.Spec.Title, src.Spec.Notes
	for _, b := range src.Spec.Bulbs {
		dst.Spec.Bulbs = append(dst.Spec.Bulbs, bulbV1{Name: b.Name})
	}
	return nil
}

// lamps is the handler of conversions between the versions.
func lamps() http.Handler {
	return conversion.NewHandler(conversion.Serve(conversion.Between("example.com", "Lamp", "v1", "v2",
		func(ctx context.Context, src *lampV1, dst *lampV2) error {
			if err := lampToV2(ctx, src, dst); err != nil {
				return err
			}
			return conversion.Exchange(ctx, src, dst, stashV1, stashV2, lampToV1)
		},
		func(ctx context.Context, src *lampV2, dst *lampV1) error {
			if err := lampToV1(ctx, src, dst); err != nil {
				return err
			}
			return conversion.Exchange(ctx, src, dst, stashV2, stashV1, lampToV2)
		}, nil)))
}

// conversionReview is the body that asks for objects in a version.
func conversionReview(desired string, objects ...string) []byte {
	return fmt.Appendf(nil, `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u","desiredAPIVersion":"example.com/%s","objects":[%s]}}`,
		desired, strings.Join(objects, ","))
}

// converted is the answer of a conversion webhook.
type converted struct {
	Response struct {
		UID              string            `json:"uid"`
		ConvertedObjects []json.RawMessage `json:"convertedObjects"`
		Result           metav1.Status     `json:"result"`
	} `json:"response"`
}

// bounds are the most time and memory for an answer: many times the usual need. Another load may stop a machine for a
// moment, so there is extra time for that.
type bounds struct {
	time  time.Duration
	bytes uint64 // allocated
}

// answered sends a body, and checks the answer against the bounds. The answer must never blame the server.
func answered(t *testing.T, h http.Handler, what string, body []byte, most bounds) (code int, content []byte) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	w := send(t, h, body)
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	if took > most.time {
		t.Errorf("%s: %d bytes took %s, more than %s", what, len(body), took, most.time)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > most.bytes {
		t.Errorf("%s: %d bytes took %d bytes of memory, more than %d", what, len(body), allocated, most.bytes)
	}
	// An API server always sends the old object. A function may turn the error for a missing one into a failure.
	if w.Code >= 500 && !strings.Contains(w.Body.String(), "the request has no oldObject") {
		t.Fatalf("%s: HTTP %d: %.300s\n%.1000q", what, w.Code, w.Body, body)
	}
	return w.Code, w.Body.Bytes()
}

// verdict returns the response of a review that was answered, and nil for a call that failed. The answer must be one or
// the other.
func verdict(t *testing.T, what string, code int, content []byte) *admissionv1.AdmissionResponse {
	t.Helper()
	if code != http.StatusOK {
		var status metav1.Status
		if err := json.Unmarshal(content, &status); err != nil || status.Kind != "Status" || status.Code != int32(code) {
			t.Fatalf("%s: HTTP %d with %v: %.300s", what, code, err, content)
		}
		return nil
	}
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(content, &review); err != nil || review.Response == nil {
		t.Fatalf("%s: %v: %.300s", what, err, content)
	}
	return review.Response
}

// hostileObjects are objects that no type can hold, or that are expensive, with the verdict on them for the type every.
func hostileObjects() map[string]struct {
	object string
	denied bool
	bounds bounds
} {
	type hostile = struct {
		object string
		denied bool
		bounds bounds
	}
	quick := func(object string, denied bool, times int) hostile {
		return hostile{object, denied, bounds{20 * time.Second, uint64(times*len(object) + 1<<20)}}
	}
	many := func(n int, element string) string { return strings.TrimSuffix(strings.Repeat(element+",", n), ",") }
	var keys, same strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&keys, `"k%d":"v",`, i)
	}
	same.WriteString(strings.Repeat(`"labels":{},`, 200_000))
	long := strings.Repeat("x", 3<<20)
	return map[string]hostile{
		"a string":                          quick(`"x"`, true, 20),
		"a number":                          quick(`1`, true, 20),
		"an array":                          quick(`[]`, true, 20),
		"a number without end":              quick(`{"int64":`+strings.Repeat("9", 3<<20)+`}`, true, 20),
		"a number without end for any":      quick(`{"any":`+strings.Repeat("9", 3<<20)+`}`, true, 20),
		"an exponent without end":           quick(`{"float64":1e`+strings.Repeat("9", 3<<20)+`}`, true, 20),
		"a quantity without end":            quick(`{"quantity":"`+strings.Repeat("9", 3<<20)+`"}`, true, 40),
		"a huge exponent of a quantity":     quick(`{"quantity":"1e999999999"}`, true, 40),
		"a time without end":                quick(`{"time":"`+long+`"}`, true, 40),
		"a duration without end":            quick(`{"duration":"`+strings.Repeat("9", 3<<20)+`h"}`, true, 40),
		"a huge string":                     quick(`{"string":"`+long+`"}`, false, 20),
		"a huge string of escapes":          quick(`{"string":"`+strings.Repeat(`\u0000`, 500_000)+`"}`, false, 20),
		"a huge key":                        quick(`{"labels":{"`+long+`":"x"}}`, false, 20),
		"a huge key, twice":                 quick(`{"labels":{"`+long+`":"x","`+long+`":"x"}}`, true, 20),
		"a huge unknown key":                quick(`{"`+long+`":"x"}`, false, 20),
		"many keys":                         quick(`{"labels":{`+keys.String()+`"z":""}}`, false, 100),
		"many keys of any":                  quick(`{"any":{`+keys.String()+`"z":""}}`, false, 200),
		"many keys of a type of its own":    quick(`{"raw":{`+keys.String()+`"z":""}}`, false, 200),
		"many unknown keys":                 quick(`{`+keys.String()+`"z":""}`, false, 20),
		"a field many times":                quick(`{`+same.String()+`"z":""}`, true, 20),
		"nested arrays in any":              quick(`{"any":`+strings.Repeat("[", 9_000)+strings.Repeat("]", 9_000)+`}`, false, 500),
		"nested objects in any":             quick(`{"any":`+strings.Repeat(`{"a":`, 9_000)+"1"+strings.Repeat("}", 9_000)+`}`, false, 500),
		"nested objects in raw":             quick(`{"raw":`+strings.Repeat(`{"a":`, 9_000)+"1"+strings.Repeat("}", 9_000)+`}`, false, 500),
		"nested objects in an unknown key":  quick(`{"x":`+strings.Repeat(`{"a":`, 9_000)+"1"+strings.Repeat("}", 9_000)+`}`, false, 500),
		"base64 that is none":               quick(`{"bytes":"`+strings.Repeat("%", 3<<20)+`"}`, true, 20),
		"a list of wrong kinds":             quick(`{"strings":[`+many(500_000, `1`)+`]}`, true, 20),
		"a list of null":                    quick(`{"structs":[`+many(200_000, `null`)+`]}`, false, 100),
		"lists of lists":                    quick(`{"matrix":[`+many(500_000, `[]`)+`]}`, false, 100),
		"small structs":                     quick(`{"structs":[`+many(500_000, `{}`)+`]}`, false, 100),
		"pointers to structs":               quick(`{"pointers":[`+many(500_000, `{}`)+`]}`, false, 100),
		"empty structs":                     quick(`{"empties":[`+many(500_000, `{}`)+`]}`, false, 100),
		"empty objects in any":              quick(`{"any":[`+many(500_000, `{}`)+`]}`, false, 300),
		"empty arrays in any":               quick(`{"any":[`+many(500_000, `[]`)+`]}`, false, 300),
		"quantities":                        quick(`{"limits":{`+strings.ReplaceAll(keys.String(), `"v"`, `"1"`)+`"z":"1"}}`, false, 200),
		"annotations of all that there are": quick(`{"metadata":{"annotations":{`+keys.String()+`"z":""}}}`, false, 100),
	}
}

// TestHostileObjects sends objects that are expensive or do not fit. Each is answered with a verdict, in bounded time
// and memory.
func TestHostileObjects(t *testing.T) {
	validating := newDecoders[every]().object
	edited := admission.Mutating("every.example.com", admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[every]) error {
		r.Object.String += "!"
		return nil
	}))
	for name, hostile := range hostileObjects() {
		t.Run(name, func(t *testing.T) {
			body := reviews.Of(t, admissionv1.Create, metav1.GroupVersionKind{Kind: "Every"}, []byte(hostile.object), nil)
			code, content := answered(t, validating, name, body, hostile.bounds)
			got := verdict(t, name, code, content)
			if got == nil || got.Allowed == hostile.denied || hostile.denied && got.Result.Code != http.StatusBadRequest {
				t.Errorf("%.300s, denied should be %t", content, hostile.denied)
			}
			if got != nil && !got.Allowed && len(got.Result.Message) > 500 {
				t.Errorf("a message of %d bytes", len(got.Result.Message))
			}
			// A defaulter that changes something reads the object a second time. Its patch is bounded by the object.
			hostile.bounds.bytes *= 3
			code, content = answered(t, edited, name, body, hostile.bounds)
			if got := verdict(t, name, code, content); got == nil || got.Allowed == hostile.denied || len(got.Patch) > len(body)+1000 {
				t.Errorf("with a defaulter: %.300s", content)
			}
		})
	}
}

// TestHostileReviews damages reviews. For any body, the answer is a verdict or a call that failed by the fault of the
// caller.
func TestHostileReviews(t *testing.T) {
	h := ourValidator()
	whole := reviews.Of(t, admissionv1.Update, reviews.PodKind(), reviews.Pod, reviews.Pod)
	most := bounds{20 * time.Second, 20 << 20}
	if code, content := answered(t, h, "the review", whole, most); !verdict(t, "the review", code, content).Allowed {
		t.Fatalf("%s", content)
	}
	// A truncated body is not a review, and is never allowed.
	for i := range len(whole) - 1 {
		if i%7 > 0 && i > 500 && i < len(whole)-100 || whole[i] == '\n' && i == len(whole)-1 {
			continue
		}
		if w := send(t, h, whole[:i]); w.Code != http.StatusBadRequest {
			t.Fatalf("%d bytes of %d: HTTP %d: %s", i, len(whole), w.Code, w.Body)
		}
	}
	// Each member with another value, and twice.
	var review map[string]any
	if err := json.Unmarshal(whole, &review); err != nil {
		t.Fatal(err)
	}
	request := review["request"].(map[string]any)
	deep := json.RawMessage(strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000))
	for _, members := range []map[string]any{review, request} {
		for name, kept := range members {
			for _, other := range []any{nil, true, 1, 1e300, "x", "", []any{}, []any{map[string]any{}}, map[string]any{}, map[string]any{"a": 1}, strings.Repeat("x", 1<<20), deep} {
				members[name] = other
				var body []byte
				if text, ok := other.(json.RawMessage); ok { // deeper than encoding/json writes
					members[name] = "DEEP"
					body, _ = json.Marshal(review)
					body = []byte(strings.Replace(string(body), `"DEEP"`, string(text), 1))
				} else {
					body, _ = json.Marshal(review)
				}
				code, content := answered(t, h, name, body, bounds{20 * time.Second, 60 << 20})
				got := verdict(t, name, code, content)
				switch name {
				case "object", "oldObject", "options": // written by users: a verdict, unless it is missing or the body is not JSON
					if got == nil && other != nil && fmt.Sprintf("%T", other) != "json.RawMessage" {
						t.Errorf("%s %.50v: HTTP %d: %.300s", name, other, code, content)
					}
					if name != "options" && got != nil && got.Allowed && !reflect.DeepEqual(other, map[string]any{}) && !reflect.DeepEqual(other, map[string]any{"a": 1}) {
						t.Errorf("%s %.50v is allowed", name, other)
					}
				case "kind", "apiVersion", "uid", "operation", "request":
					if got != nil && got.Allowed && name != "uid" {
						t.Errorf("%s %.50v is allowed", name, other)
					}
				}
			}
			members[name] = kept
			body, _ := json.Marshal(review)
			value, _ := json.Marshal(kept)
			key := fmt.Sprintf(`"%s":%s`, name, value)
			body = []byte(strings.Replace(string(body), key, key+","+key, 1))
			if code, content := answered(t, h, name, body, most); slices.Contains([]string{"kind", "apiVersion", "request", "uid", "operation", "object", "oldObject", "options", "userInfo"}, name) {
				if got := verdict(t, name, code, content); got != nil && got.Allowed {
					t.Errorf("%s twice is allowed", name)
				}
			}
		}
	}
	// Random damage. A body that is not JSON is never allowed.
	var seen tally
	for seed := range seeds(t, 20000) {
		body := damaged(rand.New(rand.NewPCG(seed, 4)), whole)
		code, content := answered(t, h, fmt.Sprintf("ATTACKSEED=%d", seed), body, most)
		got := verdict(t, fmt.Sprintf("ATTACKSEED=%d", seed), code, content)
		switch {
		case got == nil:
			seen.broken++
		case got.Allowed:
			seen.allowed++
			if !json.Valid(body) {
				t.Fatalf("ATTACKSEED=%d: allowed, and no JSON:\n%s", seed, body)
			}
		default:
			seen.denied++
		}
	}
	t.Logf("at random: %d allowed, %d denied, %d no review", seen.allowed, seen.denied, seen.broken)
	if fixed() && min(seen.allowed, seen.denied, seen.broken) < 100 {
		t.Error("too few of a kind: the test sees nothing")
	}
}

// TestHostileConversions sends conversion reviews with values that do not fit, are expensive, or are not objects. The
// webhook answers every review with 200: all objects converted, or a failure with the reason.
func TestHostileConversions(t *testing.T) {
	h := lamps()
	lamp := func(rest string) string {
		return `{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"a"},` + rest + `}`
	}
	many := func(n int, element string) string { return strings.TrimSuffix(strings.Repeat(element+",", n), ",") }
	for name, objects := range map[string][]string{
		"no objects":             {`null`, `1`, `"x"`, `[]`, `{}`},
		"another kind":           {`{"apiVersion":"example.com/v1","kind":"Lamb","metadata":{"name":"a"}}`},
		"another version":        {`{"apiVersion":"example.com/v7","kind":"Lamp","metadata":{"name":"a"}}`},
		"no metadata":            {`{"apiVersion":"example.com/v1","kind":"Lamp"}`},
		"metadata of other kind": {`{"apiVersion":"example.com/v1","kind":"Lamp","metadata":[]}`, `{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"annotations":1}}`},
		"kind twice":             {`{"apiVersion":"example.com/v1","kind":"Lamp","kind":"Lamp","metadata":{"name":"a"}}`},
		"spec twice":             {lamp(`"spec":{},"spec":{}`)},
		"nested":                 {lamp(`"spec":` + strings.Repeat(`{"spec":`, 9_000) + "1" + strings.Repeat("}", 9_000))},
		"many members":           {lamp(`"spec":{"notes":{` + strings.Repeat(`"a":"b",`, 100_000) + `"z":""}}`)},
		"many bulbs":             {lamp(`"spec":{"bulbs":[` + many(300_000, `{}`) + `]}`)},
		"a huge string":          {lamp(`"spec":{"name":"` + strings.Repeat("x", 3<<20) + `"}`)},
		"a huge number":          {lamp(`"spec":{"watts":` + strings.Repeat("9", 3<<20) + `}`)},
		"wrong kinds":            {lamp(`"spec":{"watts":"x","name":1,"bulbs":{},"notes":[1]}`)},
		"bulbs of other kinds":   {lamp(`"spec":{"bulbs":[` + many(100_000, `1`) + `]}`)},
		"many objects":           slices.Repeat([]string{lamp(`"spec":{"watts":1}`)}, 5_000),
	} {
		t.Run(name, func(t *testing.T) {
			for _, desired := range []string{"v2", "v1", "v9", ""} {
				body := conversionReview(desired, objects...)
				code, content := answered(t, h, name, body, bounds{20 * time.Second, uint64(300*len(body) + 1<<20)})
				var got converted
				if err := json.Unmarshal(content, &got); err != nil || code != http.StatusOK || got.Response.UID != "u" {
					t.Fatalf("to %q: HTTP %d, %v: %.300s", desired, code, err, content)
				}
				result := got.Response.Result
				if ok := result.Status == metav1.StatusSuccess; ok != (len(got.Response.ConvertedObjects) == len(objects)) || !ok && len(got.Response.ConvertedObjects) > 0 {
					t.Errorf("to %q: %s with %d of %d objects", desired, result.Status, len(got.Response.ConvertedObjects), len(objects))
				} else if desired == "v9" && ok || len(result.Message) > 2000 {
					t.Errorf("to %q: %s, a message of %d bytes", desired, result.Status, len(result.Message))
				}
			}
		})
	}
}

// digest computes the digest of an annotation, as anybody can.
func digest(value any) string {
	text, _ := json.Marshal(value)
	h := fnv.New64a()
	_, _ = h.Write(text)
	return fmt.Sprintf("%016x", h.Sum64())
}

// annotation makes an annotation for a lamp of v1, of changes that are right, forged, or senseless.
func annotation(r *rand.Rand, lamp *lampV1) string {
	values := []any{"red", "white", "evil", 1, 10, 11, -1, 1000, 1001, true, nil, []any{}, map[string]any{}, map[string]any{"name": "b0", "hours": 5}, map[string]any{"privileged": true, "watts": 9}, "b0"}
	steps := []any{"spec", "status", "approved", "watts", "title", "name", "bulbs", "color", "level", "privileged", "hours", "extra", "notes", "metadata", "x", 0, -1, 1e9,
		map[string]any{"name": "b0"}, map[string]any{"name": "b1"}, map[string]any{"name": nil}, map[string]any{}, []any{}, nil, true, ""}
	paths := [][]any{{"spec", "watts"}, {"spec", "title"}, {"spec", "color"}, {"spec", "level"}, {"spec", "privileged"}, {"status", "approved"}, {"spec", "bulbs"}, {"spec", "notes"},
		{"spec", "notes", "a"}, {"spec", "bulbs", map[string]any{"name": "b0"}, "hours"}, {"spec", "bulbs", map[string]any{"name": "b1"}}, {"spec"}, {"status"}, {}}
	var changes []any
	for range r.IntN(6) {
		at := paths[r.IntN(len(paths))]
		if r.IntN(4) == 0 {
			at = nil
			for range r.IntN(5) {
				at = append(at, steps[r.IntN(len(steps))])
			}
		}
		change := map[string]any{"at": at}
		if r.IntN(3) > 0 {
			change["is"] = values[r.IntN(len(values))]
		}
		switch r.IntN(4) { // with the digest of the value there
		case 0:
			change["was"] = digest(values[r.IntN(len(values))])
		case 1:
			change["was"] = digest([]any{lamp.Spec.Watts, lamp.Spec.Name, lamp.Spec.Notes, lamp.Spec.Bulbs}[r.IntN(4)])
		}
		for _, key := range []string{"make", "order", "at", "x", "keys"} {
			if r.IntN(60) == 0 {
				change[key] = values[r.IntN(len(values))]
			}
		}
		changes = append(changes, change)
	}
	text, _ := json.Marshal(map[string]any{[]string{"v2", "v2", "v2", "v1", "x"}[r.IntN(5)]: changes})
	if r.IntN(4) == 0 && len(text) > 2 {
		text = damaged(r, text)
	}
	return string(text)
}

// TestHostileAnnotations sends annotations of every sort. For any annotation, the values of v1 are unchanged in v2,
// only members that the markers allow are restored, and the review is answered.
func TestHostileAnnotations(t *testing.T) {
	h := lamps()
	restored := 0
	for seed := range seeds(t, 20000) {
		r := rand.New(rand.NewPCG(seed, 5))
		lamp := &lampV1{TypeMeta: metav1.TypeMeta{APIVersion: "example.com/v1", Kind: "Lamp"}, ObjectMeta: metav1.ObjectMeta{Name: "a"}}
		lamp.Spec.Watts, lamp.Spec.Name = int64(r.IntN(3)), []string{"", "n", "evil"}[r.IntN(3)]
		for i := range r.IntN(3) {
			lamp.Spec.Bulbs = append(lamp.Spec.Bulbs, bulbV1{fmt.Sprint("b", i)})
		}
		if r.IntN(2) == 0 {
			lamp.Spec.Notes = map[string]string{"a": "b"}
		}
		lamp.Annotations = map[string]string{conversion.Annotation: annotation(r, lamp)}
		text, err := json.Marshal(lamp)
		if err != nil {
			t.Fatal(err)
		}
		w := send(t, h, conversionReview("v2", string(text)))
		var got converted
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK || len(got.Response.ConvertedObjects) != 1 {
			t.Fatalf("ATTACKSEED=%d: HTTP %d, %v: %s\n%s", seed, w.Code, err, w.Body, text)
		}
		var v2 lampV2
		if err := json.Unmarshal(got.Response.ConvertedObjects[0], &v2); err != nil {
			t.Fatalf("ATTACKSEED=%d: %v: %s", seed, err, got.Response.ConvertedObjects[0])
		}
		var back, want lampV1
		_ = lampToV1(context.Background(), &v2, &back)
		wantText, _ := json.Marshal(lamp.Spec)
		_ = json.Unmarshal(wantText, &want.Spec)
		if !reflect.DeepEqual(back.Spec, want.Spec) {
			t.Fatalf("ATTACKSEED=%d: the object says %+v, and then %+v\n%s", seed, want.Spec, back.Spec, text)
		}
		spec := v2.Spec
		if spec.Level < 0 || spec.Level > 10 || !slices.Contains([]string{"", "red", "white"}, spec.Color) ||
			slices.ContainsFunc(spec.Bulbs, func(b bulbV2) bool { return b.Hours > 1000 }) || v2.Name != "a" {
			t.Fatalf("ATTACKSEED=%d: restored what the markers do not allow: %+v\n%s", seed, v2, text)
		}
		if spec.Level > 0 || spec.Color != "" || spec.Privileged || v2.Status.Approved {
			restored++
		}
	}
	t.Logf("%d restored something", restored)
	if fixed() && restored < 50 {
		t.Error("too few restored anything: the test sees nothing")
	}
}
