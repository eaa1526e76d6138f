// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// house is a kind with every sort of place that a path may lead to. Its v2 has values that its v1 lacks, everywhere.
type (
	houseV1 = job[houseSpec[roomV1, bool], struct{}]
	houseV2 = job[houseSpec[roomV2, string], struct{}]
)

type houseSpec[R, H any] struct {
	Name   string                     `json:"name,omitempty"`
	Title  string                     `json:"title,omitempty"` // v2's name for v1's name
	Rooms  []R                        `json:"rooms,omitempty"` // with the key name
	Sheds  []R                        `json:"sheds,omitempty"` // without keys
	Doors  []R                        `json:"doors,omitempty"` // v1 has the one door with the name main
	Labels map[string]R               `json:"labels,omitempty"`
	Nest   *houseNest[R]              `json:"nest,omitempty"`
	Any    map[string]json.RawMessage `json:"any,omitempty"`
	Hooked H                          `json:"hooked,omitempty"` // by a hook
	Price  int64                      `json:"price,omitempty"`  // only v2 has it
}

// houseNest is a recursive type.
type houseNest[R any] struct {
	Room R             `json:"room,omitzero"`
	Next *houseNest[R] `json:"next,omitempty"`
}

type roomV1 struct {
	Name string   `json:"name,omitempty"`
	Beds []roomV1 `json:"beds,omitempty"` // with the keys name and size
	Size int64    `json:"size,omitempty"`
}

type roomV2 struct {
	Name  string   `json:"name,omitempty"`
	Beds  []roomV2 `json:"beds,omitempty"`
	Size  int64    `json:"size,omitempty"`
	Hours int64    `json:"hours,omitempty"`
}

var (
	roomSchema  = Schema{Members: map[string]Schema{"beds": {Keys: []string{"size", "name"}}, "hours": {Custom: true}}}
	houseSchema = Schema{Members: map[string]Schema{"spec": {Members: map[string]Schema{
		"rooms": {Keys: []string{"name"}, Elements: &roomSchema}, "doors": {One: map[string]string{"name": "main"}}, "hooked": {Custom: true},
		"any": {Elements: &Schema{Keys: []string{"id"}}},
	}}}}
	houseV1Stash = NewStash[houseV1]("v1", houseSchema)
	houseV2Stash = NewStash[houseV2]("v2", houseSchema)
)

func roomsToV2(rooms []roomV1) (all []roomV2) {
	for _, r := range rooms {
		all = append(all, roomToV2(r))
	}
	return all
}

func roomToV2(r roomV1) roomV2 { return roomV2{Name: r.Name, Size: r.Size, Beds: roomsToV2(r.Beds)} }

func roomsToV1(rooms []roomV2) (all []roomV1) {
	for _, r := range rooms {
		all = append(all, roomToV1(r))
	}
	return all
}

// roomToV1 has a hook: it writes the hours into the size of a room that has none.
func roomToV1(r roomV2) roomV1 {
	return roomV1{Name: r.Name, Size: cmp.Or(r.Size, r.Hours), Beds: roomsToV1(r.Beds)}
}

func houseFieldsToV2(_ context.Context, src *houseV1, dst *houseV2) error {
	src.ObjectMeta.DeepCopyInto(&dst.ObjectMeta)
	dst.Spec.Title, dst.Spec.Rooms, dst.Spec.Sheds, dst.Spec.Doors, dst.Spec.Any = src.Spec.Name, roomsToV2(src.Spec.Rooms), roomsToV2(src.Spec.Sheds), roomsToV2(src.Spec.Doors), src.Spec.Any
	if src.Spec.Hooked {
		dst.Spec.Hooked = "yes"
	}
	for k, r := range src.Spec.Labels {
		if dst.Spec.Labels == nil {
			dst.Spec.Labels = map[string]roomV2{}
		}
		dst.Spec.Labels[k] = roomToV2(r)
	}
	into := &dst.Spec.Nest
	for n := src.Spec.Nest; n != nil; n, into = n.Next, &(*into).Next {
		*into = &houseNest[roomV2]{Room: roomToV2(n.Room)}
	}
	return nil
}

