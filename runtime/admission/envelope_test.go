// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	kjson "k8s.io/apimachinery/pkg/util/json"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// createReview is a review as the API server writes it.
const createReview = `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"705ab4f5-6393-11e8-b7cc-42010a800002",` +
	`"kind":{"group":"autoscaling","version":"v1","kind":"Scale"},"resource":{"group":"apps","version":"v1","resource":"deployments"},` +
	`"subResource":"scale","requestKind":{"group":"autoscaling","version":"v1","kind":"Scale"},` +
	`"requestResource":{"group":"apps","version":"v1","resource":"deployments"},"requestSubResource":"scale","name":"web",` +
	`"namespace":"shop","operation":"UPDATE","userInfo":{"username":"admin","uid":"u-1","groups":["system:authenticated"],` +
	`"extra":{"scopes":["a","b"]}},"object":{"kind":"Scale","spec":{"replicas":3}},"oldObject":{"kind":"Scale","spec":{"replicas":1}},` +
	`"dryRun":true,"options":{"kind":"UpdateOptions","apiVersion":"meta.k8s.io/v1","fieldManager":"kubectl"}}}` + "\n"

var envelopes = []string{
	createReview,
	`{}`, `null`, `[]`, ``, ` `, `x`, `{"request":{}}`, `{"request":null}`, `{"request":[]}`, `{"request":"x"}`,
	`{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview","request":{"uid":"\u0041\n","object":null,"dryRun":null}}`,
	` { "kind" : "AdmissionReview" , "apiVersion" : "admission.k8s.io/v1" , "request" : { "uid" : "x" , "object" : { "a" : [ 1 , { } ] } } } `,
	`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","Request":{"uid":"y"},"request":{"UID":"y","uid":"x"}}`,
	`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"x","uid":"y"}}`,
	`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"x"},"request":{"uid":"y"}}`,
	`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","r\u0065quest":{"uid":"x","\u006fbject":{"a":1}}}`,
	`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"x"}} x`,
	`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":1}}`,
	`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"x","dryRun":"yes"}}`,
	`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"x","userInfo":{"groups":[1]}}}`,
	`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"x","object":{"a":01}}}`,
	`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"x","object":{"a":"` + "\x01" + `"}}}`,
	`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"x","object":{"a":"\x"}}}`,
	`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"x","object":[1,2,]}}`,
	`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"x","object":{"a":1,}}}`,
	`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"x","object":-}}`,
	`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"x","object":1.e1}}`,
	`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"x","object":[-0.5e+10,0,-1,1E5]}}`,
	`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"x","object":nul}}`,
}

// TestEnvelopeGrammar compares the scanner with json.Valid, for every byte of every input and for every prefix.
func TestEnvelopeGrammar(t *testing.T) {
	for _, body := range envelopes {
		for end := range len(body) + 1 {
			valid(t, []byte(body[:end]))
		}
	}
}

// TestEnvelopeLevels nests objects and arrays in one another, to depths around a full word of levels. It closes one
// level in a wrong way or not at all.
func TestEnvelopeLevels(t *testing.T) {
	for _, depth := range []int{1, 2, 61, 62, 63, 64, 65, 124, 125, 126, 127, 200} {
		var open string
		closers := make([]byte, depth)
		for level := range depth {
			if level%3 == 0 {
				open, closers[depth-1-level] = open+`[0,`, ']'
			} else {
				open, closers[depth-1-level] = open+`{"a":1,"b":`, '}'
			}
		}
		valid(t, []byte(open+`2`+string(closers)))
		valid(t, []byte(open+`{ } `+string(closers)+" "))
		for i := range closers {
			wrong := slices.Clone(closers)
			wrong[i] ^= ']' ^ '}'
			valid(t, []byte(open+`[]`+string(wrong)))
			valid(t, []byte(open+`"x"`+string(closers[:i])))
			valid(t, []byte(open+`"x"`+string(closers[:i])+`,3`+string(closers[i:])))
			valid(t, []byte(open+`"x"`+string(closers[:i])+`,"k":3`+string(closers[i:])))
		}
	}
}

