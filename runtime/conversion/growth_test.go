// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"log/slog"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	roomSchema  = Schema{Members: map[string]Schema{"beds": {Keys: []string{"size", "name"}}}}
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

func roomToV1(r roomV2) roomV1 { return roomV1{Name: r.Name, Size: r.Size, Beds: roomsToV1(r.Beds)} }

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

func houses() *Handler {
	return NewHandler(Log(slog.New(slog.DiscardHandler)), Parallel(1), Serve(Between("example.com", "House", "v1", "v2",
		func(ctx context.Context, src *houseV1, dst *houseV2) error {
			if err := houseFieldsToV2(ctx, src, dst); err != nil {
				return err
			}
			return ExchangeHooks(ctx, src, dst, houseV1Stash, houseV2Stash, houseFieldsToV1, houseFieldsToV2)
		},
		func(ctx context.Context, src *houseV2, dst *houseV1) error {
			if err := houseFieldsToV1(ctx, src, dst); err != nil {
				return err
			}
			return ExchangeHooks(ctx, src, dst, houseV2Stash, houseV1Stash, houseFieldsToV2, houseFieldsToV1)
		}, Same{"status": nil})))
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
		return `"sheds":[` + repeated(size, func(i int) string { return fmt.Sprintf(`{"size":%d,"hours":7}`, i) }) + `]`
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
		depth := min(size/30, 9000)
		return `"nest":` + strings.Repeat(`{"room":{"size":"s"},"next":`, depth) + `{"room":{"name":1,"beds":[` + repeated(size-30*depth, func(int) string { return `{"size":"x"}` }) + `]}}` + strings.Repeat(`}`, depth)
	},
	"misfits in beds": func(size int) string {
		depth := min(size/30, 3000)
		return `"rooms":[{"name":"r1","beds":[` + strings.Repeat(`{"name":1,"beds":[`, depth) + repeated(size-30*depth, func(int) string { return `{"size":"x"}` }) + strings.Repeat(`]}`, depth) + `]}]`
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

// hostileChanges are lists of changes of about a number of bytes. The spec is that of the object.
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
	"keys of a dependence": func(size int, _ string) string {
		return `{"at":["spec","price"],"is":1,"on":[{"at":["spec","rooms",` + keysOfStep(size, `"name":"r1"`, `1`) + `],"is":"x"}]}`
	},
	"dependences on the spec": func(size int, spec string) string {
		digest := digestOfText(spec)
		return repeated(size, func(i int) string {
			return fmt.Sprintf(`{"at":["spec","labels","l%d"],"is":{},"on":[{"at":["spec"],"is":"%s"}]}`, i, digest)
		})
	},
	"dependences of one change": func(size int, spec string) string {
		digest := digestOfText(spec)
		return `{"at":["spec","price"],"is":1,"on":[` + repeated(size, func(int) string { return `{"at":["spec"],"is":"` + digest + `"}` }) + `]}`
	},
	"dependences on rooms": func(size int, _ string) string {
		return repeated(size, func(i int) string {
			return fmt.Sprintf(`{"at":["spec","labels","l%d"],"is":{},"on":[{"at":["spec","rooms",{"name":"r%d"}],"is":"%s"}]}`, i, i, digestOfText(fmt.Sprintf(`{"name":"r%d"}`, i)))
		})
	},
	"dependences on nothing": func(size int, _ string) string {
		return repeated(size, func(i int) string {
			return fmt.Sprintf(`{"at":["spec","price"],"is":1,"on":[{"at":["spec","doors",{"name":"main"},"x%d"]}]}`, i)
		})
	},
	"a deep dependence": func(size int, _ string) string {
		return `{"at":["spec","price"],"is":1,"on":[{"at":["spec"` + strings.Repeat(`,"nest"`, size/7) + `],"is":"x"}]}`
	},
	"dependences in a nest": func(size int, _ string) string {
		return repeated(size, func(i int) string {
			return `{"at":["spec","price"],"is":1,"on":[{"at":["spec","nest"` + strings.Repeat(`,"next"`, min(i, 300)) + `],"is":"x"}]}`
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
	annotations := ""
	if changes := hostileChanges[h.changes](size, spec); changes != "" {
		annotations = fmt.Sprintf(`,"annotations":{%q:%q}`, Annotation, annotationsOf[h.annotation](changes))
		annotations = strings.ReplaceAll(annotations, `\x`, `\u00`)
	}
	return fmt.Appendf(nil, `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u","desiredAPIVersion":"example.com/%s","objects":[
		{"apiVersion":"example.com/%s","kind":"House","metadata":{"name":"h"%s},"spec":%s}]}}`, h.to, from, annotations, spec)
}

// cost is the work of a review.
type cost struct {
	allocated uint64
	touched   int
	took      time.Duration
}

func (h hostile) cost(t *testing.T, size int) (c cost) {
	t.Helper()
	handler, body := houses(), h.review(size)
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
		t.Fatalf("%s: %d %.300s", h, w.Code, w.Body)
	}
	c.allocated = after.TotalAlloc - before.TotalAlloc
	return c
}

// TestGrowth converts hostile objects of growing length. Twice the length may be at most 2.5 times the work.
// ATTACKTIME=1m tries all combinations for so long.
func TestGrowth(t *testing.T) {
	const seed = 1
	var all []hostile
	for object := range houseObjects {
		for _, to := range []string{"v1", "v2"} {
			all = append(all, hostile{object, "none", "", to})
		}
		for changes := range hostileChanges {
			for annotation := range annotationsOf {
				if changes != "none" {
					all = append(all, hostile{object, changes, annotation, "v2"})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b hostile) int { return strings.Compare(a.String(), b.String()) })
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	first, most := 16<<10, 256<<10
	until := time.Now().Add(time.Hour)
	if d, err := time.ParseDuration(os.Getenv("ATTACKTIME")); err == nil {
		until, most = time.Now().Add(d), 4<<20
	} else {
		all = all[:min(len(all), 80)]
	}
	tried := 0
	for _, h := range all {
		if time.Now().After(until) {
			break
		}
		tried++
		h.cost(t, first) // what is made once
		last := h.cost(t, first)
		for size := 2 * first; size <= most; size *= 2 {
			c := h.cost(t, size)
			if c.took > 10*time.Second || 2*c.allocated > 5*last.allocated && c.allocated > 8<<20 {
				t.Errorf("%s: %d bytes allocate %d and take %s, half of it %d and %s", h, size, c.allocated, c.took, last.allocated, last.took)
				break
			}
			last = c
		}
		if testing.Verbose() {
			t.Logf("%s: %s, %d", h, last.took, last.allocated)
		}
	}
	t.Logf("%d of %d combinations, seed %d", tried, len(all), seed)
}

var _ = metav1.ObjectMeta{}
