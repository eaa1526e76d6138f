// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/webhook-gen/webhook-gen/generator/internal/project"
)

// TestEnforcementNeverGoesSilently edits a project with webhooks, policies, two versions of a kind, definitions and a
// chart at random, and runs commands at random. A command prints each loss of enforcement, or fails and writes nothing.
// The test reads the files without the code of the commands.
// ENFORCEMENTTIME=60s tries more seeds, in their order.
func TestEnforcementNeverGoesSilently(t *testing.T) {
	base := enforcingProject(t)
	seeds, budget := uint64(24), time.Duration(0)
	if testing.Short() {
		seeds = 6
	}
	if text := os.Getenv("ENFORCEMENTTIME"); text != "" {
		var err error
		if budget, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
		seeds = 1 << 32
	}
	begin := time.Now()
	var tried, lost, failed int
	for seed := uint64(1); seed <= seeds && (budget == 0 || time.Since(begin) < budget); seed++ {
		w := walker{rand: rand.New(rand.NewPCG(seed, 35)), dir: t.TempDir(), base: base}
		w.restore(t)
		t.Chdir(w.dir)
		for range 6 {
			for range 1 + w.rand.IntN(2) {
				w.edit(t)
			}
			tried++
			before, was := w.enforced(t), w.tree(t)
			command := w.command()
			output, code := runWords(command)
			w.log("$ webhook-gen " + strings.Join(command, " ") + fmt.Sprintf(" -> %d", code))
			after := w.enforced(t)
			if code != 0 {
				failed++
				if now := w.tree(t); !maps.Equal(was, now) {
					t.Fatalf("seed %d: the command failed and wrote files\n%s\n%s", seed, w.history(), output)
				}
				w.restoreSome(t)
				continue
			}
			for _, item := range slices.Sorted(maps.Keys(before)) {
				if _, still := after[item]; still {
					continue
				}
				lost++
				for _, word := range before[item] {
					if !strings.Contains(output, word) {
						t.Fatalf("seed %d: %s is no longer enforced, and nothing has %q\n%s\n%s", seed, item, word, w.history(), output)
					}
				}
			}
		}
	}
	t.Logf("%d commands, %d failed; %d losses, all printed", tried, failed, lost)
	if lost == 0 || failed == 0 {
		t.Errorf("%d losses and %d failures: the edits reach too little", lost, failed)
	}
}

// TestEnforcementOfABrokenFile breaks files that the command would replace: nobody can tell what they enforce. The
// command fails and names the file, unless the removal is accepted.
func TestEnforcementOfABrokenFile(t *testing.T) {
	base := enforcingProject(t)
	for _, file := range []string{"config/webhook/policies.yaml", "config/webhook/manifests.yaml"} {
		w := walker{rand: rand.New(rand.NewPCG(1, 1)), dir: t.TempDir(), base: base}
		w.restore(t)
		t.Chdir(w.dir)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		broken := strings.Replace(string(text), "metadata:\n", "metadata:\n<<<<<<< HEAD\n", 1) + ">>>>>>> other\n"
		if err := os.WriteFile(file, []byte(broken), 0o644); err != nil {
			t.Fatal(err)
		}
		was := w.tree(t)
		out, code := runWords([]string{"generate"})
		if code == 0 || !strings.Contains(out, filepath.FromSlash(file)+":") || !strings.Contains(out, "[O12]") || !maps.Equal(was, w.tree(t)) {
			t.Errorf("%s is broken: exit code %d\n%s", file, code, out)
		}
		if out, code := runWords([]string{"generate", "--accept-removal"}); code != 0 {
			t.Errorf("%s is broken and may be replaced: exit code %d\n%s", file, code, out)
		}
	}
}

// runWords runs the program in this process. It returns its output and its exit code.
func runWords(words []string) (string, int) {
	var out bytes.Buffer
	code := run(context.Background(), words, streams{out: &out, err: &out, origin: project.Origin{Version: "v0.1.0"}, goCommand: recorded})
	return out.String(), code
}

