// SPDX-License-Identifier: Apache-2.0

//go:build linux

package admission

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// The attacker chooses the object, and the author of a webhook its type and its functions. The work of a call follows
// the length of its review, for all types and objects.

var (
	growthSeed  = flag.Uint64("growthseed", 1, "the first seed of the inputs of TestGrowth")
	growthSeeds = flag.Uint64("growthseeds", 1, "the number of seeds of TestGrowth")
	growthTo    = flag.Int("growthto", 1<<20, "the largest input of TestGrowth in bytes")
)

const (
	smallestInput = 16 << 10
	// mostGrowth is how many times more a review of twice the length may cost.
	mostGrowth = 2.5
	// Lower costs than these are not compared.
	fixedBytes = 512 << 10
	fixedTime  = 4 * time.Millisecond
)

// node is a recursive type with a member of each sort.
type node struct {
	Name   string              `json:"name,omitempty"`
	N      int                 `json:"n,omitempty"`
	Child  *node               `json:"child,omitempty"`
	List   []node              `json:"list,omitempty"`
	Refs   []*node             `json:"refs,omitempty"`
	Keyed  []node              `json:"keyed,omitempty" patchMergeKey:"name"`
	Map    map[string]node     `json:"map,omitempty"`
	Maps   map[string]*deeper  `json:"maps,omitempty"`
	Lists  [][]node            `json:"lists,omitempty"`
	Any    any                 `json:"any,omitempty"`
	Raw    json.RawMessage     `json:"raw,omitempty"`
	Labels map[string]string   `json:"labels,omitempty"`
	Tags   []string            `json:"tags,omitempty"`
	Veiled *veiled             `json:"veiled,omitzero"`
	Sets   map[string][]string `json:"sets,omitempty"`
}

// deeper is recursive over another type.
type deeper struct {
	node `json:",inline"`
	Next []node `json:"next,omitempty"`
}

// veiled is left out of JSON by its own rule.
type veiled struct {
	Name   string  `json:"name,omitempty"`
	Veiled *veiled `json:"veiled,omitzero"`
}

func (v *veiled) IsZero() bool { return v == nil || v.Name == "" }

// nests returns the texts around a node that put it into another one. The argument key is a name of the user's.
func nests(key string) [][2]string {
	return [][2]string{
		{`{"child":`, `}`}, {`{"list":[`, `]}`}, {`{"name":"a","list":[{},`, `,{"n":1}]}`}, {`{"refs":[null,`, `]}`},
		{`{"keyed":[{"name":"x"},`, `]}`}, {`{"map":{"` + key + `":`, `}}`}, {`{"maps":{"` + key + `":{"next":[`, `]}}}`},
		{`{"maps":{"` + key + `":`, `}}`}, {`{"lists":[[],[`, `]]}`}, {`{"future":{"x":[]},"child":`, `,"other":1}`},
	}
}

// maker makes random texts of about a length.
type maker struct {
	*rand.Rand
	size int
}

// deep returns a node of the maker's size, with nested nodes around the innermost one. Each level is one of a few
// random ones, and has its own members behind it. The innermost node is padded to the size.
func (m maker) deep(innermost string, own ...string) string {
	var choice [][2]string
	all := nests(strings.Repeat("k", 1+m.IntN(40)))
	for range 1 + m.IntN(3) {
		choice = append(choice, all[m.IntN(len(all))])
	}
	const levels = wire.MaxDepth - 50
	var head, tail []string
	for n, depth := len(innermost), 0; n < m.size; {
		nest := choice[m.IntN(len(choice))]
		begin, end := nest[0], nest[1]
		if len(own) > 0 {
			end = end[:len(end)-1] + "," + own[m.IntN(len(own))] + "}"
		}
		if depth += strings.Count(begin, "{") + strings.Count(begin, "["); depth > levels {
			pad := strings.Repeat("p", m.size-n)
			innermost = strings.Replace(innermost, "{", `{"padding":"`+pad+`",`, 1)
			innermost = strings.Replace(innermost, ",}", "}", 1)
			break
		}
		head, tail = append(head, begin), append(tail, end)
		n += len(begin) + len(end)
	}
	slices.Reverse(tail)
	return strings.Join(head, "") + innermost + strings.Join(tail, "")
}

