// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"
)

// shrink makes a disagreement smaller while it remains one, and returns it as a file of testdata/random.
func (g *randomGrid) shrink(t *testing.T, from *trial, index int) string {
	t.Helper()
	saw := map[string]bool{}
	for _, s := range from.requests[index].answer.Steps {
		saw[s.Policy] = saw[s.Policy] || s.Verdict != "notMatched"
	}
	best := &trial{recipes: []recipe{from.recipes[index]}}
	diff := from.requests[index].diff
	for _, p := range from.policies {
		name := p.(map[string]any)["object"].(map[string]any)["metadata"].(map[string]any)["name"].(string)
		name = strings.ReplaceAll(name, batchName, from.label)
		if saw[name] || strings.Contains(diff, name) {
			best.policies = append(best.policies, p)
		}
	}
	kind := kindOf(diff)
	kind = kind[:min(len(kind), 20)]
	const rounds, width = 40, 48
	pending := []*trial{{policies: best.policies, recipes: best.recipes}, {policies: from.policies, recipes: best.recipes}}
	for round := 0; round < rounds && len(pending) > 0; round++ {
		some := pending[:min(width, len(pending))]
		pending = pending[len(some):]
		for i, tr := range some {
			tr.label = fmt.Sprintf("s%d-%d", g.runs, i)
		}
		g.run(t, some...)
		var smaller *trial
		for _, tr := range some {
			r := tr.requests[0]
			refused := slices.ContainsFunc(slices.Collect(maps.Values(tr.reasons)), func(reason string) bool {
				return !strings.Contains(diff, "the API server refuses it") || !strings.Contains(reason, "compilation failed")
			})
			sameKind := strings.HasPrefix(kindOf(r.diff), kind)
			if r.invalid == "" && sameKind && !refused && (smaller == nil || tr.size() < smaller.size()) {
				smaller = tr
			}
		}
		if smaller != nil {
			best, diff, pending = smaller, strings.ReplaceAll(smaller.requests[0].diff, smaller.label, batchName), smaller.parts()
		} else if round == 0 {
			return "it does not happen again"
		}
	}
	return best.file(diff)
}

// size is the number of characters of a trial.
func (tr *trial) size() int {
	text, _ := json.Marshal([]any{tr.policies, tr.recipes[0].Stored, tr.recipes[0].Body})
	return len(text)
}

// parts are the trials that lack one policy, member, item or part of an expression, large parts first.
func (tr *trial) parts() (all []*trial) {
	r := tr.recipes[0]
	with := func(policies any, r recipe) {
		all = append(all, &trial{policies: policies.([]any), recipes: []recipe{r}})
	}
	if smaller(tr.policies, func(v any) { with(v, r) }); len(tr.policies) == 1 {
		all = all[1:] // without a policy there is nothing to explain
	}
	if r.Stored != nil {
		smaller(r.Stored, func(v any) { r := r; r.Stored = v.(map[string]any); with(tr.policies, r) })
	}
	smaller(r.Body, func(v any) { r := r; r.Body = v; with(tr.policies, r) })
	slices.SortStableFunc(all, func(a, b *trial) int { return a.size() - b.size() })
	return all
}

// smaller yields copies of a value that lack one member, item or part of an expression.
func smaller(value any, yield func(any)) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if slices.Contains([]string{"object", "apiVersion", "kind", "labels", "name", "objectSelector", "resourceNames"}, key) && key != "object" {
				continue
			}
			if key != "object" && key != "metadata" && key != "spec" {
				less := maps.Clone(v)
				delete(less, key)
				yield(less)
			}
			smaller(v[key], func(part any) {
				less := maps.Clone(v)
				less[key] = part
				yield(less)
			})
		}
	case []any:
		for i := range v {
			yield(slices.Delete(slices.Clone(v), i, i+1))
			smaller(v[i], func(part any) {
				less := slices.Clone(v)
				less[i] = part
				yield(less)
			})
		}
	case *tree:
		v.smaller(func(part *tree) { yield(part) })
	}
}

// smaller yields expressions of the same type with a part in place of the whole, or a constant.
func (x *tree) smaller(yield func(*tree)) {
	constants := map[byte][]string{'s': {"'a'"}, 'i': {"1"}, 'b': {"true", "false"}, 'l': {"[]"}, 'n': {"[1]"}}
	if !slices.Contains(slices.Concat(constants['s'], constants['i'], constants['b'], constants['l'], constants['n']), x.form) {
		for _, form := range constants[x.of] {
			yield(&tree{of: x.of, form: form})
		}
	}
	for i, part := range x.parts {
		if part.of == x.of {
			yield(part)
		}
		part.smaller(func(less *tree) {
			parts := slices.Clone(x.parts)
			parts[i] = less
			yield(&tree{of: x.of, form: x.form, parts: parts})
		})
	}
}

// file is a trial of one request as a file of testdata/random.
func (tr *trial) file(diff string) string {
	archive := &txtar.Archive{Comment: []byte(diff + "\n")}
	for _, f := range []struct {
		name  string
		value any
	}{{"policies.yaml", tr.policies}, {"request.yaml", tr.recipes[0]}} {
		text, err := yaml.Marshal(f.value)
		if err != nil {
			return err.Error()
		}
		archive.Files = append(archive.Files, txtar.File{Name: f.name, Data: text})
	}
	return string(txtar.Format(archive))
}

// readTrial reads a file of testdata/random.
func readTrial(t *testing.T, name, label string) *trial {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	tr := &trial{label: label, recipes: make([]recipe, 1)}
	for _, f := range archive.Files {
		var into any = &tr.policies
		if f.Name == "request.yaml" {
			into = &tr.recipes[0]
		}
		if err := yaml.UnmarshalStrict(f.Data, into); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return tr
}
