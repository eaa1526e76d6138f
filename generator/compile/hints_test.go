// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/inspect"
)

// TestHints applies the first rule of a message about a field, and checks that it is the right one: the plan converts
// the field to the named one, and all invariants hold.
func TestHints(t *testing.T) {
	skipIfShort(t)
	cases := []struct {
		spoke, hub string // the fields of OrderSpec, and further types
		rule       string
		to         string // the field of the hub that the rule claims
	}{
		{"DisableChecks *bool `json:\"disableChecks,omitempty\"`", "EnableChecks *bool `json:\"enableChecks,omitempty\"`",
			`to(path: "enableChecks", as: "not")`, "spec.enableChecks"},
		{"Labels map[string]string `json:\"labels,omitempty\"`", "// +listType=map\n// +listMapKey=name\nLabels []Label `json:\"labels,omitempty\"`\n}\n\ntype Label struct {\nName string `json:\"name\"`\nText string `json:\"text\"`",
			`to(as: "keyed:name;wrap:text")`, "spec.labels"},
		{"Ports map[string]Port `json:\"ports,omitempty\"`\n}\n\ntype Port struct {\nNumber int32 `json:\"number,omitempty\"`",
			"// +listType=map\n// +listMapKey=id\nPorts []Port `json:\"ports,omitempty\"`\n}\n\ntype Port struct {\nID string `json:\"id\"`\nNumber int32 `json:\"number,omitempty\"`",
			`to(as: "keyed:id")`, "spec.ports"},
		{"Tracing bool `json:\"tracing\"`", "Tracing *Tracing `json:\"tracing,omitempty\"`\n}\n\ntype Tracing struct {\nEnabled bool `json:\"enabled,omitempty\"`\nURL string `json:\"url,omitempty\"`",
			`to(as: "wrap:enabled")`, "spec.tracing"},
		{"PriorityClass string `json:\"priorityClass,omitempty\"`", "PriorityClassRef *Ref `json:\"priorityClassRef,omitempty\"`\n}\n\ntype Ref struct {\nName string `json:\"name,omitempty\"`\nGroup string `json:\"group,omitempty\"`\nKind int32 `json:\"kind,omitempty\"`",
			`to="priorityClassRef.name"`, "spec.priorityClassRef.name"},
		{"PriorityClassName string `json:\"priorityClassName,omitempty\"`", "PriorityClassRef *Ref `json:\"priorityClassRef,omitempty\"`\n}\n\ntype Ref struct {\nGroup string `json:\"group,omitempty\"`\nName string `json:\"name,omitempty\"`",
			`to="priorityClassRef.name"`, "spec.priorityClassRef.name"},
		{"NetworkMTU int32 `json:\"networkMTU,omitempty\"`", "ManagedNetwork *Network `json:\"managedNetwork,omitempty\"`\n}\n\ntype Network struct {\nMTU int32 `json:\"mtu,omitempty\"`\nID int32 `json:\"id,omitempty\"`",
			`to="managedNetwork.mtu"`, "spec.managedNetwork.mtu"},
		{"FlavorID string `json:\"flavorID,omitempty\"`", "Flavor Flavor `json:\"flavor,omitempty\"`\n}\n\ntype Flavor struct {\nID string `json:\"id,omitempty\"`\nFilter string `json:\"filter,omitempty\"`",
			`to="flavor.id"`, "spec.flavor.id"},
		{"Image string `json:\"image,omitempty\"`", "Image Image `json:\"image,omitempty\"`\n}\n\ntype Image struct {\nImage string `json:\"image,omitempty\"`",
			`to(as: "wrap:image")`, "spec.image"},
		{"Images []string `json:\"images,omitempty\"`", "Images []Image `json:\"images,omitempty\"`\n}\n\ntype Image struct {\nImage string `json:\"image\"`",
			`to(as: "each;wrap:image")`, "spec.images"},
	}
	var all []recipe
	rule := regexp.MustCompile(`\+webhook:conversion:(\S+\([^)]*\)(="[^"]*")?|\S+="[^"]*"|\S+)`)
	for i, c := range cases {
		r := recipe{title: c.rule, folder: fmt.Sprintf("h%d", i), hub: "type OrderSpec struct {\n" + c.hub + "\n}\n"}
		r.spoke = "type OrderSpec struct {\n" + c.spoke + "\n}\n"
		alone, _ := newWorkspace(t).add("app", nil)
		r.write(t, alone)
		_, diagnostics := inspect.Conversions(context.Background(), engine.Config{Dir: alone}, "Order")
		var text bytes.Buffer
		if err := engine.PrintDiagnostics(&text, "text", alone, diagnostics); err != nil {
			t.Fatal(err)
		}
		if found := rule.FindStringSubmatch(text.String()); found == nil || found[1] != c.rule {
			t.Errorf("the hint is not %s:\n%s", c.rule, text.String())
			continue
		}
		r.spoke = "type OrderSpec struct {\n// +webhook:conversion:" + c.rule + "\n" + c.spoke + "\n}\n"
		r.folder, r.title = fmt.Sprintf("r%d", i), fmt.Sprint(i, c.rule)
		all = append(all, r)
	}
	if t.Failed() {
		return
	}
	w := newWorkspace(t)
	dir, _ := w.add("app", nil)
	plans := convert(t, dir, all)
	for i, c := range cases {
		fields := plans[all[i].folder].Fields
		if !slices.ContainsFunc(fields, func(f inspect.FieldDoc) bool { return f.Hub == c.to && f.Spoke != "" }) {
			t.Errorf("%s: nothing converts to %s: %+v", c.rule, c.to, fields)
		}
	}
	result := engine.Generate(context.Background(), engine.Config{Dir: dir})
	if failed := append(result.Diagnostics, result.Write()...); failed.HasErrors() {
		t.Fatal(failed)
	}
	writeFile(t, filepath.Join(dir, "hints_test.go"), cookbookTest(all, plans))
	w.use("app")
	if out, err := w.goCommand("test", "example.com/app"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