func houseFieldsToV1(_ context.Context, src *houseV2, dst *houseV1) error {
	src.ObjectMeta.DeepCopyInto(&dst.ObjectMeta)
	dst.Spec.Name, dst.Spec.Rooms, dst.Spec.Sheds, dst.Spec.Any = src.Spec.Title, roomsToV1(src.Spec.Rooms), roomsToV1(src.Spec.Sheds), src.Spec.Any
	dst.Spec.Hooked = src.Spec.Hooked != ""
	if i := slices.IndexFunc(src.Spec.Doors, func(r roomV2) bool { return r.Name == "main" }); i >= 0 {
		dst.Spec.Doors = []roomV1{roomToV1(src.Spec.Doors[i])}
	}
	for k, r := range src.Spec.Labels {
		if dst.Spec.Labels == nil {
			dst.Spec.Labels = map[string]roomV1{}
		}
		dst.Spec.Labels[k] = roomToV1(r)
	}
	into := &dst.Spec.Nest
	for n := src.Spec.Nest; n != nil; n, into = n.Next, &(*into).Next {
		*into = &houseNest[roomV1]{Room: roomToV1(n.Room)}
	}
	return nil
}

func houses(options ...Option) *Handler {
	return NewHandler(append(options, Log(slog.New(slog.DiscardHandler)), Parallel(1), Serve(Between("example.com", "House", "v1", "v2",
		func(ctx context.Context, src *houseV1, dst *houseV2) error {
			if err := houseFieldsToV2(ctx, src, dst); err != nil {
				return err
			}
			return Exchange(ctx, src, dst, houseV1Stash, houseV2Stash, houseFieldsToV1)
		},
		func(ctx context.Context, src *houseV2, dst *houseV1) error {
			if err := houseFieldsToV1(ctx, src, dst); err != nil {
				return err
			}
			return Exchange(ctx, src, dst, houseV2Stash, houseV1Stash, houseFieldsToV2)
		}, Same{"status": nil})))...)
}

// repeated joins texts until they have a number of bytes.
func repeated(size int, text func(i int) string) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(text(i))
	}
	return b.String()
}

