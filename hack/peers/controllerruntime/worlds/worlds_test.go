// SPDX-License-Identifier: Apache-2.0

package worlds

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	keep   = flag.String("keep", "", "a folder to keep the worlds in")
	first  = flag.Uint64("first", 1, "the first seed")
	number = flag.Int("worlds", 50, "the number of worlds")
	step   = flag.Int("step", 1, "the difference of seeds")
	small  = flag.String("shrink", "", "classes to shrink, by a part of their names; . for all")
	out    = flag.String("out", "", "the folder for examples")
)

func TestWorlds(t *testing.T) {
	start := time.Now()
	shop, err := newWorkshop(t.Context(), cmp.Or(*keep, t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	h := &hunt{shop: shop, sessions: 20, edits: 4, found: map[string]*example{}}
	var seeds []uint64
	for i := range *number {
		seeds = append(seeds, *first+uint64(i)*uint64(*step))
	}
	if err := h.run(t.Context(), seeds); err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", h.tally)
	for _, class := range slices.Sorted(maps.Keys(h.found)) {
		e := h.found[class]
		t.Logf("%d %s: world %d: %s", e.times, class, e.world.seed, firstLines(e.fault.detail, 3))
		if *small != "" && (*small == "." || strings.Contains(class, *small)) {
			if err := h.shrink(t.Context(), class); err != nil {
				t.Error(err)
			}
			if *out != "" {
				if err := os.WriteFile(filepath.Join(*out, strings.NewReplacer(" ", "-", ":", "", "*", "", "/", "-").Replace(class)+".txtar"), e.archive(), 0o644); err != nil {
					t.Error(err)
				}
			} else {
				fmt.Println(string(e.archive()))
			}
		}
	}
	t.Log(time.Since(start))
}