// many returns the texts of element, joined by commas, of together about the maker's size.
func (m maker) many(element func(i int) string) string {
	var out strings.Builder
	for i := 0; out.Len() < m.size; i++ {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(element(i))
	}
	return out.String()
}

// cost is the cost of one call.
type cost struct {
	bytes   uint64
	work    time.Duration // of this thread
	message int           // the length of the answer without its patch
}

// costOf returns the cost of a call of f.
func costOf(f func() int) cost {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	busy := func() time.Duration {
		var use syscall.Rusage
		const thread = 1
		if err := syscall.Getrusage(thread, &use); err != nil {
			panic(err)
		}
		return time.Duration(use.Utime.Nano() + use.Stime.Nano())
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := busy()
	message := f()
	took := busy() - start
	runtime.ReadMemStats(&after)
	return cost{after.TotalAlloc - before.TotalAlloc, took, message}
}

// growthRow is a kind of hostile input.
type growthRow struct {
	name string
	// make returns a call with an input of the maker's size. The call returns the length of its message.
	make func(m maker) func() int
	// most is how many bytes may be allocated for a byte of the largest input.
	most uint64
}

// TestGrowth doubles hostile inputs from 16 kB to 1 MB, and to 4 MB with -growthto 4194304.
func TestGrowth(t *testing.T) {
	for _, row := range growthRows() {
		t.Run(strings.ReplaceAll(row.name, " ", "-"), func(t *testing.T) {
			for seed := *growthSeed; seed < *growthSeed+*growthSeeds; seed++ {
				var first, last cost
				doublings := 0
				for size := smallestInput; size <= *growthTo; size *= 2 {
					got := costOf(row.make(maker{rand.New(rand.NewPCG(seed, 7)), size}))
					got.bytes, got.work = max(got.bytes, fixedBytes), max(got.work, fixedTime)
					longest := 96 << 10
					if strings.Contains(row.name, "misfit") {
						longest = 1 << 10
					}
					if got.message > longest {
						t.Errorf("seed %d, %d kB: a message of %d bytes", seed, size>>10, got.message)
					}
					if size > smallestInput {
						if float64(got.bytes) > mostGrowth*float64(last.bytes) {
							t.Errorf("seed %d, %d kB: %d kB are allocated, and %d kB for half of the input", seed, size>>10, got.bytes>>10, last.bytes>>10)
						}
						doublings++
					} else {
						first = got
					}
					last = got
					if got.work > 5*time.Second {
						t.Errorf("seed %d, %d kB: %s of work", seed, size>>10, got.work)
						break
					}
				}
				allowed := float64(first.work)
				for range doublings {
					allowed *= mostGrowth
				}
				if float64(last.work) > allowed {
					t.Errorf("seed %d: the work grows from %s to %s in %d doublings", seed, first.work, last.work, doublings)
				}
				if last.bytes > row.most*uint64(*growthTo) {
					t.Errorf("seed %d: %d bytes are allocated for each byte of the input, want at most %d", seed, last.bytes/uint64(*growthTo), row.most)
				}
				t.Logf("seed %d: %d kB take %d MB, %s; the message has %d bytes", seed, *growthTo>>10, last.bytes>>20, last.work.Round(time.Millisecond), last.message)
			}
		})
	}
}

// asked returns a call of a handler with a review.
func asked(h *Handler, review string) func() int {
	h.With(BodyLimit(1<<30), Log(slog.New(slog.DiscardHandler)))
	return func() int {
		h.calls = sync.Pool{New: h.calls.New} // no memory of another call
		r := httptest.NewRequest(http.MethodPost, "/?timeout=10s", strings.NewReader(review))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		n := w.Body.Len()
		if i := strings.Index(w.Body.String(), `"patch":`); i >= 0 {
			n = i
		}
		return n
	}
}

// created returns a call that creates a node. It is validated, or defaulted.
func created(object string, edit func(n *node)) func() int {
	if edit == nil {
		return asked(Validating("nodes.example.com", OnCreate(func(context.Context, *CreateRequest[node]) error { return nil })), reviewOf(Create, object, ""))
	}
	return asked(Mutating("nodes.example.com", OnCreate(func(_ context.Context, r *CreateRequest[node]) error {
		edit(r.Object)
		return nil
	})), reviewOf(Create, object, ""))
}

// updated returns a call that updates a node, whose validator ratchets.
func updated(object, old string, check func(n *node) field.ErrorList, options ...Option) func() int {
	return asked(Validating("nodes.example.com", append(options, Ratchet(true), OnUpdate(func(_ context.Context, r *UpdateRequest[node]) error {
		return check(r.Object).ToAggregate()
	}))...), reviewOf(Update, object, old))
}

// everyNode calls f for a node and all nodes in it.
func everyNode(n *node, f func(n *node)) {
	f(n)
	if n.Child != nil {
		everyNode(n.Child, f)
	}
	for _, list := range append([][]node{n.List, n.Keyed}, n.Lists...) {
		for i := range list {
			everyNode(&list[i], f)
		}
	}
	for _, below := range n.Refs {
		if below != nil {
			everyNode(below, f)
		}
	}
	for key, below := range n.Map {
		everyNode(&below, f)
		n.Map[key] = below
	}
	for _, below := range n.Maps {
		everyNode(&below.node, f)
		for i := range below.Next {
			everyNode(&below.Next[i], f)
		}
	}
}

// badNodes are the errors of the elements of the lists of a node.
func badNodes(n *node) (list field.ErrorList) {
	bad := func(path *field.Path, n int) {
		if n > 0 {
			list = append(list, field.Invalid(path.Child("n"), n, "must be zero"))
		}
	}
	for i, below := range n.List {
		bad(field.NewPath("list").Index(i), below.N)
		for j, inner := range below.List {
			bad(field.NewPath("list").Index(i).Child("list").Index(j), inner.N)
		}
	}
	for i, below := range n.Keyed {
		bad(field.NewPath("keyed").Index(i), below.N)
		for j, inner := range below.List {
			bad(field.NewPath("keyed").Index(i).Child("list").Index(j), inner.N)
		}
	}
	for i, inner := range n.Lists {
		for j, below := range inner {
			bad(field.NewPath("lists").Index(i).Index(j), below.N)
		}
	}
	for i, tag := range n.Tags {
		if strings.HasPrefix(tag, "bad") {
			list = append(list, field.Invalid(field.NewPath("tags").Index(i), tag, "must be good"))
		}
	}
	return list
}

func growthRows() []growthRow {
	shape := new(wire.Shapes).Of(reflect.TypeFor[node]())
	// leaving decodes a member of a node, and notes misfits.
	leaving := func(text string) func() int {
		f := &shape.Fields[shape.Index["child"]]
		return func() int {
			var unfit []wire.Unfit
			wire.DecodeLeaving([]byte(text), nil, f, reflect.New(shape.Typ).Elem(), &unfit)
			longest := 0
			for _, u := range unfit {
				longest = max(longest, len(u.Path))
			}
			return longest
		}
	}
	misfits := []string{`"name":1`, `"n":"x"`, `"tags":[1]`, `"labels":{"a":1}`, `"list":{}`, `"map":[]`, `"any":1e999`, `"n":1,"n":2`, `"labels":{"a":"","a":""}`,
		`"any":{"a":{"b":1,"b":1}}`, `"raw":{"a":1,"a":2}`, `"sets":{"a":[1]}`}
	element := func(i int) string { return fmt.Sprintf(`{"name":"e%d","x":%d}`, i, i) }
	small := func(m maker) string { return strings.Repeat("k", m.size/2) }
	half := func(m maker) maker { return maker{m.Rand, m.size / 2} }
	reversed := func(l []node) { slices.Reverse(l) }
	shuffled := func(l []node) {
		rand.New(rand.NewPCG(1, 1)).Shuffle(len(l), func(i, j int) { l[i], l[j] = l[j], l[i] })
	}
	return []growthRow{
		{"a misfit at the bottom", func(m maker) func() int { return created(m.deep("{"+misfits[m.IntN(len(misfits))]+"}"), nil) }, 100},
		{"a misfit in both objects", func(m maker) func() int {
			bad := half(m).deep(`{"name":1}`)
			return updated(bad, bad, badNodes)
		}, 100},
		{"a misfit below long keys", func(m maker) func() int {
			key := strings.Repeat(`\u006b`, m.size/60)
			return created(strings.Repeat(`{"map":{"`+key+`":`, 10)+`{"name":1}`+strings.Repeat("}}", 10), nil)
		}, 100},
		{"a misfit left at each level", func(m maker) func() int { return leaving(m.deep(`{"name":1}`, misfits...)) }, 200},
		{"misfits of single members left at each level", func(m maker) func() int { return leaving(m.deep(`{"name":1}`, misfits[1:4]...)) }, 200},
		{"misfits left at the bottom", func(m maker) func() int {
			inner := `{"list":[` + half(m).many(func(int) string { return `{"n":"x"}` }) + `]}`
			return leaving(half(m).deep(inner))
		}, 400},
		{"misfits left in a list", func(m maker) func() int {
			return leaving(`{"list":[` + m.many(func(int) string { return `{"n":""}` }) + `]}`)
		}, 400},
		{"misfits left below a long key", func(m maker) func() int {
			return leaving(`{"map":{"` + small(m) + `":{"list":[` + half(m).many(func(int) string { return `{"n":""}` }) + `]}}}`)
		}, 400},
		{"a key twice at each level", func(m maker) func() int {
			return leaving(m.deep(`{}`, `"n":1,"n":1`, `"child":null,"child":{"n":1},"x":1`))
		}, 200},
		{"many keys", func(m maker) func() int {
			return created(`{"labels":{`+m.many(func(i int) string { return fmt.Sprintf(`"%d":""`, i) })+`,"0":""}}`, nil)
		}, 100},
		{"many keys that differ at the end", func(m maker) func() int {
			key := strings.Repeat("k", 60)
			return created(`{"raw":{`+m.many(func(i int) string { return fmt.Sprintf(`"%s%d":""`, key, i) })+`,"0":""}}`, nil)
		}, 100},
		{"unknown members", func(m maker) func() int {
			return created(`{`+m.many(func(i int) string { return fmt.Sprintf(`"\u0061%d":{"b":[]}`, i) })+`}`, nil)
		}, 100},
		{"deep unknown members", func(m maker) func() int {
			return created(`{"unknown":`+m.deep(`{"name":1}`)+`,"name":"x"}`, func(n *node) { n.Name = "y" })
		}, 100},
		{"escapes", func(m maker) func() int {
			return created(`{"name":"`+strings.Repeat(`\ud83d\ude00\"\ud83d`, m.size/20)+`"}`, func(n *node) { n.Tags = []string{n.Name}; n.Labels = map[string]string{n.Name: ""} })
		}, 100},
		{"escapes in many strings", func(m maker) func() int {
			return created(`{"tags":[`+m.many(func(int) string { return `"\u0000\n"` })+`]}`, func(n *node) { slices.Reverse(n.Tags); n.Tags[0] = "x" })
		}, 400},
		{"an envelope with unknown members", func(m maker) func() int {
			unknown := half(m).many(func(i int) string { return fmt.Sprintf(`"\u0061%d":[{"request":{}}]`, i) }) + ","
			review := strings.Replace(reviewOf(Create, `{}`, ""), `"uid"`, unknown+`"uid"`, 1)
			return asked(Validating("x", OnCreate(func(context.Context, *CreateRequest[node]) error { return errors.New("no") })), "{"+unknown+review[1:])
		}, 100},
		{"an envelope with a deep unknown member", func(m maker) func() int {
			return asked(Validating("x", OnCreate(func(context.Context, *CreateRequest[node]) error { return nil })), `{"unknown":`+m.deep(`{}`)+`,`+reviewOf(Create, `{}`, "")[1:])
		}, 100},
		{"an envelope with a long text", func(m maker) func() int {
			long := `"` + strings.Repeat(`\u0001`, m.size/6) + `"`
			review := reviewOf(Create, `{"n":"x"}`, "")
			for _, place := range [][2]string{{`"kind":"AdmissionReview"`, `"kind":`}, {`"apiVersion":"admission.k8s.io/v1"`, `"apiVersion":`}, {`"operation":"CREATE"`, `"operation":`}, {`"name":"web"`, `"name":`}, {`"kind":"Pod"`, `"kind":`}} {
				if !strings.Contains(review, place[0]) {
					panic(place[0] + " in " + review)
				}
				if m.IntN(3) == 0 || place[0] == `"kind":"Pod"` {
					review = strings.Replace(review, place[0], place[1]+long, 1)
					break
				}
			}
			return asked(Validating("x", ForKind("v1", "Pod"), OnCreate(func(context.Context, *CreateRequest[node]) error { return nil })), review)
		}, 100},
		{"an envelope with a large user", func(m maker) func() int {
			extra := `"extra":{` + half(m).many(func(i int) string { return fmt.Sprintf(`"%d":["x"]`, i) }) + `},"groups":[` + half(m).many(func(i int) string { return `"g"` }) + `],`
			return asked(Validating("x", OnCreate(func(context.Context, *CreateRequest[node]) error { return nil })), strings.Replace(reviewOf(Create, `{}`, ""), `"username"`, extra+`"username"`, 1))
		}, 100},

		{"an edit at each level", func(m maker) func() int {
			return created(m.deep(`{}`), func(n *node) { everyNode(n, func(n *node) { n.N++ }) })
		}, 400},
		{"an edit at the bottom", func(m maker) func() int {
			return created(m.deep(`{"name":"bottom"}`, `"tags":["a","b"]`, `"any":{"a":[1]}`), func(n *node) {
				everyNode(n, func(n *node) {
					if n.Name == "bottom" {
						n.N++
					}
				})
			})
		}, 400},
		{"an edit below a large list", func(m maker) func() int {
			return created(`{"list":[`+half(m).many(element)+`,`+half(m).deep(`{"name":"bottom"}`)+`]}`, func(n *node) {
				everyNode(n, func(n *node) {
					if n.Name == "bottom" {
						n.N++
					}
				})
			})
		}, 400},
		{"edits below a long key", func(m maker) func() int {
			return created(`{"map":{"`+small(m)+`":{"list":[`+half(m).many(element)+`]}}}`, func(n *node) { everyNode(n, func(n *node) { n.N++ }) })
		}, 400},
		{"edits below nested arrays", func(m maker) func() int {
			depth := min(m.size/4, wire.MaxDepth-20)
			return created(`{"any":`+strings.Repeat("[", depth)+`"x"`+strings.Repeat("]", depth)+`,"name":"`+strings.Repeat("x", m.size-2*depth)+`"}`, func(n *node) {
				l := n.Any.([]any)
				for {
					inner, ok := l[0].([]any)
					if !ok {
						break
					}
					l = inner
				}
				l[0] = "y"
			})
		}, 400},
		{"moved elements", func(m maker) func() int {
			return created(`{"list":[`+m.many(element)+`]}`, func(n *node) { shuffled(n.List) })
		}, 400},
		{"moved elements with keys", func(m maker) func() int {
			return created(`{"keyed":[`+m.many(element)+`]}`, func(n *node) { reversed(n.Keyed) })
		}, 400},
		{"equal keys", func(m maker) func() int {
			return created(`{"keyed":[`+m.many(func(i int) string { return fmt.Sprintf(`{"name":"a","n":%d}`, i) })+`]}`, func(n *node) { shuffled(n.Keyed); n.Keyed[0].N++ })
		}, 400},
		{"equal elements", func(m maker) func() int {
			return created(`{"list":[`+m.many(func(int) string { return `{"name":"a"}` })+`]}`, func(n *node) { n.List = append(n.List[1:], node{Name: "b"}) })
		}, 400},
		{"an element in front", func(m maker) func() int {
			return created(`{"list":[`+m.many(element)+`]}`, func(n *node) { n.List = append([]node{{Name: "new"}}, n.List...) })
		}, 400},
		{"every other element goes", func(m maker) func() int {
			return created(`{"keyed":[`+m.many(element)+`]}`, func(n *node) {
				i := 0
				n.Keyed = slices.DeleteFunc(n.Keyed, func(node) bool { i++; return i%2 == 0 })
			})
		}, 400},
		{"long list keys", func(m maker) func() int {
			return created(`{"keyed":[{"name":"`+small(m)+`"},`+half(m).many(element)+`]}`, func(n *node) { reversed(n.Keyed) })
		}, 400},
		{"values left out by their own rule", func(m maker) func() int {
			depth := min(m.size/12, wire.MaxDepth-20)
			return created(`{"name":"`+strings.Repeat("x", m.size-12*depth)+`","veiled":`+strings.Repeat(`{"veiled":`, depth)+`{"x":1}`+strings.Repeat("}", depth)+`}`, func(n *node) {})
		}, 100},
		{"labels", func(m maker) func() int {
			return created(`{"labels":{`+m.many(func(i int) string { return fmt.Sprintf(`"%d":"%d"`, i, i) })+`}}`, func(n *node) {
				for key := range n.Labels {
					n.Labels[key+"x"] = "y"
					delete(n.Labels, key)
					if len(n.Labels) < 100 {
						break
					}
				}
			})
		}, 400},

		{"ratchet a list", func(m maker) func() int {
			bad := half(m).many(func(i int) string { return fmt.Sprintf(`{"n":%d}`, i) })
			parts := strings.SplitAfterN(bad, ",", 3)
			return updated(`{"list":[`+bad+`]}`, `{"list":[`+parts[1]+parts[0]+parts[2]+`]}`, badNodes)
		}, 800},
		{"ratchet a list with keys", func(m maker) func() int {
			bad := half(m).many(func(i int) string { return fmt.Sprintf(`{"name":"a%d","n":1}`, i) })
			return updated(`{"keyed":[{},`+bad+`]}`, `{"keyed":[`+bad+`]}`, badNodes)
		}, 800},
		{"ratchet a set", func(m maker) func() int {
			bad := half(m).many(func(i int) string { return fmt.Sprintf(`"bad%d"`, i) })
			return updated(`{"tags":["good",`+bad+`]}`, `{"tags":[`+bad+`]}`, badNodes, ListKeys[node]("tags"))
		}, 800},
		{"ratchet below a long key", func(m maker) func() int {
			bad := `{"keyed":[{"name":"` + small(half(m)) + `","list":[` + half(half(m)).many(func(i int) string { return fmt.Sprintf(`{"n":%d}`, i) }) + `]}]}`
			return updated(bad, bad, badNodes)
		}, 800},
		{"ratchet inside a large element", func(m maker) func() int {
			bad := `{"lists":[[],[` + half(m).many(func(i int) string { return fmt.Sprintf(`{"n":%d}`, i) }) + `]]}`
			return updated(bad, bad, badNodes)
		}, 800},
		{"ratchet an element with many errors", func(m maker) func() int {
			bad := `{"list":[{"labels":{` + half(m).many(func(i int) string { return fmt.Sprintf(`"k%d":"bad"`, i) }) + `}}]}`
			return updated(bad, bad, func(n *node) (list field.ErrorList) {
				for i := range n.List {
					for key, value := range n.List[i].Labels {
						list = append(list, field.Invalid(field.NewPath("list").Index(i).Child("labels").Key(key), value, "must be good"))
					}
				}
				return list
			})
		}, 800},
		{"many field errors", func(m maker) func() int {
			return updated(`{"list":[`+m.many(func(i int) string { return fmt.Sprintf(`{"n":%d}`, i+1) })+`]}`, `{}`, badNodes)
		}, 800},
		{"many joined errors", func(m maker) func() int {
			text := `{"tags":[` + m.many(func(i int) string { return `"tag"` }) + `]}`
			kind := m.IntN(3)
			return asked(Validating("x", OnCreate(func(_ context.Context, r *CreateRequest[node]) error {
				var all []error
				var err error
				for i := range r.Object.Tags {
					all = append(all, fmt.Errorf("tag %d is bad", i))
					if kind == 1 {
						err = errors.Join(err, all[i])
					}
				}
				if kind != 1 {
					err = errors.Join(all...)
				}
				return err
			})), reviewOf(Create, text, ""))
		}, 800},
		{"many warnings", func(m maker) func() int {
			return asked(Validating("x", OnCreate(func(_ context.Context, r *CreateRequest[node]) error {
				var all []string
				for i := range r.Object.Tags {
					all = append(all, fmt.Sprintf("tag %d is bad", i))
				}
				r.Warn(all...)
				r.Warn(all...)
				return nil
			})), reviewOf(Create, `{"tags":[`+m.many(func(i int) string { return `"tag"` })+`]}`, ""))
		}, 800},
		{"one long error", func(m maker) func() int {
			return asked(Validating("x", OnCreate(func(_ context.Context, r *CreateRequest[node]) error {
				return field.Invalid(field.NewPath("name"), r.Object.Name, "is bad")
			})), reviewOf(Create, `{"name":"`+strings.Repeat(`\u0001`, m.size/6)+`"}`, ""))
		}, 100},
		{"a deleted object that does not change", func(m maker) func() int {
			object := half(m).deep(`{"name":"x"}`)
			old := `{"metadata":{"deletionTimestamp":"2026-01-02T03:04:05Z"},` + object[1:]
			return asked(Validating("x", SkipDeletingUnchanged(), OnUpdate(func(context.Context, *UpdateRequest[node]) error { return errors.New("no") })), reviewOf(Update, object, old))
		}, 100},
	}
}