// houseObjects are members of a spec that has about a number of bytes. Each has other places than the others.
var houseObjects = map[string]func(size int) string{
	"rooms": func(size int) string {
		return `"rooms":[` + repeated(size, func(i int) string { return fmt.Sprintf(`{"name":"r%d"}`, i) }) + `]`
	},
	"rooms, hours": func(size int) string {
		return `"rooms":[` + repeated(size, func(i int) string { return fmt.Sprintf(`{"name":"r%d","hours":%d}`, i, i+1) }) + `]`
	},
	"the same room": func(size int) string {
		return `"rooms":[` + repeated(size, func(int) string { return `{"name":"r1"}` }) + `]`
	},
	"beds": func(size int) string {
		return `"rooms":[` + repeated(size, func(i int) string {
			return fmt.Sprintf(`{"name":"r%d","beds":[{"name":"a","size":1},{"name":"b","hours":2}]}`, i)
		}) + `]`
	},
	"beds in a bed": func(size int) string { // as deep as an API server reads
		depth := min(size/20, 3000)
		return `"rooms":[{"name":"r1","beds":[` + strings.Repeat(`{"name":"a","beds":[`, depth) + repeated(size/2, func(i int) string { return fmt.Sprintf(`{"name":"r%d","hours":3}`, i) }) + strings.Repeat(`]}`, depth) + `]}]`
	},
	"sheds": func(size int) string {
		return `"sheds":[` + repeated(size, func(i int) string { return fmt.Sprintf(`{"size":%d,"hours":7}`, i+1) }) + `]`
	},
	"doors": func(size int) string {
		return `"doors":[` + repeated(size, func(i int) string { return fmt.Sprintf(`{"name":"d%d"}`, i) }) + `,{"name":"main","hours":3}]`
	},
	"labels": func(size int) string {
		return `"labels":{` + repeated(size, func(i int) string { return fmt.Sprintf(`"l%d":{"name":"x","hours":3}`, i) }) + `}`
	},
	"nest": func(size int) string {
		depth := min(size/40, 9000)
		return `"nest":` + strings.Repeat(`{"room":{"name":"x","hours":1},"next":`, depth) + `{"room":{"name":"` + strings.Repeat("x", max(0, size-40*depth)) + `"}}` + strings.Repeat(`}`, depth)
	},
	"any": func(size int) string {
		return `"any":{"a":[` + repeated(size, func(i int) string { return fmt.Sprintf(`{"id":%d}`, i) }) + `]}`
	},
	"text": func(size int) string { return `"name":"n","title":"n","any":{"a":"` + strings.Repeat("x", size) + `"}` },
	"misfits": func(size int) string {
		return `"rooms":[` + repeated(size, func(i int) string { return fmt.Sprintf(`{"name":"r%d","size":"s"}`, i) }) + `]`
	},
	"misfits in a nest": func(size int) string {
		depth := min(size/60, 9000)
		return `"nest":` + strings.Repeat(`{"room":{"size":"s"},"next":`, depth) + `{"room":{"name":1,"beds":[` + repeated(size/2, func(int) string { return `{"size":"x"}` }) + `]}}` + strings.Repeat(`}`, depth)
	},
	"misfits in beds": func(size int) string {
		depth := min(size/60, 3000)
		return `"rooms":[{"name":"r1","beds":[` + strings.Repeat(`{"name":1,"beds":[`, depth) + repeated(size/2, func(int) string { return `{"size":"x"}` }) + strings.Repeat(`]}`, depth) + `]}]`
	},
	"a misfit far below": func(size int) string {
		depth := min(size/12, 9000)
		return `"nest":` + strings.Repeat(`{"next":`, depth) + `{"room":{"size":"` + strings.Repeat("x", max(0, size-12*depth)) + `"}}` + strings.Repeat(`}`, depth)
	},
	"a key twice": func(size int) string {
		return `"any":{"a":{` + repeated(size, func(i int) string { return fmt.Sprintf(`"k%d":1`, i) }) + `,"k1":2}}`
	},
}

func keysOfStep(size int, first, value string) string {
	return `{` + first + `,` + repeated(size, func(i int) string { return fmt.Sprintf(`"k%d":%s`, i, value) }) + `}`
}

// digestOfText is the digest of a value in JSON, which anybody can compute.
func digestOfText(text string) string {
	value, _ := parsed([]byte(text))
	text2, _ := json.Marshal(value)
	h := fnv.New64a()
	h.Write(text2)
	return fmt.Sprintf("%016x", h.Sum64())
}

