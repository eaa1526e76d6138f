// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/webhook-gen/webhook-gen/runtime/internal/serving"
)

// seen is an observer that keeps its observations.
type seen struct{ all []Observation }

func (s *seen) Observe(_ context.Context, o Observation) { s.all = append(s.all, o) }

// TestReadsSucceed reads lists with an object that does not fit the other version. All objects are read, and this
// object cannot be written back.
func TestReadsSucceed(t *testing.T) {
	fine := `{"apiVersion":"example.com/v2","kind":"Lamp","metadata":{"name":"fine"},"spec":{"watts":60,"color":"red"}}`
	large := strings.Repeat("x", maxAnnotations)
	for _, tc := range []struct{ name, object, want, refused string }{
		{"a value that does not fit the Go type", `"metadata":{"name":"a"},"spec":{"watts":"many","color":"red"}`,
			`"metadata":{"name":"a","annotations":{"webhook-gen.github.io/conversion":"{\"v2\":[{\"cut\":1,\"path\":\"spec.watts\",\"is\":\"many\"},{\"at\":[\"spec\",\"color\"],\"is\":\"red\"}]}"}},"spec":{}`,
			"a: 1 values of v2 do not fit this version or its annotation"},
		{"a value that does not fit the other version", `"metadata":{"name":"a"},"spec":{"watts":9999999999}`,
			`"metadata":{"name":"a","annotations":{"webhook-gen.github.io/conversion":"{\"v2\":[{\"at\":[\"spec\",\"watts\"],\"is\":9999999999}]}"}},"spec":{}`, ""},
		{"a value that does not fit the annotation", `"metadata":{"name":"a"},"spec":{"watts":1,"color":"` + large + `"}`,
			`"metadata":{"name":"a","annotations":{"webhook-gen.github.io/conversion":"{\"v2\":[{\"cut\":1}]}"}},"spec":{"watts":"1"}`,
			"a: 1 values of v2 do not fit this version or its annotation"},
		{"annotations without room", `"metadata":{"name":"a","annotations":{"x":"` + large[:maxAnnotations-10] + `"}},"spec":{"watts":1,"color":"red"}`,
			`"metadata":{"name":"a","annotations":{"x":"` + large[:maxAnnotations-10] + `"}},"spec":{"watts":"1"}`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var o seen
			h := NewHandler(Serve(wide("v1", lampSame)), Observe(&o))
			a := answerOf(t, call(h, reviewOf("example.com/v1", fine, `{"apiVersion":"example.com/v2","kind":"Lamp",`+tc.object+`}`)))
			if a.Response.Result.Status != "Success" || len(a.Response.ConvertedObjects) != 2 {
				t.Fatalf("%+v", a.Response.Result)
			}
			read := string(a.Response.ConvertedObjects[1])
			if want := `{"kind":"Lamp","apiVersion":"example.com/v1",` + tc.want + `,"status":{"on":false}}`; read != want && strings.Replace(want, `,"status":{"on":false}`, "", 1) != read {
				t.Errorf("got  %.600s\nwant %.600s", read, want)
			}
			if o.all[0].LeftOut != 1 {
				t.Errorf("%d objects are seen to lack something, want 1", o.all[0].LeftOut)
			}
			a = answerOf(t, call(h, reviewOf("example.com/v2", read)))
			switch {
			case tc.refused == "" && a.Response.Result.Status != "Success", tc.refused != "" && !strings.Contains(a.Response.Result.Message, tc.refused):
				t.Errorf("written back: %s %.300s, want %q", a.Response.Result.Status, a.Response.Result.Message, tc.refused)
			case tc.refused == "" && tc.name != "annotations without room" && !sameJSON(string(a.Response.ConvertedObjects[0]), `{"apiVersion":"example.com/v2","kind":"Lamp",`+tc.object+`}`):
				t.Errorf("written back it is %s", a.Response.ConvertedObjects[0])
			}
		})
	}
}

// TestUndecodableElements checks that only values that do not fit are left out of lists and maps.
func TestUndecodableElements(t *testing.T) {
	h := NewHandler(Serve(Between("example.com", "Job", "v1alpha1", "v1", toStable, toAlpha, Same{"metadata": nil})))
	w := call(h, reviewOf("example.com/v1alpha1", `{"apiVersion":"example.com/v1","kind":"Job","metadata":{"name":"a"},"spec":{"image":"i","tasks":[{"name":"x","retries":"often"},7,{"name":"z","retries":3}]},"status":[]}`))
	if w.Code != http.StatusOK {
		t.Fatal(w.Body)
	}
	a := answerOf(t, w)
	if len(a.Response.ConvertedObjects) != 1 {
		t.Fatal(a.Response.Result.Message)
	}
	var read alpha
	if err := json.Unmarshal(a.Response.ConvertedObjects[0], &read); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(read.Spec), "{i  [{x} {} {z}]}"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, want := range []string{`{"cut":1,"path":"spec.tasks[0].retries","is":"often"}`, `{"cut":1,"path":"spec.tasks[1]","is":7}`, `{"cut":1,"path":"status","is":[]}`} {
		if !strings.Contains(read.Annotations[Annotation], want) {
			t.Errorf("the annotation %s lacks %s", read.Annotations[Annotation], want)
		}
	}
}

