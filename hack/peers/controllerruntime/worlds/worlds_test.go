// SPDX-License-Identifier: Apache-2.0

package worlds

import (
	"cmp"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var (
	first  = flag.Uint64("worlds.first", 1, "the first seed")
	number = flag.Int("worlds.number", 80, "the number of seeds")
	folder = flag.String("worlds.dir", "", "the folder in which worlds are made and kept")
	only   = flag.String("worlds.only", "", "a part of the names of the classes that are shrunk")
	shrunk = flag.String("worlds.shrunk", "", "the folder for an example of each class, made as small as possible")
)

// known are the classes of faults that the fixed seeds find and that are not mended yet, with the reason. A class that
// the seeds no longer find has to go.
var known = map[string]string{}

// least are the minimums of what the fixed seeds try.
var least = struct{ worlds, objects, edits, reads, feature int }{70, 1000, 3000, 8000, 3}

// TestWorlds invents APIs from fixed seeds, and lets clients use them. It fails for each class of faults that is not
// known, for each known class that the seeds do not find, and if the seeds try too little.
func TestWorlds(t *testing.T) {
	if os.Getenv("WORLDTIME") != "" {
		t.Skip("TestFreshWorlds runs instead")
	}
	h := newHunt(t)
	if err := h.run(t.Context(), seeds(*first, *number)); err != nil {
		t.Fatal(err)
	}
	h.report(t)
	if *first != 1 || *number != 80 {
		return
	}
	for _, class := range slices.Sorted(maps.Keys(known)) {
		if h.found[class] == nil {
			t.Errorf("no seed finds %q any more: remove it from the known classes", class)
		}
	}
	c := h.tally
	if c.worlds < least.worlds || c.objects < least.objects || c.edits < least.edits || c.reads < least.reads {
		t.Errorf("too little was tried: %+v", c)
	}
	for _, theme := range themes {
		if c.features["theme: "+theme.name] < least.feature {
			t.Errorf("%d worlds have the theme %q", c.features["theme: "+theme.name], theme.name)
		}
	}
	for _, change := range changes {
		if c.features["change: "+change.name] < least.feature {
			t.Errorf("%d worlds have the change %q", c.features["change: "+change.name], change.name)
		}
	}
}

// TestFreshWorlds tries fresh seeds for WORLDTIME. WORLDSEED sets the first of them.
func TestFreshWorlds(t *testing.T) {
	text := os.Getenv("WORLDTIME")
	if text == "" {
		t.Skip("WORLDTIME is not set")
	}
	limit, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	seed := uint64(time.Now().UnixNano() % 1e9)
	if text := os.Getenv("WORLDSEED"); text != "" {
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("the first seed is %d", seed)
	h := newHunt(t)
	for start := time.Now(); time.Since(start) < limit; seed += 48 {
		before := len(h.found)
		if err := h.run(t.Context(), seeds(seed, 48)); err != nil {
			t.Fatal(err)
		}
		if len(h.found) > before {
			t.Logf("%d classes after %v", len(h.found), time.Since(start).Round(time.Second))
		}
	}
	h.report(t)
}

func newHunt(t *testing.T) *hunt {
	t.Helper()
	shop, err := newWorkshop(t.Context(), cmp.Or(*folder, t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	return &hunt{shop: shop, sessions: 20, edits: 4, found: map[string]*example{}, start: time.Now()}
}

func seeds(first uint64, number int) []uint64 {
	var all []uint64
	for i := range number {
		all = append(all, first+uint64(i))
	}
	return all
}

// report prints the counts and the classes. It fails for false alarms, and with a small example for unknown classes.
func (h *hunt) report(t *testing.T) {
	t.Helper()
	c := h.tally
	t.Logf("%d worlds, %d of them refused; %d objects, %d edits, %d reads; %d requests invalid, %d refused", c.worlds, c.refusals, c.objects, c.edits, c.reads, c.invalid, c.refused)
	t.Logf("%d faults that a finding announces; %d findings about %d worlds that lose nothing", c.reported, len(c.alarms), c.lossless)
	for _, name := range slices.Sorted(maps.Keys(c.features)) {
		t.Logf("%5d %s", c.features[name], name)
	}
	if len(c.alarms)*50 > c.lossless {
		t.Errorf("too many false alarms:\n%s", strings.Join(c.alarms, "\n"))
	}
	for _, class := range slices.Sorted(maps.Keys(h.found)) {
		e := h.found[class]
		t.Logf("%d times, first in world %d after %v: %s: %s", e.times, e.world.seed, e.after.Round(time.Second), class, firstLines(e.fault.detail, 2))
		_, expected := known[class]
		if expected && *shrunk == "" || !strings.Contains(class, *only) {
			continue
		}
		if err := h.shrink(t.Context(), class); err != nil {
			t.Error(err)
		}
		if *shrunk != "" {
			name := strings.NewReplacer(" ", "-", ":", "", "*", "", "/", "-", ",", "", "[", "", "]", "").Replace(class) + ".txtar"
			if err := os.WriteFile(filepath.Join(*shrunk, name), e.archive(), 0o644); err != nil {
				t.Error(err)
			}
		}
		if !expected {
			t.Errorf("a class of faults that is not known:\n%s", e.archive())
		}
	}
}
