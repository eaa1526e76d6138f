// SPDX-License-Identifier: Apache-2.0

package worlds

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/txtar"
)

// hunt looks for faults in many worlds.
type hunt struct {
	shop     *workshop
	sessions int // of each world
	edits    int // of each session
	tally    tally
	found    map[string]*example // by class
	batches  int
	start    time.Time
}

// example is the first fault of a class.
type example struct {
	world   *world
	session session
	fault   fault
	log     []string
	times   int
	after   time.Duration
	// tests is the outcome of the generated tests: green, red or unknown.
	tests string
}

// run makes worlds from seeds, and lets clients use them.
func (h *hunt) run(ctx context.Context, seeds []uint64) error {
	var all []*world
	for _, seed := range seeds {
		all = append(all, invent(seed))
	}
	b, err := h.batch(ctx, all)
	if err != nil {
		return err
	}
	for _, m := range b.worlds {
		h.tally.add(m)
		if m.broken != "" {
			f := m.breakage()
			h.keep(m, session{}, f, nil)
			continue
		}
		r := rand.New(rand.NewPCG(m.seed, 7))
		for i := range h.sessions {
			s, ok := m.begin(r, i)
			if !ok {
				continue
			}
			s, f, log := m.play(b.server, s, &h.tally, r, h.edits)
			if f != nil {
				h.keep(m, s, f, log)
			}
		}
	}
	return b.server.stop()
}

// batch makes worlds.
func (h *hunt) batch(ctx context.Context, all []*world) (*batch, error) {
	h.batches++
	return h.shop.make(ctx, fmt.Sprint("batch", h.batches), all)
}

// keep remembers a fault.
func (h *hunt) keep(m *made, s session, f *fault, log []string) {
	if f == nil {
		return
	}
	if e := h.found[f.class]; e != nil {
		e.times++
		return
	}
	h.found[f.class] = &example{m.world, s, *f, log, 1, time.Since(h.start), "unknown"}
}

// breakage is the fault of a world without conversions; nil if it was refused, which only counts.
func (m *made) breakage() *fault {
	switch m.broken {
	case "refused", "no definition", "invalid definition":
		return nil
	}
	f := &fault{judge: m.broken, detail: m.detail}
	if m.theme == "recursive" && (m.broken == "crash" || m.broken == "endless planning") {
		f.class = "types that contain themselves" // a slow machine reaches the time limit before the stack overflows
		return f
	}
	f.class = m.broken
	if m.theme != "" {
		f.class += ": " + m.theme
	}
	return f
}

// shrink makes the example of a class smaller: first what clients do, then the API.
func (h *hunt) shrink(ctx context.Context, class string) error {
	e := h.found[class]
	if e.session.operations == nil {
		return h.shrinkWorld(ctx, e)
	}
	b, err := h.batch(ctx, []*world{e.world})
	if err != nil {
		return err
	}
	defer b.server.stop()
	e.shrinkSession(b.worlds[0], b.server)
	if err := errors.Join(b.server.stop(), h.shrinkWorld(ctx, e)); err != nil {
		return err
	}
	b, err = h.batch(ctx, []*world{e.world})
	if err != nil {
		return err
	}
	e.tests = "green"
	if _, _, err := h.shop.command(ctx, b.dir, "go", "test", "-vet=off", "./"+e.world.name+"/..."); err != nil {
		e.tests = "red"
	}
	return b.server.stop()
}

// shows plays a session, and reports whether it ends with a fault of the example's class.
func (e *example) shows(m *made, c *converter, s session) bool {
	if m.broken != "" {
		return false
	}
	_, f, log := m.play(c, s, &tally{}, nil, 0)
	if f == nil || f.class != e.fault.class {
		return false
	}
	e.session, e.fault, e.log = s, *f, log
	return true
}

// shrinkSession leaves out operations, and members of the objects in them, as long as the fault shows.
func (e *example) shrinkSession(m *made, c *converter) {
	for again := true; again; {
		again = false
		for i := len(e.session.operations) - 1; i > 0; i-- {
			s := e.session
			s.operations = slices.Delete(slices.Clone(s.operations), i, i+1)
			again = e.shows(m, c, s) || again
		}
		for i := range e.session.operations {
			for {
				smaller := false
				for value := range less(e.session.operations[i].value) {
					s := e.session
					s.operations = slices.Clone(s.operations)
					s.operations[i].value = value
					if e.shows(m, c, s) {
						smaller = true
						break
					}
				}
				if !smaller {
					break
				}
				again = true
			}
		}
	}
}

