// SPDX-License-Identifier: Apache-2.0

//go:build !race

package conversion

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/settings"
)

// gate and road are two versions of a kind whose lists functions of the user convert. The road has no notes, and the
// gate has no speeds.
type gate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec gateSpec `json:"spec"`
}

type gateSpec struct {
	Routes  []way    `json:"routes,omitempty"`
	Hosts   []string `json:"hosts,omitempty"`
	Plans   []plot   `json:"plans,omitempty"`
	Comment string   `json:"comment,omitempty"`
}

type way struct {
	Name   string            `json:"name"`
	Paths  []string          `json:"paths,omitempty"`
	Target string            `json:"target,omitempty"` // host:port
	Labels map[string]string `json:"labels,omitempty"`
	Weight *int32            `json:"weight,omitempty"`
	Note   *note             `json:"note,omitempty"`
}

type plot struct {
	From string `json:"from,omitempty"`
	Note string `json:"note,omitempty"`
}

type note struct {
	Author string `json:"author,omitempty"`
	Text   string `json:"text,omitempty"`
}

type road struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec roadSpec `json:"spec"`
}

type roadSpec struct {
	Lanes []lane   `json:"lanes,omitempty"`
	Hosts []string `json:"hosts,omitempty"`
	Plans []string `json:"plans,omitempty"`
	Speed *int32   `json:"speed,omitempty"`
}

type lane struct {
	Name    string            `json:"name"`
	Paths   []string          `json:"paths,omitempty"`
	Backend *backend          `json:"backend,omitempty"`
	Labels  map[string]string `json:"labels,omitempty"`
	Weight  *int32            `json:"weight,omitempty"`
}

type backend struct {
	Host string `json:"host,omitempty"`
	Port string `json:"port,omitempty"`
}

func copyOf[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}

func roadOf(_ context.Context, src *gate, dst *road) error {
	dst.ObjectMeta = *src.ObjectMeta.DeepCopy()
	dst.Spec.Hosts = append([]string(nil), src.Spec.Hosts...)
	for _, r := range src.Spec.Routes {
		l := lane{Name: r.Name, Paths: append([]string(nil), r.Paths...), Weight: copyOf(r.Weight)}
		if host, port, ok := strings.Cut(r.Target, ":"); ok {
			l.Backend = &backend{host, port}
		}
		for key, value := range r.Labels {
			put(&l.Labels, key, value)
		}
		dst.Spec.Lanes = append(dst.Spec.Lanes, l)
	}
	for _, p := range src.Spec.Plans {
		dst.Spec.Plans = append(dst.Spec.Plans, p.From)
	}
	return nil
}

func gateOf(_ context.Context, src *road, dst *gate) error {
	dst.ObjectMeta = *src.ObjectMeta.DeepCopy()
	dst.Spec.Hosts = append([]string(nil), src.Spec.Hosts...)
	for _, l := range src.Spec.Lanes {
		r := way{Name: l.Name, Paths: append([]string(nil), l.Paths...), Weight: copyOf(l.Weight)}
		if l.Backend != nil {
			r.Target = l.Backend.Host + ":" + l.Backend.Port
		}
		for key, value := range l.Labels {
			put(&r.Labels, key, value)
		}
		dst.Spec.Routes = append(dst.Spec.Routes, r)
	}
	for _, p := range src.Spec.Plans {
		dst.Spec.Plans = append(dst.Spec.Plans, plot{From: p})
	}
	return nil
}

var (
	gates = NewStash[gate]("v1", Schema{Members: map[string]Schema{"spec": {Members: map[string]Schema{
		"routes": {Keys: []string{"name"}, Custom: true}, "plans": {Custom: true}, "comment": {Custom: true}}}}})
	roads = NewStash[road]("v2", Schema{Members: map[string]Schema{"spec": {Members: map[string]Schema{
		"lanes": {Keys: []string{"name"}, Custom: true}, "plans": {Custom: true}}}}})
)

// newGate returns a gate whose notes the road does not have.
func newGate(notes bool) *gate {
	g := &gate{ObjectMeta: metav1.ObjectMeta{Name: "gate", Namespace: "default", Labels: map[string]string{"app": "shop"},
		Annotations: map[string]string{"example.com/a": "b"}}}
	g.Spec.Hosts = []string{"a.example.com", "b.example.com"}
	weight := int32(3)
	for i := range 16 {
		r := way{Name: fmt.Sprint("way-", i), Paths: []string{"/a", "/b"}, Target: "shop:80", Labels: map[string]string{"tier": "front", "zone": "a"}, Weight: &weight}
		if notes {
			r.Note = &note{"me", fmt.Sprint("the way ", i)}
		}
		g.Spec.Routes = append(g.Spec.Routes, r)
	}
	for i := range 8 {
		p := plot{From: fmt.Sprint("plan-", i)}
		if notes {
			p.Note = "a note"
		}
		g.Spec.Plans = append(g.Spec.Plans, p)
	}
	if notes {
		g.Spec.Comment = "by hand"
	}
	return g
}

// sent is an object as it arrives at another program.
func sent[T any](t testing.TB, object *T) *T {
	t.Helper()
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	arrived := new(T)
	if err := json.Unmarshal(text, arrived); err != nil {
		t.Fatal(err)
	}
	return arrived
}

// TestWorkOfKeptHookValues counts the allocations of conversions with functions of the user: with nothing to keep, they
// are at most twice as many as without an annotation, and with kept values at most five times as many. The race
// detector empties pools at random, and would decide what is allocated.
func TestWorkOfKeptHookValues(t *testing.T) {
	for _, test := range []struct {
		notes   bool
		trusted bool
		most    float64
	}{{false, false, 2}, {true, false, 5}, {true, true, 5}} {
		ctx := settings.With(t.Context(), settings.Conversion{Trusted: test.trusted})
		g, r := newGate(test.notes), new(road)
		there := func() error {
			*r = road{}
			if err := roadOf(ctx, g, r); err != nil {
				return err
			}
			return Exchange(ctx, g, r, gates, roads, gateOf)
		}
		if err := there(); err != nil {
			t.Fatal(err)
		}
		stored, back := sent(t, r), new(gate)
		and := func() error {
			*back = gate{}
			if err := gateOf(ctx, stored, back); err != nil {
				return err
			}
			return Exchange(ctx, stored, back, roads, gates, roadOf)
		}
		if err := and(); err != nil {
			t.Fatal(err)
		}
		if text, want := fmt.Sprint(string(body(t, back))), fmt.Sprint(string(body(t, g))); text != want {
			t.Errorf("comes back as %s, want %s", text, want)
		}
		for name, of := range map[string]struct{ ours, theirs func() error }{
			"there": {there, func() error { r = new(road); return roadOf(ctx, g, r) }},
			"back":  {and, func() error { back = new(gate); return gateOf(ctx, stored, back) }},
		} {
			ours, theirs := fewest(t, of.ours), fewest(t, of.theirs)
			t.Logf("%+v %s: %v allocations, and %v without an annotation: %.1f times", test, name, ours, theirs, ours/theirs)
			if ours > test.most*theirs {
				t.Errorf("%+v %s: %v allocations, and %v without an annotation", test, name, ours, theirs)
			}
		}
	}
}

func body(t testing.TB, object any) []byte {
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// fewest returns how many allocations a call makes. A garbage collection empties pools, too.
func fewest(t testing.TB, call func() error) float64 {
	count := math.Inf(1)
	for range 20 {
		count = min(count, testing.AllocsPerRun(1, func() {
			if err := call(); err != nil {
				t.Fatal(err)
			}
		}))
	}
	return count
}