// enforcingProject returns the files of a project that init and create wrote.
func enforcingProject(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	must := func(words ...string) {
		if out, code := runWords(words); code != 0 {
			t.Fatalf("webhook-gen %s: %s", strings.Join(words, " "), out)
		}
	}
	must("init", "--module", "example.com/shop", "--skip-tidy")
	for _, kind := range []string{"shop/v1/Order", "shop/v1/Cart", "billing/v1/Bill"} {
		group, rest, _ := strings.Cut(kind, "/")
		version, name, _ := strings.Cut(rest, "/")
		must("create", "api", "--group", group, "--version", version, "--kind", name, "--skip-tidy")
		must("create", "webhook", "--group", group, "--version", version, "--kind", name, "--validating", "--mutating", "--skip-tidy")
		if err := os.MkdirAll("config/crd/bases", 0o755); err != nil {
			t.Fatal(err)
		}
		versions := "  - {name: v1, served: true, storage: true}\n"
		if name == "Order" {
			versions += "  - {name: v2, served: true, storage: false}\n"
		}
		plural := strings.ToLower(name) + "s"
		crd := fmt.Sprintf("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: %[1]s.%[2]s.example.com\nspec:\n  group: %[2]s.example.com\n  names: {plural: %[1]s, kind: %[3]s}\n  scope: Namespaced\n  versions:\n%[4]s",
			plural, group, name, versions)
		if err := os.WriteFile(filepath.Join("config/crd/bases", group+".example.com_"+plural+".yaml"), []byte(crd), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	must("create", "version", "--group", "shop", "--version", "v2", "--kind", "Order", "--skip-tidy")
	must("create", "webhook", "--version", "v1", "--kind", "Pod", "--validating", "--skip-tidy")
	for _, file := range []string{"api/v1/cart_types.go", "api/billing/v1/bill_types.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		changed := regexp.MustCompile(`(?m)^type \w+ struct \{\n\tmetav1.TypeMeta +.*\n\tmetav1.ObjectMeta`).ReplaceAllString(string(text),
			"// +webhook:policy:validating(operations: \"create;update\")\n// +webhook:policy:validation(message: \"named\")=\"has(object.metadata.name)\"\n"+
				"// +webhook:policy:validation(message: \"no label\")=\"!has(object.metadata.labels)\"\n$0")
		if err := os.WriteFile(file, []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	must("generate")
	return readFiles(t, dir)
}

// readFiles returns the files below a folder, by slash-separated path.
func readFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// walker is one random walk.
type walker struct {
	rand  *rand.Rand
	dir   string
	base  map[string]string
	steps []string
}

func (w *walker) log(step string)                     { w.steps = append(w.steps, step) }
func (w *walker) history() string                     { return strings.Join(w.steps, "\n") }
func (w *walker) tree(t *testing.T) map[string]string { return readFiles(t, w.dir) }
func (w *walker) pick(words ...string) string         { return words[w.rand.IntN(len(words))] }

// restore writes all files of the project.
func (w *walker) restore(t *testing.T) {
	for name := range w.tree(t) {
		if _, ok := w.base[name]; !ok {
			w.remove(t, name)
		}
	}
	for name, text := range w.base {
		w.write(t, name, text)
	}
}

// restoreSome takes back the edits of the user's files, as after a failed command. The generated files stay.
func (w *walker) restoreSome(t *testing.T) {
	w.log("take the edits back")
	isEdited := func(name string) bool {
		return strings.HasPrefix(name, "api/") || strings.HasPrefix(name, "internal/") || strings.HasPrefix(name, "config/crd/bases/") ||
			name == "webhook-gen.yaml" || name == "go.work" || strings.HasPrefix(name, "moved/")
	}
	for name := range w.tree(t) {
		if _, ok := w.base[name]; !ok && isEdited(name) {
			w.remove(t, name)
		}
	}
	for name, text := range w.base {
		if isEdited(name) && !strings.Contains(name, "zz_generated.webhook") {
			w.write(t, name, text)
		}
	}
}

func (w *walker) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (w *walker) remove(t *testing.T, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(w.dir, filepath.FromSlash(name))); err != nil {
		t.Fatal(err)
	}
}

// edit makes one edit of the user's.
func (w *walker) edit(t *testing.T) {
	files := w.tree(t)
	var types, definitions []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		switch {
		case strings.Contains(files[name], "+webhook:") && strings.HasSuffix(name, ".go") && !strings.Contains(name, "zz_generated"):
			types = append(types, name)
		case strings.HasPrefix(name, "config/crd/bases/"):
			definitions = append(definitions, name)
		}
	}
	if len(types) == 0 {
		w.restoreSome(t)
		return
	}
	file := types[w.rand.IntN(len(types))]
	text := files[file]
	replace := func(pattern, with string) {
		all := regexp.MustCompile(pattern).FindAllStringIndex(text, -1)
		if len(all) == 0 {
			return
		}
		at := all[w.rand.IntN(len(all))]
		now := regexp.MustCompile(pattern).ReplaceAllString(text[at[0]:at[1]], with)
		w.log(fmt.Sprintf("in %s: %q => %q", file, text[at[0]:at[1]], now))
		w.write(t, file, text[:at[0]]+now+text[at[1]:])
	}
	marker := `(?m)(// \+webhook:(?:policy:)?(?:validating|mutating)\()`
	switch w.rand.IntN(17) {
	case 0, 1:
		replace(`(?m)^// \+webhook:.*\n`, "")
	case 2:
		replace(`operations: "[a-z;]*"`, `operations: "`+w.pick("create", "update", "delete", "create;update", "create;update;delete")+`"`)
	case 3:
		replace(marker, `${1}`+w.pick(`namespaceSelector: "a=b"`, `objectSelector: "c=d"`, `failurePolicy: Ignore`, `matchPolicy: Exact`)+`, `)
	case 4:
		replace(`(?m)^(// \+webhook:validating\(.*\))$`, "$1\n// +webhook:matchCondition(name: \"x\")=\"request.userInfo.username != 'a'\"")
	case 5:
		kind := w.pick("Order", "Cart", "Bill")
		w.log("rename " + kind + " in " + file)
		w.write(t, file, strings.ReplaceAll(text, kind, "New"+kind))
	case 6:
		w.log("remove " + file)
		w.remove(t, file)
	case 7:
		w.log("a build constraint in " + file)
		w.write(t, file, "//go:build "+w.pick("prod", "windows", "!linux")+"\n\n"+text)
	case 8:
		folder := w.pick("api/v1", "api/v2", "api/billing", "internal/webhook/external")
		w.log("a module in " + folder)
		if _, err := os.Stat(filepath.Join(w.dir, folder)); err == nil {
			w.write(t, folder+"/go.mod", "module example.com/shop/"+folder+"\n\ngo 1.26.0\n")
		}
	case 9:
		w.log("a syntax error in " + file)
		w.write(t, file, text+"\nfunc {\n")
	case 10, 11:
		for i, d := range definitions {
			if i == w.rand.IntN(len(definitions)) || w.rand.IntN(3) == 0 {
				w.log("remove " + d)
				w.remove(t, d)
			}
		}
	case 12:
		if len(definitions) > 0 {
			d := definitions[w.rand.IntN(len(definitions))]
			w.log("v1 is not served in " + d)
			w.write(t, d, strings.Replace(files[d], "name: v1, served: true", "name: v1, served: false", 1))
		}
	case 13:
		w.log("packages in webhook-gen.yaml")
		w.write(t, "webhook-gen.yaml", w.base["webhook-gen.yaml"]+"packages: ["+w.pick(`"./api/v1/..."`, `"./api/billing/..."`, `"./internal/..."`)+"]\n")
	case 14:
		w.log("move api/billing to moved")
		for name, text := range files {
			if rest, ok := strings.CutPrefix(name, "api/billing/"); ok {
				w.write(t, "moved/"+rest, text)
				w.remove(t, name)
			}
		}
	case 15:
		replace(`has\(object\.metadata\.name\)`, `object.metadata.name != 'x'`)
	case 16:
		replace(marker+`operations`, `${1}configuration: "other", operations`)
	}
}

// command returns the words of a command.
func (w *walker) command() []string {
	kind := func() []string {
		switch w.rand.IntN(4) {
		case 0:
			return []string{"--version", "v1", "--kind", "Pod", "--skip-tidy"}
		case 1:
			return []string{"--group", "billing", "--version", "v1", "--kind", "Bill", "--skip-tidy"}
		case 2:
			return []string{"--group", "shop", "--version", "v2", "--kind", "Order", "--skip-tidy"}
		}
		return []string{"--group", "shop", "--version", "v1", "--kind", w.pick("Order", "Cart"), "--skip-tidy"}
	}
	switch w.rand.IntN(12) {
	case 0:
		return []string{"generate", "./api/" + w.pick("v1", "v2", "billing") + "/..."}
	case 1:
		return []string{"--tags", "prod"}
	case 2:
		return append([]string{"delete", "webhook", w.pick("--mutating", "--validating")}, kind()...)
	case 3:
		return append([]string{"delete", "version", "--force"}, kind()...)
	case 4:
		return append([]string{"create", "webhook", w.pick("--mutating", "--validating"), "--operations", w.pick("create", "delete")}, kind()...)
	case 5:
		return []string{"create", "api", "--group", "billing", "--version", "v1", "--kind", w.pick("Receipt", "Bill"), "--skip-tidy"}
	case 6:
		return append([]string{"delete", "webhook"}, kind()...)
	}
	return []string{"generate"}
}

var (
	chartWebhook = regexp.MustCompile(`(?m)^  - name: (\S+)$`)
	chartObject  = regexp.MustCompile(`(?m)^kind: (\w+)\nmetadata:\n  name: (\S+)$`)
)

// enforced returns the enforcement of the files in config and charts, each with the words that a command prints
// if it is gone.
func (w *walker) enforced(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for name, text := range w.tree(t) {
		switch {
		case strings.HasPrefix(name, "charts/") && strings.Contains(name, "/templates/"):
			for _, m := range chartWebhook.FindAllStringSubmatch(text, -1) {
				if strings.HasSuffix(name, "webhooks.yaml") {
					all["chart: webhook "+m[1]] = []string{m[1]}
				}
			}
			for _, m := range chartObject.FindAllStringSubmatch(text, -1) {
				if m[1] == "CustomResourceDefinition" || strings.HasSuffix(m[1], "AdmissionPolicy") || strings.HasSuffix(m[1], "PolicyBinding") {
					all["chart: "+m[1]+" "+m[2]] = []string{m[2]}
				}
			}
		case strings.HasPrefix(name, "config/") && strings.HasSuffix(name, ".yaml") && !strings.HasPrefix(name, "config/crd/bases/"):
			documents := yaml.NewDecoder(strings.NewReader(text))
			for {
				var object map[string]any
				if documents.Decode(&object) != nil {
					break
				}
				enforcedBy(object, all)
			}
		}
	}
	return all
}

// enforcedBy adds what one object enforces.
func enforcedBy(object map[string]any, all map[string][]string) {
	kind, _ := object["kind"].(string)
	metadata, _ := object["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	spec, _ := object["spec"].(map[string]any)
	add := func(item string, words ...string) { all[item] = words }
	rules := func(owner string, list any) {
		for _, r := range asList(list) {
			rule, _ := r.(map[string]any)
			for _, o := range asList(rule["operations"]) {
				for _, resource := range asList(rule["resources"]) {
					add(fmt.Sprintf("%s: %v of %v", owner, o, resource), owner)
				}
			}
		}
	}
	limits := func(owner string, fields map[string]any) {
		for _, field := range []string{"namespaceSelector", "objectSelector", "matchConditions"} {
			if fields[field] == nil {
				add(owner+": no "+field, owner)
			}
		}
		if fields["failurePolicy"] == nil || fields["failurePolicy"] == "Fail" {
			add(owner+": fails closed", owner)
		}
	}
	switch {
	case strings.HasSuffix(kind, "WebhookConfiguration"):
		for _, entry := range asList(object["webhooks"]) {
			webhook, _ := entry.(map[string]any)
			owner := fmt.Sprint(webhook["name"])
			add(kind+" "+owner, owner)
			rules(owner, webhook["rules"])
			limits(owner, webhook)
		}
	case strings.HasSuffix(kind, "AdmissionPolicy"):
		match, _ := spec["matchConstraints"].(map[string]any)
		add(kind+" "+name, name)
		rules(name, match["resourceRules"])
		limits(name, map[string]any{"namespaceSelector": match["namespaceSelector"], "objectSelector": match["objectSelector"],
			"matchConditions": spec["matchConditions"], "failurePolicy": spec["failurePolicy"]})
		for _, v := range asList(spec["validations"]) {
			validation, _ := v.(map[string]any)
			add(fmt.Sprintf("%s: %v", name, validation["expression"]), name)
		}
	case strings.HasSuffix(kind, "PolicyBinding"):
		add(kind+" "+name, name)
	case kind == "CustomResourceDefinition": // a patch with a conversion
		add("conversion of "+name, name)
	}
}

func asList(value any) []any {
	list, _ := value.([]any)
	return list
}
