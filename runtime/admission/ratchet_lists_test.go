// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

var (
	ratchetSeed  = flag.Uint64("ratchetseed", 1, "the seed of TestRatchetLists")
	ratchetTimes = flag.Int("ratchettimes", 6000, "the number of updates of TestRatchetLists")
)

// shelf is an object with lists in all places. An element with a count above 2 is bad, and a list of more than 3.
type shelf struct {
	Atomic []box            `json:"atomic,omitempty"`
	Refs   []*box           `json:"refs,omitempty"`
	Keyed  []box            `json:"keyed,omitempty"`
	Set    []string         `json:"set,omitempty"`
	Counts []int            `json:"counts,omitempty"`
	Named  map[string][]box `json:"named,omitempty"`
	Limits map[string]int   `json:"limits,omitempty"`
	Matrix [][]int          `json:"matrix,omitempty"`
	Any    any              `json:"any,omitempty"`
	Raw    json.RawMessage  `json:"raw,omitempty"`
}

type box struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
	Inner []box  `json:"inner,omitempty"`
	Keyed []box  `json:"keyed,omitempty"`
}

// offences are the mistakes of a shelf: the contents of bad elements, by list, and the lengths of lists that are too
// long.
type offences struct {
	errors field.ErrorList
	bad    map[string]int
	long   map[string][]int
}

// element adds an element of a list, unless it is good. The argument in is the place of the list, without the indexes
// of lists without keys.
func (o *offences) element(in string, path *field.Path, content any, count int, value any) {
	if count <= 2 {
		return
	}
	text, _ := json.Marshal(content)
	o.bad[in+" "+string(text)]++
	o.errors = append(o.errors, field.Invalid(path, value, "must be at most 2"))
}

// length adds a list that is too long, with one of the errors that a validator may have for it.
func (o *offences) length(in string, path *field.Path, n int, list any) {
	if n <= 3 {
		return
	}
	o.long[in] = append(o.long[in], n)
	switch len(in) % 3 {
	case 0:
		o.errors = append(o.errors, field.TooMany(path, n, 3))
	case 1:
		o.errors = append(o.errors, field.Invalid(path, n, "must have at most 3 elements"))
	default:
		o.errors = append(o.errors, field.TooLong(path, list, 3))
	}
}

func (o *offences) boxes(in string, path *field.Path, list []box, keyed bool) {
	o.length(in, path, len(list), list)
	for i, b := range list {
		if keyed { // by its key, and by the value of the error
			o.box(in+"["+b.Name+"]", path.Index(i), b, b.Count, true)
			continue
		}
		o.box(in, path.Index(i), b, b, false)
	}
}

// box adds the mistakes of an element. The list in it with keys has keys only if all lists around it have.
func (o *offences) box(in string, path *field.Path, b box, content any, keyed bool) {
	o.element(in, path.Child("count"), content, b.Count, b.Count)
	o.boxes(in+".inner", path.Child("inner"), b.Inner, false)
	o.boxes(in+".keyed", path.Child("keyed"), b.Keyed, keyed)
}

// offencesOf returns the mistakes of a shelf.
func offencesOf(s *shelf) *offences {
	o := &offences{bad: map[string]int{}, long: map[string][]int{}}
	o.boxes("atomic", field.NewPath("atomic"), s.Atomic, false)
	o.boxes("keyed", field.NewPath("keyed"), s.Keyed, true)
	o.length("refs", field.NewPath("refs"), len(s.Refs), s.Refs)
	for i, b := range s.Refs {
		if b != nil {
			o.box("refs", field.NewPath("refs").Index(i), *b, *b, false)
		}
	}
	o.length("set", field.NewPath("set"), len(s.Set), s.Set)
	for i, text := range s.Set {
		o.element("set", field.NewPath("set").Index(i), text, len(text), text)
	}
	o.length("counts", field.NewPath("counts"), len(s.Counts), s.Counts)
	for i, n := range s.Counts {
		o.element("counts", field.NewPath("counts").Index(i), n, n, nil)
	}
	for key, list := range s.Named {
		o.boxes("named/"+key, field.NewPath("named").Key(key), list, false)
	}
	o.length("limits", field.NewPath("limits"), len(s.Limits), nil)
	for key, n := range s.Limits {
		o.element("limits", field.NewPath("limits").Key(key), fmt.Sprint(key, n), n, n)
	}
	o.length("matrix", field.NewPath("matrix"), len(s.Matrix), s.Matrix)
	for i, list := range s.Matrix {
		o.length("matrix[]", field.NewPath("matrix").Index(i), len(list), list)
		for j, n := range list {
			o.element("matrix[]", field.NewPath("matrix").Index(i).Index(j), n, n, n)
		}
	}
	o.untyped("any", field.NewPath("any"), s.Any)
	var raw any
	_ = json.Unmarshal(s.Raw, &raw)
	o.untyped("raw", field.NewPath("raw"), raw)
	return o
}

