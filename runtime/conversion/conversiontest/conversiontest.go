// SPDX-License-Identifier: Apache-2.0

// Package conversiontest checks the conversions of a kind on objects that are filled at random.
// These are the invariants that must hold; a failure gives the number of the broken invariant.
//
//  1. Converting there and back gives the same object, except for dropped fields.
//  2. An edit in between wins, and everything that it does not touch is restored.
//  3. The input is not changed, and shares no memory with the result.
//  4. A partial object, as server-side apply converts it, converts without an error, and nothing is added
//     to the result.
//  5. Elements of lists may be reordered, inserted and removed in between: no element gets the values of
//     another one.
//  6. Converting again changes nothing more, byte for byte.
//  7. A value is never converted to a wrong one, be it a constant of an enum, a number at the bounds
//     of its type or text that contains separators: if the other version has no right value, there
//     is an error.
//  8. Nil, empty and zero stay distinct if both versions can tell them apart.
//  9. Every field is converted: only the fields in Kind.Kept may come back by the annotation alone.
//  10. The annotation is bounded. A broken or foreign annotation is not an error, values from an older
//     program are restored, and the user's annotations stay.
//  11. The result is valid for an API server: the kind in the other version, with the same metadata.
//  12. An annotation from somebody else alters none of the object's own values: converted back, the
//     object is as it is without the annotation.
//  13. No value changes if an API server prunes the result and sets defaults by the schemas in Kind.Schemas. If the
//     schema of one version accepts an object, the schema of the other accepts the result.
//
// Via makes a pair of spokes, to which the same invariants apply.
package conversiontest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
	"github.com/webhook-gen/webhook-gen/runtime/internal/settings"
)

// Kind is a spoke and its hub with the functions between them.
type Kind[S, H any] struct {
	// ToHub and FromHub are the generated conversions.
	ToHub   func(ctx context.Context, src *S, dst *H) error
	FromHub func(ctx context.Context, src *H, dst *S) error
	// Spoke and Hub, if set, change an object that was filled at random into one that the API server accepts: values of
	// enums, text in a format, one of two fields.
	Spoke func(*S, *rand.Rand)
	Hub   func(*H, *rand.Rand)
	// Dropped are the fields that are lost because of a marker, as paths in JSON names: "status.phase". A path leads
	// through lists: "spec.items.phase" is a field of each element.
	Dropped []string
	// Kept are the fields of either version that the conversion itself loses wholly or in part, so that the annotation
	// has to keep them. They are paths as in Dropped. All other fields must come back without the annotation.
	Kept []string
	// Defaults are the fields of either version that get a value from markers or from your functions if the other
	// version has none.
	Defaults []string
	// Replaced are fields of either version whose zero value a default replaces, because JSON leaves it out, or because
	// a marker sets the default.
	Replaced []string
	// Refused are fields of either version whose schema may refuse values of the other version that its schema accepts.
	// The paths are as in Dropped; "" is for all fields.
	Refused []string
	// Schemas are the schemas of the versions by name, from [ReadSchemas] or [SchemaOf].
	Schemas map[string]Schema
	// Entries are the keys of annotations and labels that the conversion itself reads and writes, and that do not
	// belong to the user.
	Entries []string
	// Source is the function that returns the Kind; nil if unknown. A failure has its position.
	Source any
}

// Via makes a conversion between two spokes, from the conversions to their hub and from it. Check applies the same
// invariants to such a pair.
func Via[A, H, B any](toHub func(context.Context, *A, *H) error, fromHub func(context.Context, *H, *B) error) func(context.Context, *A, *B) error {
	return func(ctx context.Context, src *A, dst *B) error {
		var hub H
		if err := toHub(ctx, src, &hub); err != nil {
			return err
		}
		return fromHub(ctx, &hub, dst)
	}
}

// Check checks the invariants in both directions, on the same objects in every run. A failure shows the smallest object
// found that breaks the invariant. The directions are checked at the same time, as a server converts objects: functions
// must not share memory without a lock.
func Check[S, H any](t *testing.T, k Kind[S, H]) {
	t.Helper()
	from := ""
	for _, f := range k.failures() {
		text := f.String()
		if f.from == from {
			text = f.short() // one mistake often breaks many invariants
		}
		from = f.from
		failure.Report(t, failure.OfFunc(k.Source), text)
	}
}