// hostileChanges are lists of changes of about a number of bytes, for an object with a spec.
var hostileChanges = map[string]func(size int, spec string) string{
	"none": func(int, string) string { return "" },
	"hours of rooms": func(size int, _ string) string {
		return repeated(size, func(i int) string {
			return fmt.Sprintf(`{"at":["spec","rooms",{"name":"r%d"},"hours"],"is":%d}`, i, i+1)
		})
	},
	"keys of a room": func(size int, _ string) string {
		return `{"at":["spec","rooms",` + keysOfStep(size, `"name":"r1"`, `1`) + `,"hours"],"is":1}`
	},
	"keys of rooms": func(size int, _ string) string {
		return repeated(size, func(i int) string {
			return fmt.Sprintf(`{"at":["spec","rooms",{"name":"r%d","k%d":null},"hours"],"is":1}`, i, i)
		})
	},
	"the same key": func(size int, _ string) string {
		return `{"at":["spec","rooms",{` + repeated(size, func(int) string { return `"name":"r1"` }) + `},"hours"],"is":1}`
	},
	"a long key": func(size int, _ string) string {
		return `{"at":["spec","rooms",{"name":"` + strings.Repeat("x", size) + `"},"hours"],"is":1}`
	},
	"a key that is a list": func(size int, _ string) string {
		return `{"at":["spec","rooms",{"name":[` + repeated(size, func(int) string { return `{}` }) + `]},"hours"],"is":1}`
	},
	"a huge number as key": func(size int, _ string) string {
		return `{"at":["spec","rooms",{"name":1` + strings.Repeat("0", size) + `},"hours"],"is":1}`
	},
	"keys of sheds": func(size int, _ string) string {
		return repeated(size, func(i int) string { return fmt.Sprintf(`{"at":["spec","sheds",{"size":%d},"hours"],"is":1}`, i) })
	},
	"keys around": func(size int, _ string) string {
		return `{"at":["spec","rooms"],"is":[],"around":` + keysOfStep(size, `"name":"r1"`, `"<nil>"`) + `}`
	},
	"keys around the door": func(size int, _ string) string {
		return `{"at":["spec","doors"],"is":[{"name":"d"}],"index":99999999999,"around":` + keysOfStep(size, `"name":"main"`, `"<nil>"`) + `}`
	},
	"doors around": func(size int, _ string) string {
		return `{"at":["spec","doors"],"is":[` + repeated(size, func(int) string { return `{"name":"main"}` }) + `],"index":-1,"around":{"name":"main"}}`
	},
	"values of hooks": func(size int, _ string) string {
		return repeated(size, func(i int) string {
			return fmt.Sprintf(`{"at":["spec","rooms",{"name":"r%d"},"hours"],"is":%d,"custom":%t}`, i, i+1, i%2 == 0)
		})
	},
	"a deep path": func(size int, _ string) string {
		return `{"at":["spec"` + strings.Repeat(`,"nest"`, size/7) + `],"is":1,"make":60000}`
	},
	"paths into a nest": func(size int, _ string) string {
		return repeated(size, func(i int) string {
			return `{"at":["spec","nest"` + strings.Repeat(`,"next"`, i%400) + `,"room","hours"],"was":"` + digestOfText("1") + `","is":1}`
		})
	},
	"paths into anything": func(size int, _ string) string {
		return repeated(size, func(i int) string {
			return `{"at":["spec","any"` + strings.Repeat(fmt.Sprintf(`,"a%d"`, i), i%400) + `],"is":1}`
		})
	},
	"paths to beds": func(size int, _ string) string {
		return repeated(size, func(i int) string {
			return fmt.Sprintf(`{"at":["spec","rooms",{"name":"r%d"},"beds",{"name":"a","size":1},"hours"],"is":1}`, i)
		})
	},
	"values of another name": func(size int, _ string) string { // v1 has them, so halves are tried
		return repeated(size, func(i int) string {
			return fmt.Sprintf(`{"at":["spec","labels","l%d"],"is":{}},{"at":["spec","title"],"is":"x"}`, i)
		})
	},
	"another title": func(int, string) string { return `{"at":["spec","price"],"is":1},{"at":["spec","title"],"is":"x"}` },
	"names of rooms": func(size int, _ string) string {
		return repeated(size, func(i int) string {
			return fmt.Sprintf(`{"at":["spec","rooms",{"name":"r%d"},"name"],"was":"%s","is":"x"}`, i, digestOfText(fmt.Sprintf(`"r%d"`, i)))
		})
	},
	"sheds": func(size int, _ string) string {
		return repeated(size, func(int) string { return `{"at":["spec","sheds"],"is":[{"name":"x"}]}` })
	},
	"rooms that come": func(size int, _ string) string {
		return repeated(size, func(i int) string {
			return fmt.Sprintf(`{"at":["spec","rooms",{"name":"n%d"}],"is":{"name":"n%d"},"index":%d}`, i, i, -i)
		})
	},
	"rooms that go": func(size int, _ string) string {
		return repeated(size, func(i int) string {
			return fmt.Sprintf(`{"at":["spec","rooms",{"name":"r%d"}],"was":"%s"}`, i, digestOfText(fmt.Sprintf(`{"name":"r%d"}`, i)))
		})
	},
	"a nested value": func(size int, _ string) string {
		depth := min(size/2, 9000)
		return `{"at":["spec","any","b"],"is":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}`
	},
	"a nest": func(size int, _ string) string {
		depth := min(size/9, 9000)
		return `{"at":["spec","nest"],"is":` + strings.Repeat(`{"next":`, depth) + `{"room":{"size":"` + strings.Repeat("1", max(0, size-9*depth)) + `"}}` + strings.Repeat(`}`, depth) + `}`
	},
	"empty elements": func(size int, _ string) string {
		return `{"at":["spec","sheds"],"is":[` + repeated(size, func(int) string { return `{}` }) + `]}`
	},
	"members that no change has": func(size int, _ string) string {
		return `{"at":["spec","price"],` + repeated(size, func(i int) string { return fmt.Sprintf(`"x%d":1`, i) }) + `,"is":1}`
	},
	"paths of one change": func(size int, _ string) string {
		return `{` + repeated(size, func(int) string { return `"at":["spec","price"]` }) + `,"is":1}`
	},
	"marks": func(size int, _ string) string { return repeated(size, func(int) string { return `{"cut":-1}` }) },
}