func (o *offences) untyped(in string, path *field.Path, v any) {
	m, _ := v.(map[string]any)
	list, _ := m["list"].([]any)
	for i, element := range list {
		text, _ := json.Marshal(element)
		o.element(in, path.Child("list").Index(i), element, len(text), "***")
	}
}

// added returns an offence that a new object has and an old one has not; empty without one.
func (o *offences) added(old *offences) string {
	for what, n := range o.bad {
		if n > old.bad[what] {
			return fmt.Sprintf("a bad element %s, %d times and %d times before", what, n, old.bad[what])
		}
	}
	for in, lengths := range o.long {
		before := slices.Sorted(slices.Values(old.long[in]))
		for _, n := range slices.Backward(slices.Sorted(slices.Values(lengths))) {
			if len(before) == 0 || before[len(before)-1] < n {
				return fmt.Sprintf("a list of %d at %s, %v before", n, in, old.long[in])
			}
			before = before[:len(before)-1]
		}
	}
	return ""
}

type editor struct{ *rand.Rand }

func (e editor) box(depth int) box {
	b := box{Name: string(rune('a' + e.IntN(3))), Count: e.IntN(5)}
	if depth > 0 {
		b.Inner, b.Keyed = randomList(e, 2, func() box { return e.box(depth - 1) }), randomList(e, 2, func() box { return e.box(0) })
	}
	return b
}

func randomList[T any](e editor, n int, make func() T) (list []T) {
	for range e.IntN(n + 1) {
		list = append(list, make())
	}
	return list
}

func (e editor) untyped() any {
	return map[string]any{"list": randomList(e, 4, func() any { return []any{float64(1), "x", float64(e.IntN(3) * 100)}[e.IntN(3)] })}
}

func (e editor) shelf() *shelf {
	some := func() box { return e.box(1) }
	s := &shelf{
		Atomic: randomList(e, 5, some), Keyed: randomList(e, 5, some),
		Refs:   randomList(e, 4, func() *box { b := some(); return &b }),
		Set:    randomList(e, 5, e.word),
		Counts: randomList(e, 5, func() int { return e.IntN(5) }),
		Matrix: randomList(e, 4, func() []int { return randomList(e, 5, func() int { return e.IntN(5) }) }),
		Named:  map[string][]box{}, Limits: map[string]int{},
		Any: e.untyped(),
	}
	for range e.IntN(3) {
		s.Named[e.word()] = randomList(e, 4, some)
		s.Limits[e.word()] = e.IntN(5)
	}
	s.Raw, _ = json.Marshal(e.untyped())
	return s
}

func (e editor) word() string { return []string{"a", "bb", "ccc", "dddd", "e]"}[e.IntN(5)] }

// edited returns a list after one edit.
func edited[T any](e editor, list []T, make, change func(T) T) []T {
	list = slices.Clone(list)
	var zero T
	i := 0
	if len(list) > 0 {
		i = e.IntN(len(list))
	}
	switch kind := e.IntN(6); {
	case kind == 0 || len(list) == 0:
		return slices.Insert(list, i, make(zero))
	case kind == 1:
		return slices.Delete(list, i, i+1)
	case kind == 2:
		e.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	case kind == 3:
		return append(list, list[i])
	case kind == 4:
		slices.Reverse(list)
	default:
		list[i] = change(list[i])
	}
	return list
}