func (k Kind[S, H]) failures() []finding {
	toHub, fromHub := k.ways()
	var back []finding
	done := make(chan struct{})
	go func() {
		defer close(done)
		back = fromHub.failures()
	}()
	there := toHub.failures()
	<-done
	return append(there, back...)
}

func (k Kind[S, H]) ways() (way[S, H], way[H, S]) {
	return way[S, H]{"the spoke", k.ToHub, k.FromHub, k.Spoke, k.Hub, k.Dropped, k.Kept, k.Defaults, k.Replaced, k.Refused, k.Entries, k.Schemas},
		way[H, S]{"the hub", k.FromHub, k.ToHub, k.Hub, k.Spoke, k.Dropped, k.Kept, k.Defaults, k.Replaced, k.Refused, k.Entries, k.Schemas}
}

// finding is an invariant that does not hold.
type finding struct {
	invariant int // zero if the object itself cannot be written
	from      string
	err       error
	input     string
}

func (f finding) String() string {
	if f.invariant == 0 {
		return fmt.Sprintf("the object filled at random from %s cannot be written: %v\nlet the function Spoke or Hub of the Kind make it an object that the type takes", f.from, f.err)
	}
	return fmt.Sprintf("invariant %d does not hold from %s: %v\nthe smallest object:\n%s", f.invariant, f.from, f.err, failure.YAML([]byte(f.input)))
}

// short returns a line for a finding behind others.
func (f finding) short() string {
	const most = 240
	line, _, _ := strings.Cut(f.String(), "\n")
	if len(line) > most {
		line = strings.ToValidUTF8(line[:most], "") + "…"
	}
	return line
}

// way is a direction.
type way[A, B any] struct {
	from          string
	there         conversionOf[A, B]
	back          conversionOf[B, A]
	repair        func(*A, *rand.Rand)
	repairOther   func(*B, *rand.Rand)
	dropped, kept []string
	defaults      []string
	replaced      []string
	refused       []string
	entries       []string
	schemas       map[string]Schema
}

// conversionOf is a function between two versions.
type conversionOf[X, Y any] func(ctx context.Context, src *X, dst *Y) error

// rounds is how many objects of each filling an invariant is checked with.
const rounds = 6

func (w way[A, B]) failures() []finding {
	var found []finding
	tries := 1000 // to make failing objects smaller
	for _, i := range w.invariants() {
		if f, failed := w.first(i, &tries); failed {
			found = append(found, f)
			if f.invariant == 0 {
				break
			}
		}
	}
	return found
}

// first returns an invariant's first failure, with the smallest object that shows it.
func (w way[A, B]) first(i invariant[A], tries *int) (finding, bool) {
	for _, how := range i.fillings {
		for seed := range uint64(rounds) {
			a := w.filled(seed, how)
			written, err := json.Marshal(a)
			if err != nil {
				return finding{from: w.from, err: err}, true
			}
			if err := i.check(a, seed); err != nil {
				input, err := smallest(w.filled(seed, how), string(written), err, tries, func(a *A) error { return i.check(a, seed) })
				return finding{i.number, w.from, err, input}, true
			}
		}
	}
	return finding{}, false
}

func (w way[A, B]) filled(seed uint64, how filling) *A { return filled(seed, how, w.repair) }

// converted returns the object in the other version as it arrives there.
func (w way[A, B]) converted(a *A) (*B, error) { return sent(w.there, a) }

// returned returns the object back in its first version.
func (w way[A, B]) returned(b *B) (*A, error) {
	a, err := sent(w.back, b)
	if err != nil {
		err = fmt.Errorf("on the way back: %w", err)
	}
	return a, err
}

// bare returns the object that comes back without the annotation.
func (w way[A, B]) bare(b *B) (*A, error) {
	a, err := w.returned(annotated(b, nil))
	if err != nil {
		return nil, err
	}
	return annotated(a, nil), nil
}

// unlimited returns the context for conversions of objects that are filled at random. It ignores the markers of their
// types.
func unlimited() context.Context {
	return settings.With(context.Background(), settings.Conversion{Unlimited: true})
}

// sent converts an object and sends the result.
func sent[X, Y any](convert func(context.Context, *X, *Y) error, x *X) (*Y, error) {
	y := new(Y)
	if err := convert(unlimited(), x, y); err != nil {
		return nil, err
	}
	return wire(y), nil
}
