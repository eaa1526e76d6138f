// Package conversiontest holds the conversions of a kind to what must be true of all conversions,
// on objects that are filled at random.
package conversiontest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/templates/conversion"
)

// Kind is a spoke and its hub with the functions between them.
type Kind[S, H any] struct {
	ToHub   func(ctx context.Context, src *S, dst *H) error
	FromHub func(ctx context.Context, src *H, dst *S) error
	// Spoke and Hub, where they are set, make an object that was filled at random one that the API
	// server would take: values of enums, text in a format.
	Spoke func(*S, *rand.Rand)
	Hub   func(*H, *rand.Rand)
	// Dropped are the fields that markers give up, as paths in JSON names: "status.phase".
	Dropped []string
	// Annotations are the keys of those that your own functions read and write, and that are no user's.
	Annotations []string
}

// Via makes a conversion between two spokes of those to and from their hub, which is what an API server
// asks for. Check holds such pairs to the same rules.
func Via[A, H, B any](toHub func(context.Context, *A, *H) error, fromHub func(context.Context, *H, *B) error) func(context.Context, *A, *B) error {
	return func(ctx context.Context, src *A, dst *B) error {
		var hub H
		if err := toHub(ctx, src, &hub); err != nil {
			return err
		}
		return fromHub(ctx, &hub, dst)
	}
}

// rounds is how many objects of each density a check looks at.
const rounds = 20

// Check holds the conversions to these rules, in both directions:
//
//   - An object that is converted and converted back is as it was, but for what is dropped.
//   - An edit between the two survives, whatever an annotation had kept.
//   - The input is not changed, and shares no memory with the result.
//   - An empty object stays one: nothing is invented.
//   - Lists may be turned round between the two.
//   - Converting again changes nothing more, to the byte.
//   - An annotation of ours that is broken or not ours is no error, and the user's annotations stay.
//   - Metadata stays what it was, as the API server requires of conversion webhooks.
func Check[S, H any](t *testing.T, k Kind[S, H]) {
	t.Run("from the spoke", func(t *testing.T) {
		check(t, way[S, H]{k.ToHub, k.FromHub, k.Spoke, k.Dropped, k.Annotations})
	})
	t.Run("from the hub", func(t *testing.T) {
		check(t, way[H, S]{k.FromHub, k.ToHub, k.Hub, k.Dropped, k.Annotations})
	})
}

// way is a direction.
type way[A, B any] struct {
	there       func(ctx context.Context, src *A, dst *B) error
	back        func(ctx context.Context, src *B, dst *A) error
	repair      func(*A, *rand.Rand)
	dropped     []string
	annotations []string
}

func check[A, B any](t *testing.T, w way[A, B]) {
	for _, density := range []int{0, 1, 2, 4} {
		for seed := range uint64(rounds) {
			name := fmt.Sprintf("elements=%d seed=%d", density, seed)
			a := w.filled(seed, density)
			w.roundTrip(t, name, a)
			w.edit(t, name, a, w.filled(seed+rounds, density))
			w.turned(t, name, a)
			w.independent(t, name, a)
			if seed < 2 {
				w.broken(t, name, a)
			}
			if t.Failed() {
				return
			}
		}
	}
	w.empty(t)
}

func (w way[A, B]) filled(seed uint64, density int) *A {
	a := new(A)
	random := rand.New(rand.NewPCG(seed, uint64(density)))
	(&filler{random: random, elements: density, inside: map[reflect.Type]int{}}).object(a)
	if w.repair != nil {
		w.repair(a, random)
	}
	return wire(a)
}

// wire is an object as it arrives when it is sent: what JSON does not tell apart is the same.
func wire[T any](o *T) *T {
	arrived := new(T)
	if err := json.Unmarshal([]byte(text(o)), arrived); err != nil {
		return o // which the comparisons then show
	}
	return arrived
}

func (w way[A, B]) convert(t *testing.T, name string, a *A) *B {
	t.Helper()
	b := new(B)
	if err := w.there(context.Background(), a, b); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text(a))
	}
	return wire(b)
}

func (w way[A, B]) returned(t *testing.T, name string, b *B) *A {
	t.Helper()
	a := new(A)
	if err := w.back(context.Background(), b, a); err != nil {
		t.Fatalf("%s, on the way back: %v\n%s", name, err, text(b))
	}
	return wire(a)
}

func (w way[A, B]) roundTrip(t *testing.T, name string, a *A) {
	t.Helper()
	b := w.convert(t, name, a)
	once := w.returned(t, name, b)
	w.same(t, name+": there and back", a, once)
	again := w.convert(t, name, once)
	if len(w.dropped) == 0 && text(b) != text(again) {
		t.Errorf("%s: converting again gives something else\nfirst  %s\nsecond %s", name, text(b), text(again))
	}
	w.metadata(t, name, a, b)
}