// edit changes a shelf at one to three places.
func (e editor) edit(s *shelf) {
	make := func(box) box { return e.box(1) }
	var change func(b box) box
	change = func(b box) box {
		switch e.IntN(4) {
		case 0:
			b.Name += "x"
		case 1:
			b.Count = e.IntN(5)
		case 2:
			b.Inner = edited(e, b.Inner, func(box) box { return e.box(0) }, change)
		default:
			b.Keyed = edited(e, b.Keyed, func(box) box { return e.box(0) }, change)
		}
		return b
	}
	number := func(int) int { return e.IntN(5) }
	for range 1 + e.IntN(3) {
		switch e.IntN(10) {
		case 0:
			s.Atomic = edited(e, s.Atomic, make, change)
		case 1:
			s.Keyed = edited(e, s.Keyed, make, change)
		case 2:
			s.Refs = edited(e, s.Refs, func(*box) *box { b := e.box(1); return &b }, func(b *box) *box { c := change(*b); return &c })
		case 3:
			s.Set = edited(e, s.Set, func(string) string { return e.word() }, func(t string) string { return t + "y" })
		case 4:
			s.Counts = edited(e, s.Counts, number, number)
		case 5:
			s.Named[e.word()] = edited(e, s.Named[e.word()], make, change)
		case 6:
			s.Limits[e.word()] = e.IntN(5)
			delete(s.Limits, e.word())
		case 7:
			s.Matrix = edited(e, s.Matrix, func([]int) []int { return []int{e.IntN(5)} }, func(l []int) []int { return edited(e, l, number, number) })
		case 8:
			s.Any = map[string]any{"list": edited(e, s.Any.(map[string]any)["list"].([]any), func(any) any { return float64(100) }, func(any) any { return float64(200) })}
		default:
			var raw map[string]any
			_ = json.Unmarshal(s.Raw, &raw)
			list, _ := raw["list"].([]any)
			raw["list"] = edited(e, list, func(any) any { return float64(100) }, func(any) any { return float64(200) })
			s.Raw, _ = json.Marshal(raw)
		}
	}
}

// TestRatchetLists makes random updates of lists. An update is denied if and only if the new object has a bad element
// or a list that is too long, and the stored object has not.
func TestRatchetLists(t *testing.T) {
	h := Validating("shelves.example.com", Ratchet(true), ListKeys[shelf]("keyed", "name"), ListKeys[shelf]("set"), ListKeys[box]("keyed", "name"),
		OnUpdate(func(_ context.Context, r *UpdateRequest[shelf]) error {
			return offencesOf(r.Object).errors.ToAggregate()
		}))
	e := editor{rand.New(rand.NewPCG(*ratchetSeed, 3))}
	denied, wrong := 0, 0
	for i := range *ratchetTimes {
		old := e.shelf()
		before, err := json.Marshal(old)
		if err != nil {
			t.Fatal(err)
		}
		var object shelf
		if err := json.Unmarshal(before, &object); err != nil {
			t.Fatal(err)
		}
		if object.Named == nil {
			object.Named = map[string][]box{}
		}
		if object.Limits == nil {
			object.Limits = map[string]int{}
		}
		if list := object.Any.(map[string]any); list["list"] == nil {
			list["list"] = []any{}
		}
		e.edit(&object)
		after, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		added := offencesOf(&object).added(offencesOf(old))
		got := verdictOf(t, h, reviewOf(Update, string(after), string(before))).Response
		if !got.Allowed {
			denied++
		}
		if got.Allowed != (added == "") {
			if wrong++; wrong < 4 {
				t.Errorf("update %d: allowed is %v, and the update adds %q: %v\nold %s\nnew %s", i, got.Allowed, added, got.Result, before, after)
			}
		}
	}
	t.Logf("%d of %d updates are denied, %d wrongly decided", denied, *ratchetTimes, wrong)
	if denied < *ratchetTimes/10 || denied > *ratchetTimes*9/10 || wrong > 0 {
		t.Errorf("%d of %d updates are denied, %d wrongly decided", denied, *ratchetTimes, wrong)
	}
}
