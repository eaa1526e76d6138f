// SPDX-License-Identifier: Apache-2.0

package worlds

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	keep   = flag.String("keep", "", "a folder to keep the worlds in")
	first  = flag.Uint64("first", 1, "the first seed")
	number = flag.Int("worlds", 50, "the number of worlds")
)

func TestWorlds(t *testing.T) {
	start := time.Now()
	shop, err := newWorkshop(t.Context(), cmp.Or(*keep, t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	t.Log("built", time.Since(start))
	var all []*world
	for i := range *number {
		all = append(all, invent(*first+uint64(i)))
	}
	b, err := shop.make(t.Context(), "batch", all)
	if err != nil {
		t.Fatal(err)
	}
	defer b.server.stop()
	t.Log("made", time.Since(start))
	count, classes, example := &tally{}, map[string]int{}, map[string]string{}
	for _, m := range b.worlds {
		if m.broken != "" {
			classes[m.broken]++
			detail := m.detail
			if m.broken == "refused" {
				classes["refused "+strings.SplitN(m.detail, "\n", 2)[0]]++
			}
			if _, ok := example[m.broken]; !ok {
				example[m.broken] = m.name + " " + detail
			}
			continue
		}
		count.worlds++
		for i, s := range m.clients(1, 12) {
			_, f, log := m.play(b.server, s, count, rand.New(rand.NewPCG(m.seed, uint64(i))), 4)
			if f != nil {
				key := f.class + " [" + f.reported + "]"
				classes[key]++
				if _, ok := example[key]; !ok {
					example[key] = fmt.Sprintf("%s, stored in %s: %s\n  %s", m.name, s.storage, f.detail, strings.Join(log, "\n  "))
				}
			}
		}
	}
	t.Logf("%+v", *count)
	for _, class := range slices.Sorted(maps.Keys(classes)) {
		t.Log(classes[class], class, "\n  ", example[class])
	}
	t.Log(time.Since(start))
}