// TestStoredSpoke has objects stored in the version of a spoke. Conversions from that version are reads, and
// conversions from the hub's version are not.
func TestStoredSpoke(t *testing.T) {
	spoke := `{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"a"},"spec":{"watts":[]}}`
	hub := `{"apiVersion":"example.com/v2","kind":"Lamp","metadata":{"name":"a"},"spec":{"watts":[]}}`
	for _, tc := range []struct {
		name                  string
		conversions           []Conversion
		readsSpoke, readsHubs bool
	}{
		{"the hub", []Conversion{wide("v1", lampSame), wide("v0", lampSame)}, false, true},
		{"a spoke", []Conversion{wide("v1", lampSame).Stored(), wide("v0", lampSame)}, true, false},
		{"a spoke that is served last", []Conversion{wide("v0", lampSame), wide("v1", lampSame).Stored()}, true, false},
	} {
		h := NewHandler(Serve(tc.conversions...))
		for _, way := range []struct {
			object, desired string
			reads           bool
		}{{spoke, "v2", tc.readsSpoke}, {spoke, "v0", tc.readsSpoke}, {hub, "v1", tc.readsHubs}} {
			if _, failure := converting(t, h, way.desired, way.object); (failure == "") != way.reads {
				t.Errorf("stored is %s: %s to %s: %q, want success: %v", tc.name, way.object, way.desired, failure, way.reads)
			}
		}
	}
}

// TestLog has failures and values left out in a logger of the user's, and nothing in the default one.
func TestLog(t *testing.T) {
	var usual, own bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&usual, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	log := slog.New(slog.NewTextHandler(&own, nil))
	failing := NewHandler(Log(log), Serve(Between("example.com", "Lamp", "v1", "v2", func(context.Context, *lamp[textSpec], *lamp[numberSpec]) error {
		return errors.New("no watts")
	}, lampFromHub, lampSame)))
	converting(t, failing, "v2", `{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"a"}}`)
	call(failing, "no review")
	reading := NewHandler(Log(log), Serve(Between("example.com", "Job", "v1alpha1", "v1", toStable, toAlpha, Same{"metadata": nil})))
	call(reading, reviewOf("example.com/v1alpha1", `{"apiVersion":"example.com/v1","kind":"Job","metadata":{"name":"a"},"status":[]}`))
	for _, want := range []string{"no watts", "calls that are no conversion reviews failed", "converted without values that do not fit"} {
		if strings.Count(own.String(), want) != 1 {
			t.Errorf("the log has %q %d times: %s", want, strings.Count(own.String(), want), own.String())
		}
	}
	if usual.Len() > 0 {
		t.Errorf("the default logger has %s", usual.String())
	}
}

// TestFailuresAreCounted makes conversions fail, by a panic and by an error. The first failure of each is logged, and
// then one a minute.
func TestFailuresAreCounted(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var o seen
	h := NewHandler(Observe(&o), Serve(Between("example.com", "Lamp", "v1", "v2", func(_ context.Context, src *lamp[textSpec], _ *lamp[numberSpec]) error {
		if src.Spec.Watts == "panic" {
			panic("no way")
		}
		return errors.New("no watts")
	}, lampFromHub, lampSame)))
	h.observers[0].(*failureLog).failed.Now = func() time.Time { return now }
	for i, want := range []string{"times=1", "times=50"} { // intervals
		log.Reset()
		for range 50 {
			for _, watts := range []string{"panic", "1"} {
				converting(t, h, "v2", `{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"a"},"spec":{"watts":"`+watts+`"}}`)
			}
		}
		got := log.String()
		if strings.Count(got, "\n") != 2 || strings.Count(got, want) != 2 || strings.Count(got, "no watts") != 1 || strings.Count(got, "stack=") != 1 {
			t.Errorf("interval %d: want 2 lines with %s: %.6000s", i, want, got)
		}
		now = now.Add(serving.TallyInterval)
	}
	if len(o.all) != 200 {
		t.Errorf("%d of 200 failures are observed", len(o.all))
	}
}