// edit exchanges all of the converted object but its metadata for what another object says.
func (w way[A, B]) edit(t *testing.T, name string, a, other *A) {
	t.Helper()
	b := w.convert(t, name, a)
	edited := w.convert(t, name, other)
	object(edited).SetAnnotations(object(b).GetAnnotations())
	object(edited).SetLabels(object(b).GetLabels())
	w.survives(t, name+": edited", edited)
}

// turned turns every list of the converted object round.
func (w way[A, B]) turned(t *testing.T, name string, a *A) {
	t.Helper()
	b := w.convert(t, name, a)
	turn(b)
	w.survives(t, name+": lists turned round", b)
}

// survives holds that what an object says is there after it has been the other version once.
func (w way[A, B]) survives(t *testing.T, name string, b *B) {
	t.Helper()
	a := w.returned(t, name, b)
	c := w.convert(t, name, a)
	w.dropThere().same(t, name, b, c)
}

func (w way[A, B]) dropThere() way[B, A] {
	return way[B, A]{there: w.back, back: w.there, dropped: w.dropped, annotations: w.annotations}
}

func (w way[A, B]) independent(t *testing.T, name string, a *A) {
	t.Helper()
	before := text(a)
	b := new(B)
	if err := w.there(context.Background(), a, b); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, before)
	}
	if after := text(a); after != before {
		t.Errorf("%s: the input was changed\nbefore %s\nafter  %s", name, before, after)
	}
	scribble(b)
	if after := text(a); after != before {
		t.Errorf("%s: the result shares memory with the input\nbefore %s\nafter  %s", name, before, after)
	}
}

func (w way[A, B]) broken(t *testing.T, name string, a *A) {
	t.Helper()
	for _, stash := range []string{"", "{", "null", "[1]", `{"v0":[{"at":["spec"]}]}`, `{"v1":[{"at":[1,{"a":null}],"is":{}}],"v2":[{"at":[]}],"v1beta1":null}`} {
		marked := w.returned(t, name, w.convert(t, name, a))
		annotations := maps.Clone(object(marked).GetAnnotations())
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[conversion.Annotation] = stash
		object(marked).SetAnnotations(annotations)
		w.same(t, fmt.Sprintf("%s: with the annotation %q", name, stash), a, w.returned(t, name, w.convert(t, name, marked)))
	}
}

// empty converts an object without a name, as server-side apply does with the part of one that a manager owns.
func (w way[A, B]) empty(t *testing.T) {
	t.Helper()
	b := w.convert(t, "empty", new(A))
	if got, want := body(b, nil), body(new(B), nil); got != want {
		t.Errorf("an empty object becomes %s, where nothing set is %s", got, want)
	}
	if len(object(b).GetAnnotations()) > 0 {
		t.Errorf("an object without a name gets annotations: %v", object(b).GetAnnotations())
	}
}

// same compares what two objects say, what is dropped aside.
func (w way[A, B]) same(t *testing.T, name string, want, got *A) {
	t.Helper()
	if a, b := body(want, w.dropped), body(got, w.dropped); a != b {
		t.Errorf("%s\nwant %s\ngot  %s", name, a, b)
	}
	if a, b := w.users(object(want)), w.users(object(got)); !maps.Equal(a, b) {
		t.Errorf("%s: annotations\nwant %v\ngot  %v", name, a, b)
	}
}

// metadata holds what the API server checks of a conversion webhook's answer
// (k8s.io/apiextensions-apiserver/pkg/apiserver/conversion, validateConvertedObject).
func (w way[A, B]) metadata(t *testing.T, name string, from, to any) {
	t.Helper()
	t.Helper()
	a, b := object(from), object(to)
	if a.GetName() != b.GetName() || a.GetNamespace() != b.GetNamespace() || a.GetUID() != b.GetUID() || !maps.Equal(a.GetLabels(), b.GetLabels()) {
		t.Errorf("%s: metadata changed\nfrom %s\nto   %s", name, text(from), text(to))
	}
	if x, y := w.users(a), w.users(b); !maps.Equal(x, y) {
		t.Errorf("%s: annotations changed from %v to %v", name, x, y)
	}
}

func object(o any) metav1.Object { return o.(metav1.Object) }

// users are an object's annotations without ours and those of your functions.
func (w way[A, B]) users(o metav1.Object) map[string]string {
	kept := map[string]string{}
	for key, value := range o.GetAnnotations() {
		if key != conversion.Annotation && !slices.Contains(w.annotations, key) {
			kept[key] = value
		}
	}
	return kept
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// body is an object in JSON without type, metadata and what is dropped.
func body(v any, dropped []string) string {
	var members map[string]any
	decoder := json.NewDecoder(bytes.NewReader([]byte(text(v))))
	decoder.UseNumber()
	if err := decoder.Decode(&members); err != nil {
		return err.Error()
	}
	for _, path := range append([]string{"apiVersion", "kind", "metadata"}, dropped...) {
		remove(members, strings.Split(path, "."))
	}
	return text(members)
}

func remove(v any, path []string) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			remove(e, path)
		}
	case map[string]any:
		if len(path) == 1 {
			delete(v, path[0])
			return
		}
		remove(v[path[0]], path[1:])
	}
}