// annotationsOf are annotations with a list of changes.
var annotationsOf = map[string]func(changes string) string{
	"": func(changes string) string { return `{"v2":[` + changes + `]}` },
	"for many versions": func(changes string) string {
		return `{` + repeated(len(changes), func(i int) string { return fmt.Sprintf(`"v%d":[]`, i+3) }) + `,"v2":[` + changes + `]}`
	},
	"for the same version, over again": func(changes string) string {
		return `{"v2":[` + changes + `],` + repeated(len(changes), func(int) string { return `"v2":[{}]` }) + `}`
	},
}

// hostile is an object that a program has invented: of some sort, with an annotation of some sort.
type hostile struct{ object, changes, annotation, to string }

func (h hostile) String() string {
	return fmt.Sprintf("%s to %s, with %s %s", h.object, h.to, h.changes, h.annotation)
}

// review is the review with the object, in which object and annotation have about the same number of bytes.
func (h hostile) review(size int) []byte {
	spec := "{" + houseObjects[h.object](size) + "}"
	from := map[string]string{"v1": "v2", "v2": "v1"}[h.to]
	annotation := ""
	if changes := hostileChanges[h.changes](size, spec); changes != "" {
		annotation = annotationsOf[h.annotation](changes)
	}
	return reviewOfHouse(from, h.to, annotation, spec)
}

// reviewOfHouse is a review with one object.
func reviewOfHouse(from, to, annotation, spec string) []byte {
	annotations := ""
	if annotation != "" {
		annotations = fmt.Sprintf(`,"annotations":{%q:%q}`, Annotation, annotation)
	}
	return fmt.Appendf(nil, `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u","desiredAPIVersion":"example.com/%s","objects":[
		{"apiVersion":"example.com/%s","kind":"House","metadata":{"name":"h"%s},"spec":%s}]}}`, to, from, annotations, spec)
}

// cost is the work of a review.
type cost struct {
	bytes, allocations uint64
	took               time.Duration
}

// exceeds reports whether the work for an object grows too much: more than 2.5 times the work for half the object, and
// more than 6.25 times the work for a quarter, because maps and lists grow in steps. The work for any object does not
// count, nor does the first work for values below maxSteps, where structs are compared in JSON.
func (c cost) exceeds(half, quarter cost) bool {
	const some, few = 8 << 20, 64 << 10
	more := func(whole, half, quarter uint64) bool { return 2*whole > 5*half && 4*whole > 25*quarter }
	return c.bytes > some && more(c.bytes, half.bytes, quarter.bytes) || c.allocations > few && more(c.allocations, half.allocations, quarter.allocations)
}

// extreme returns the greater numbers of both costs if sign is 1, and the smaller ones if it is -1.
func (c cost) extreme(other cost, sign int) cost {
	if cmp.Compare(other.bytes, c.bytes) == sign {
		c.bytes = other.bytes
	}
	if cmp.Compare(other.allocations, c.allocations) == sign {
		c.allocations = other.allocations
	}
	return c
}