// less returns copies of a value that lack one thing each, large things first.
func less(v any) func(yield func(any) bool) {
	return func(yield func(any) bool) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				if name == "metadata" || name == "apiVersion" || name == "kind" {
					continue
				}
				other := maps.Clone(v)
				delete(other, name)
				if !yield(other) {
					return
				}
			}
			for _, name := range slices.Sorted(maps.Keys(v)) {
				if name == "metadata" { // an object without a name is a part of one
					continue
				}
				for inner := range less(v[name]) {
					other := maps.Clone(v)
					other[name] = inner
					if !yield(other) {
						return
					}
				}
			}
		case []any:
			for i := range v {
				if !yield(slices.Delete(slices.Clone(v), i, i+1)) {
					return
				}
			}
			for i := range v {
				for inner := range less(v[i]) {
					other := slices.Clone(v)
					other[i] = inner
					if !yield(other) {
						return
					}
				}
			}
		}
	}
}

// renamed returns the session for a world of another name.
func (s session) renamed(name string) session {
	s.operations = slices.Clone(s.operations)
	for i, o := range s.operations {
		if object, ok := o.value.(map[string]any); ok && o.verb == "create" {
			object = clone(object)
			object["apiVersion"] = name + ".example.com/" + o.version
			s.operations[i].value = object
		}
	}
	return s
}

// shrinkWorld leaves out fields as long as the fault shows. It tries each alone, and then several of the fields
// that the fault does not need.
func (h *hunt) shrinkWorld(ctx context.Context, e *example) error {
	var ids []int
	for _, v := range e.world.versions {
		for _, s := range v.structures() {
			for _, f := range s.fields {
				if f.json != "spec" && f.json != "name" && !slices.Contains(ids, f.id) {
					ids = append(ids, f.id)
				}
			}
		}
	}
	if len(ids) > 60 {
		ids = ids[:60]
	}
	slices.Sort(ids)
	var alone []map[int]bool
	for _, id := range ids {
		alone = append(alone, map[int]bool{id: true})
	}
	var can []int
	_, err := h.try(ctx, e, alone, func(i int) bool {
		can = append(can, ids[i])
		return false
	})
	if err != nil || len(can) == 0 {
		return err
	}
	var together []map[int]bool
	for i := range can {
		cut := map[int]bool{}
		for _, id := range can[:len(can)-i] {
			cut[id] = true
		}
		together = append(together, cut)
		other := map[int]bool{}
		for _, id := range can[i:] {
			other[id] = true
		}
		together = append(together, other)
	}
	slices.SortStableFunc(together, func(a, b map[int]bool) int { return len(b) - len(a) })
	_, err = h.try(ctx, e, together[:min(len(together), 40)], func(int) bool { return true })
	return err
}

// try makes a world without fields for each cut, and calls found with the index of each cut whose world shows the
// fault. If found returns true, that world is the example.
func (h *hunt) try(ctx context.Context, e *example, cuts []map[int]bool, found func(int) bool) (bool, error) {
	var all []*world
	for i, cut := range cuts {
		w := e.world.without(cut)
		w.name = fmt.Sprintf("%sx%d", e.world.name, i)
		all = append(all, w)
	}
	b, err := h.batch(ctx, all)
	if err != nil {
		return false, err
	}
	defer b.server.stop()
	for i, m := range b.worlds {
		shown := *e
		if e.session.operations == nil {
			f := m.breakage()
			if f == nil || f.class != e.fault.class {
				continue
			}
			shown.fault = *f
		} else if !shown.shows(m, b.server, e.session.renamed(m.name)) {
			continue
		}
		if found(i) {
			shown.world = m.world
			*e = shown
			return true, nil
		}
	}
	return false, nil
}

// archive is the example as a txtar file.
func (e *example) archive() []byte {
	a := &txtar.Archive{}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n\n", e.fault.class, firstLines(e.fault.detail, 12))
	if e.session.operations != nil {
		plan := "By the plan, nothing is lost"
		if e.fault.silent {
			plan = "The plan keeps a part of the value in the annotation"
		}
		fmt.Fprintf(&b, "%s. The storage version is %s. The generated tests are %s.\n\n", plan, e.session.storage, e.tests)
	}
	for _, line := range e.log {
		fmt.Fprintf(&b, "    %s\n", line)
	}
	fmt.Fprintf(&b, "\nThe seed is %d.\n", e.world.seed)
	a.Comment = []byte(b.String())
	for _, v := range e.world.versions {
		text, _ := e.world.source(v)
		a.Files = append(a.Files, txtar.File{Name: "api/" + v.name + "/types.go", Data: formatted(text)})
	}
	return txtar.Format(a)
}

func firstLines(text string, most int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[:min(len(lines), most)], "\n")
}