// valid checks that the scanner accepts src if it is JSON, and that the quick functions find their way in it.
func valid(t *testing.T, src []byte) {
	t.Helper()
	end := wire.ScanAll(src, func(i int) int { return wire.ScanValue(src, i, wire.MaxDepth) })
	if got, want := end >= 0, json.Valid(src); got != want {
		t.Fatalf("%q: accepted is %v, json.Valid is %v", src, got, want)
	}
	if start := wire.Space(src, 0); end >= 0 {
		if got, want := wire.Skip(src, start), wire.ScanValue(src, start, wire.MaxDepth); got != want {
			t.Fatalf("%q: skip ends at %d, scan at %d", src, got, want)
		}
		if got, err := wire.Unique(src, start); err == nil && got != wire.Skip(src, start) {
			t.Fatalf("%q: unique ends at %d, skip at %d", src, got, wire.Skip(src, start))
		}
	}
}

func TestEnvelopeDepth(t *testing.T) {
	nested := func(part string, depth int) []byte {
		return []byte(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"x","` + part + `":` +
			strings.Repeat(`[`, depth) + strings.Repeat(`]`, depth) + `}}`)
	}
	for _, part := range []string{"object", "oldObject", "options", "other"} {
		deepest := wire.MaxDepth
		if part == "other" {
			deepest -= 2 // the review and the request
		}
		for _, depth := range []int{100, deepest, deepest + 1} {
			sameEnvelope(t, nested(part, depth))
		}
		var c call
		if c.body = nested(part, deepest); c.open() != nil {
			t.Errorf("the deepest %s is refused", part)
		}
		if c.body = nested(part, deepest+1); c.open() == nil {
			t.Errorf("a deeper %s is accepted", part)
		}
	}
}

// sameEnvelope checks that the review is read as sigs.k8s.io/json reads it. An accepted review has the same members. A
// refused review is also refused there, is not a review, or has a key twice.
func sameEnvelope(t *testing.T, body []byte) {
	t.Helper()
	var c call
	c.body = body
	err := c.open()
	var want admissionv1.AdmissionReview
	wantErr := kjson.Unmarshal(body, &want)
	if err != nil {
		isReview := wantErr == nil && want.Kind == "AdmissionReview" && want.Request != nil &&
			(want.APIVersion == "admission.k8s.io/v1" || want.APIVersion == "admission.k8s.io/v1beta1")
		if isReview && !strings.Contains(err.Error(), "stands twice") {
			t.Fatalf("%.300q: refused with %v", body, err)
		}
		return
	}
	if wantErr != nil && strings.Contains(wantErr.Error(), "exceeded max depth") {
		return // Objects may nest as deep in a review as they may outside of one.
	}
	if wantErr != nil {
		// Options and objects are decoded when a function needs them, and only then can they be wrong.
		t.Fatalf("%.300q: accepted, sigs.k8s.io/json says %v", body, wantErr)
	}
	if want.Request.RequestKind == nil {
		want.Request.RequestKind = &want.Request.Kind
	}
	if want.Request.RequestResource == nil {
		want.Request.RequestResource = &want.Request.Resource
		want.Request.RequestSubResource = want.Request.SubResource
	}
	if want.Request.DryRun == nil {
		want.Request.DryRun = new(bool)
	}
	if got := c.head.AdmissionRequest(); !reflect.DeepEqual(&got, want.Request) {
		t.Fatalf("%q:\n got %+v\nwant %+v", body, got, *want.Request)
	}
}

func TestEnvelopeAgreesWithSigsJSON(t *testing.T) {
	for _, body := range envelopes {
		sameEnvelope(t, []byte(body))
	}
}

func FuzzEnvelope(f *testing.F) {
	for _, body := range envelopes {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		valid(t, body)
		sameEnvelope(t, body)
	})
}