// converts converts the object of a review.
func converts(t *testing.T, body []byte, options ...Option) (answer []byte, c cost) {
	t.Helper()
	handler := houses(options...)
	w := httptest.NewRecorder()
	w.Body = bytes.NewBuffer(make([]byte, 0, 8*len(body)))
	r := httptest.NewRequest("POST", Path, bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	handler.ServeHTTP(w, r)
	c.took = time.Since(start)
	runtime.ReadMemStats(&after)
	if w.Code != 200 {
		t.Fatalf("%d %.300s", w.Code, w.Body)
	}
	c.bytes, c.allocations = after.TotalAlloc-before.TotalAlloc, after.Mallocs-before.Mallocs
	return w.Body.Bytes(), c
}

var growthTo = flag.Int("growthto", 256<<10, "the largest object of TestGrowth in bytes")

// TestGrowth converts hostile objects of growing length, up to 4 MB with -growthto 4194304. Twice the length may be at
// most 2.5 times the work. Spent work is no reason for a conversion to fail.
// ATTACKTIME=1m tries all combinations for so long, with a random seed; ATTACKSEED sets the seed.
func TestGrowth(t *testing.T) {
	var all []hostile
	for object := range houseObjects {
		all = append(all, hostile{object, "none", "", "v1"}, hostile{object, "none", "", "v2"})
		for changes := range hostileChanges {
			for annotation := range annotationsOf {
				if changes != "none" {
					all = append(all, hostile{object, changes, annotation, "v2"})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b hostile) int { return strings.Compare(a.String(), b.String()) })
	const first, usual = 16 << 10, 256 << 10
	seed, until, random := uint64(1), time.Now().Add(time.Hour), false
	if d, err := time.ParseDuration(os.Getenv("ATTACKTIME")); err == nil {
		seed, until, random = rand.Uint64(), time.Now().Add(d), true
	}
	if n, err := strconv.ParseUint(os.Getenv("ATTACKSEED"), 10, 64); err == nil {
		seed = n
	}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if !random { // objects alone, and some with an annotation: fewer of greater length
		alone := func(h hostile) int { return min(1, len(h.changes)-len("none")) }
		slices.SortStableFunc(all, func(a, b hostile) int { return cmp.Compare(alone(a), alone(b)) })
		all = all[:2*len(houseObjects)+min(80, 8 + 80*usual / *growthTo)]
	}
	tried := 0
	for _, h := range all {
		if time.Now().After(until) {
			break
		}
		tried++
		converts(t, h.review(first)) // makes shapes and pools
		_, quarter := converts(t, h.review(first/2))
		_, half := converts(t, h.review(first))
		for size := 2 * first; size <= *growthTo; size *= 2 {
			answer, c := converts(t, h.review(size))
			// Maps split at lengths that depend on their random seeds.
			for again := 0; again < 3 && c.exceeds(half, quarter); again++ {
				_, q := converts(t, h.review(size/4))
				_, l := converts(t, h.review(size/2))
				_, w := converts(t, h.review(size))
				quarter, half, c = quarter.extreme(q, 1), half.extreme(l, 1), c.extreme(w, -1)
			}
			if c.exceeds(half, quarter) {
				t.Errorf("%s: %d bytes take %+v, half of it %+v", h, size, c, half)
				break
			}
			if bytes.Contains(answer, []byte(errSpent.Error())) {
				t.Errorf("%s: %.300s", h, answer)
			}
			half, quarter = c, half
		}
	}
	t.Logf("%d of %d combinations, seed %d", tried, len(all), seed)
}

// TestHonestAnnotationsAreKept converts objects of v2 to v1 and back, with and without a signature. All values come
// back for which the annotation has room.
func TestHonestAnnotationsAreKept(t *testing.T) {
	signed := Keys(func() ([][]byte, error) { return [][]byte{make([]byte, shortestKey)}, nil })
	for name := range houseObjects {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{1 << 8, 1 << 12, 1 << 14, 1 << 16, 1 << 18} {
				spec := "{" + houseObjects[name](size) + "}"
				if !comesBack(t, spec) || !comesBack(t, spec, signed) {
					return
				}
			}
		})
	}
}

// comesBack converts an object of v2 to v1 and back. It returns false if the object is a misfit, or if the annotation
// has no room for its values.
func comesBack(t *testing.T, spec string, options ...Option) bool {
	t.Helper()
	var seen []Observation
	options = append(options, Observe(observing(func(o Observation) { seen = append(seen, o) })))
	there, _ := converts(t, reviewOfHouse("v2", "v1", "", spec), options...)
	object := objectIn(t, there)
	if seen[0].Failed || seen[0].LeftOut > 0 || object == nil {
		return false
	}
	var was, is struct{ Spec any }
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	back, _ := converts(t, fmt.Appendf(nil, `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u","desiredAPIVersion":"example.com/v2","objects":[%s]}}`, text), options...)
	if text, err = json.Marshal(objectIn(t, back)); err != nil || json.Unmarshal(text, &is) != nil || json.Unmarshal([]byte(`{"spec":`+spec+`}`), &was) != nil {
		t.Fatalf("%v: %.300s", err, back)
	}
	if seen[1].Failed || seen[1].LeftOut > 0 {
		t.Fatalf("%d bytes: %+v", len(spec), seen[1])
	}
	if !reflect.DeepEqual(was, is) {
		t.Fatalf("%d bytes: it was %.500v, and is %.500v", len(spec), was, is)
	}
	return true
}

// observing is an Observer.
type observing func(Observation)

func (f observing) Observe(_ context.Context, o Observation) { f(o) }

// objectIn returns the converted object in an answer, or nil.
func objectIn(t *testing.T, answer []byte) any {
	t.Helper()
	var review struct {
		Response struct{ ConvertedObjects []any }
	}
	if err := json.Unmarshal(answer, &review); err != nil {
		t.Fatal(err)
	}
	if len(review.Response.ConvertedObjects) == 0 {
		return nil
	}
	return review.Response.ConvertedObjects[0]
}

// TestHostileBesideHonest compares annotations of a client with one that a conversion wrote, on objects of the same
// length. A hostile one takes at most five times the memory, and at most three allocations for each byte of the object
// and the annotation. With -v it prints both.
func TestHostileBesideHonest(t *testing.T) {
	const object, annotation = 533_000, 136_000
	rooms := `{` + houseObjects["rooms"](object) + `}`
	some := `{"rooms":[` + repeated(object, func(i int) string {
		if i < 600 { // whose hours take as many bytes in the annotation
			return fmt.Sprintf(`{"name":"r%d","hours":%d}`, i, i+1)
		}
		return fmt.Sprintf(`{"name":"r%d"}`, i)
	}) + `]}`
	there, _ := converts(t, reviewOfHouse("v2", "v1", "", some))
	read, err := json.Marshal(objectIn(t, there))
	if err != nil {
		t.Fatal(err)
	}
	honest := fmt.Appendf(nil, `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u","desiredAPIVersion":"example.com/v2","objects":[%s]}}`, read)
	converts(t, honest)
	answer, peer := converts(t, honest)
	if !bytes.Contains(answer, []byte(`"hours":600`)) {
		t.Fatalf("the honest annotation restores nothing: %.500s", answer)
	}
	t.Logf("an object of %d bytes with an honest annotation of %d", len(some), len(honest)-len(some))
	t.Logf("honest: %d MB, %d allocations, in %s", peer.bytes>>20, peer.allocations, peer.took.Round(time.Millisecond))
	for _, name := range slices.Sorted(maps.Keys(hostileChanges)) {
		_, c := converts(t, reviewOfHouse("v1", "v2", annotationsOf[""](hostileChanges[name](annotation, rooms)), rooms))
		t.Logf("%s: %d MB, %d allocations, in %s", name, c.bytes>>20, c.allocations, c.took.Round(time.Millisecond))
		if c.bytes > 5*peer.bytes || c.allocations > 3*(object+annotation) {
			t.Errorf("%s: %+v, the honest annotation %+v", name, c, peer)
		}
	}
}
