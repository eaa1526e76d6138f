// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/inspect"
)

// hint is a message about a field, and rules of the message that are applied.
type hint struct {
	// spoke and hub are the fields of OrderSpec, and further types. The rules replace @, or precede the first field.
	spoke, hub string
	// had is the rule that is there before. Rules replace it.
	had string
	// rank is the number of the first rule in the message.
	rank  int
	rules []string
	// plan is the field as planned.
	plan string
	// hooks and repair are as of a recipe.
	hooks, repair string
}

// fields returns the fields of the spoke with rules.
func (h hint) fields(rules ...string) string {
	lines := ""
	for _, r := range rules {
		if r != "" {
			lines += "// +webhook:conversion:" + r + "\n"
		}
	}
	text := "type OrderSpec struct {\n" + h.spoke + "\n}\n"
	if !strings.Contains(text, "@") {
		text = strings.Replace(text, "{\n", "{\n@", 1)
	}
	return strings.Replace(text, "@", lines, 1)
}

func hints() []hint {
	const toHub, fromHub = "ctx context.Context, src *v1.OrderSpec, dst *v2.OrderSpec", "ctx context.Context, src *v2.OrderSpec, dst *v1.OrderSpec"
	hook := func(name, toHubBody, fromHubBody string) string {
		return fmt.Sprintf("func (Hand) OrderSpec%[1]sToHub(%[2]s) error {\n%[3]s\nreturn nil\n}\n\nfunc (Hand) OrderSpec%[1]sFromHub(%[4]s) error {\n%[5]s\nreturn nil\n}\n",
			name, toHub, toHubBody, fromHub, fromHubBody)
	}
	size := func(json string) string {
		return "Size *Size `json:\"size,omitempty\"`\n}\n\n" + json + "type Size struct {\nWidth int32 `json:\"width\"`\n}\n\n" +
			"func (s Size) MarshalJSON() ([]byte, error) { return []byte(fmt.Sprint(s.Width)), nil }\n\n" +
			"func (s *Size) UnmarshalJSON(data []byte) error {\n_, err := fmt.Sscan(string(data), &s.Width)\nreturn err\n}\n\ntype Other struct {\n"
	}
	return []hint{
		{spoke: "DisableChecks *bool `json:\"disableChecks,omitempty\"`", hub: "EnableChecks *bool `json:\"enableChecks,omitempty\"`",
			rules: []string{`to(path: "enableChecks", as: "not")`}, plan: "to spec.disableChecks > spec.enableChecks ( | )"},
		{spoke: "Labels map[string]string `json:\"labels,omitempty\"`", hub: "// +listType=map\n// +listMapKey=name\nLabels []Label `json:\"labels,omitempty\"`\n}\n\ntype Label struct {\nName string `json:\"name\"`\nText string `json:\"text\"`",
			rules: []string{`to(as: "keyed:name;wrap:text")`}, plan: "to spec.labels > spec.labels ( | the order, and elements with equal keys)"},
		{spoke: "Ports map[string]Port `json:\"ports,omitempty\"`\n}\n\ntype Port struct {\nNumber int32 `json:\"number,omitempty\"`", hub: "// +listType=map\n// +listMapKey=id\nPorts []Port `json:\"ports,omitempty\"`\n}\n\ntype Port struct {\nID string `json:\"id\"`\nNumber int32 `json:\"number,omitempty\"`",
			rules: []string{`to(as: "keyed:id")`}, plan: "to spec.ports > spec.ports ( | the order, and elements with equal keys)"},
		{spoke: "Tracing bool `json:\"tracing\"`", hub: "Tracing *Tracing `json:\"tracing,omitempty\"`\n}\n\ntype Tracing struct {\nEnabled bool `json:\"enabled,omitempty\"`\nURL string `json:\"url,omitempty\"`",
			rules: []string{`to(as: "wrap:enabled")`}, plan: "to spec.tracing > spec.tracing ( | whether it was nil or zero, and all members but enabled)"},
		{spoke: "PriorityClass string `json:\"priorityClass,omitempty\"`", hub: "PriorityClassRef *Ref `json:\"priorityClassRef,omitempty\"`\n}\n\ntype Ref struct {\nName string `json:\"name,omitempty\"`\nGroup string `json:\"group,omitempty\"`\nKind int32 `json:\"kind,omitempty\"`",
			rules: []string{`to="priorityClassRef.name"`}, plan: "to spec.priorityClass > spec.priorityClassRef.name ( | whether the struct around it was nil or empty)"},
		{spoke: "PriorityClassName string `json:\"priorityClassName,omitempty\"`", hub: "PriorityClassRef *Ref `json:\"priorityClassRef,omitempty\"`\n}\n\ntype Ref struct {\nGroup string `json:\"group,omitempty\"`\nName string `json:\"name,omitempty\"`",
			rules: []string{`to="priorityClassRef.name"`}, plan: "to spec.priorityClassName > spec.priorityClassRef.name ( | whether the struct around it was nil or empty)"},
		{spoke: "NetworkMTU int32 `json:\"networkMTU,omitempty\"`", hub: "ManagedNetwork *Network `json:\"managedNetwork,omitempty\"`\n}\n\ntype Network struct {\nMTU int32 `json:\"mtu,omitempty\"`\nID int32 `json:\"id,omitempty\"`",
			rules: []string{`to="managedNetwork.mtu"`}, plan: "to spec.networkMTU > spec.managedNetwork.mtu ( | whether the struct around it was nil or empty)"},
		{spoke: "FlavorID string `json:\"flavorID,omitempty\"`", hub: "Flavor Flavor `json:\"flavor,omitempty\"`\n}\n\ntype Flavor struct {\nID string `json:\"id,omitempty\"`\nFilter string `json:\"filter,omitempty\"`",
			rules: []string{`to="flavor.id"`}, plan: "to spec.flavorID > spec.flavor.id ( | )"},
		{spoke: "CPU int32 `json:\"cpu,omitempty\"`", hub: "GPU string `json:\"gpu,omitempty\"`\nResources Resources `json:\"resources,omitempty\"`\n}\n\ntype Resources struct {\nLimits Limits `json:\"limits,omitempty\"`\nNote string `json:\"note,omitempty\"`\n}\n\ntype Limits struct {\nCPUs int32 `json:\"cpus,omitempty\"`\nOther string `json:\"other,omitempty\"`",
			rules: []string{`to="resources.limits.cpus"`}, plan: "to spec.cpu > spec.resources.limits.cpus ( | )"},
		{spoke: "Image string `json:\"image,omitempty\"`", hub: "Image Image `json:\"image,omitempty\"`\n}\n\ntype Image struct {\nImage string `json:\"image,omitempty\"`",
			rules: []string{`to(as: "wrap:image")`}, plan: "to spec.image > spec.image ( | )"},
		{spoke: "Selector map[string]string `json:\"selector,omitempty\"`", hub: "Selector *metav1.LabelSelector `json:\"selector,omitempty\"`",
			rules: []string{`to(as: "wrap:matchLabels")`}, plan: "to spec.selector > spec.selector ( | whether it was nil or zero, and all members but matchLabels)"},
		{spoke: "Zones *Zones `json:\"zones,omitempty\"`\n}\n\ntype Zones struct {\nNames []string `json:\"names,omitempty\"`\nAny bool `json:\"any,omitempty\"`", hub: "Zones []string `json:\"zones,omitempty\"`",
			rules: []string{`to(as: "wrap:names")`}, plan: "to spec.zones > spec.zones (whether it was nil or zero, and all members but names | )"},
		{spoke: "Images []string `json:\"images,omitempty\"`", hub: "Images []Image `json:\"images,omitempty\"`\n}\n\ntype Image struct {\nImage string `json:\"image\"`",
			rules: []string{`to(as: "each;wrap:image")`}, plan: "to spec.images > spec.images ( | )"},
		{spoke: "Adress string `json:\"adress,omitempty\"`", hub: "Address string `json:\"address,omitempty\"`",
			rules: []string{`to="address"`}, plan: "to spec.adress > spec.address ( | )"},
		{spoke: "TimeoutSecond int32 `json:\"timeoutSecond,omitempty\"`", hub: "Deletion Deletion `json:\"deletion,omitempty\"`\n}\n\ntype Deletion struct {\nTimeoutSeconds int32 `json:\"timeoutSeconds,omitempty\"`\nOrder string `json:\"order,omitempty\"`",
			rules: []string{`to="deletion.timeoutSeconds"`}, plan: "to spec.timeoutSecond > spec.deletion.timeoutSeconds ( | )"},
		{spoke: "Old string `json:\"old,omitempty\"`", hub: "New string `json:\"new,omitempty\"`",
			rules: []string{`stash`}, plan: "stash spec.old >  (all of it | )"},
		{spoke: "Old string `json:\"old,omitempty\"`", hub: "New string `json:\"new,omitempty\"`",
			rank: 1, rules: []string{`drop="why"`}, plan: "drop spec.old >  ( | )", repair: "Dropped: []string{\"spec.old\"},\n"},
		{spoke: "Old string `json:\"old,omitempty\"`", hub: "New string `json:\"new,omitempty\"`",
			rank: 2, rules: []string{`custom`}, plan: "custom spec.old >  (what your functions lose | what your functions lose)", hooks: hook("Old", "dst.New = src.Old", "dst.Old = src.New")},
		{spoke: "Timeout *metav1.Duration `json:\"timeout,omitempty\"`", hub: "Timeout *int64 `json:\"timeout,omitempty\"`",
			rules: []string{`to(as: "seconds")`}, plan: "to spec.timeout > spec.timeout (parts of a second | )"},
		{spoke: "Timeout metav1.Duration `json:\"timeout,omitempty\"`", hub: "TimeoutSeconds int64 `json:\"timeoutSeconds,omitempty\"`", had: `to="timeoutSeconds"`,
			rules: []string{`to(path: "timeoutSeconds", as: "seconds")`}, plan: "to spec.timeout > spec.timeoutSeconds (parts of a second | )"},
		{spoke: "Timeouts []metav1.Duration `json:\"timeouts,omitempty\"`", hub: "Timeouts []int64 `json:\"timeouts,omitempty\"`",
			rules: []string{`to(as: "each;seconds")`}, plan: "to spec.timeouts > spec.timeouts (parts of a second | )"},
		{spoke: "Timeouts map[string]metav1.Duration `json:\"timeouts,omitempty\"`", hub: "Timeouts map[string]int64 `json:\"timeouts,omitempty\"`",
			rules: []string{`custom`}, plan: "custom spec.timeouts > spec.timeouts (what your functions lose | what your functions lose)", repair: "Kept: []string{\"spec.timeouts\"},\n", hooks: hook("Timeouts",
				"if src.Timeouts != nil {\ndst.Timeouts = map[string]int64{}\n}\nfor k, v := range src.Timeouts {\ndst.Timeouts[k] = int64(v.Seconds())\n}",
				"if src.Timeouts != nil {\ndst.Timeouts = map[string]metav1.Duration{}\n}\nfor k, v := range src.Timeouts {\ndst.Timeouts[k] = metav1.Duration{Duration: time.Duration(v) * time.Second}\n}")},
		{spoke: "Weight int32 `json:\"weight,omitempty\"`", hub: "Weight string `json:\"weight,omitempty\"`",
			rules: []string{`to(as: "string")`}, plan: "to spec.weight > spec.weight ( | how it was written)", repair: "Hub: func(o *v2.Order, r *rand.Rand) { o.Spec.Weight = []string{\"\", \"7\", \"-12\"}[r.IntN(3)] },\n"},
		{spoke: "Hosts []string `json:\"hosts,omitempty\"`", hub: "Hosts string `json:\"hosts,omitempty\"`",
			rules: []string{`to(as: "first")`}, plan: "to spec.hosts > spec.hosts (all elements but the first | )"},
		{spoke: "Hosts []string `json:\"hosts,omitempty\"`", hub: "Hosts string `json:\"hosts,omitempty\"`",
			rank: 1, rules: []string{`to(as: "join:,")`}, plan: "to spec.hosts > spec.hosts (whether it was nil or empty | )", repair: "Spoke: func(o *v1.Order, r *rand.Rand) {\nif len(o.Spec.Hosts) > 0 && o.Spec.Hosts[0] == \"\" {\no.Spec.Hosts[0] = \"a\"\n}\n},\n"},
		{spoke: "Hosts []string `json:\"hosts,omitempty\"`", hub: "Host string `json:\"host,omitempty\"`", had: `to="host"`,
			rules: []string{`to(path: "host", as: "first")`}, plan: "to spec.hosts > spec.host (all elements but the first | )"},
		{spoke: "Hosts []string `json:\"hosts,omitempty\"`", hub: "Count int32 `json:\"count,omitempty\"`", had: `to="count"`,
			rules: []string{`custom(hub: "count")`}, plan: "custom spec.hosts > spec.count (what your functions lose | what your functions lose)", repair: "Kept: []string{\"spec.hosts\", \"spec.count\"},\n", hooks: hook("Hosts", "dst.Count = int32(len(src.Hosts))", "if src.Count > 0 && src.Count < 9 {\ndst.Hosts = make([]string, src.Count)\n}")},
		{spoke: "Count int32 `json:\"count\"`", hub: "Count *int32 `json:\"count,omitempty\"`",
			rules: []string{`to(as: "optional")`}, plan: "to spec.count > spec.count ( | whether it was nil or zero)"},
		{spoke: "Count int32 `json:\"count\"`", hub: "Count *int32 `json:\"count,omitempty\"`",
			rank: 1, rules: []string{`to(as: "pointer")`}, plan: "to spec.count > spec.count ( | whether it was nil or zero)"},
		{spoke: "Count int32 `json:\"count\"`", hub: "Limits Limits `json:\"limits,omitempty\"`\n}\n\ntype Limits struct {\nCount *int32 `json:\"count,omitempty\"`", had: `to="limits.count"`,
			rank: 1, rules: []string{`to(path: "limits.count", as: "pointer")`}, plan: "to spec.count > spec.limits.count ( | whether it was nil or zero)"},
		{spoke: "Count int32 `json:\"count\"`", hub: "Count Limits `json:\"count,omitempty\"`\n}\n\ntype Limits struct {\nMost *int32 `json:\"most,omitempty\"`", had: `to(as: "wrap:most")`,
			rules: []string{`to(as: "wrap:most;optional")`}, plan: "to spec.count > spec.count ( | whether it was nil or zero)"},
		{spoke: "Enabled bool `json:\"enabled\"`", hub: "// +kubebuilder:default=true\nEnabled *bool `json:\"enabled,omitempty\"`", had: `to(as: "optional")`,
			rules: []string{`to(as: "pointer")`}, plan: "to spec.enabled > spec.enabled ( | whether it was nil or zero)"},
		{spoke: "Count int32 `json:\"count\"`", hub: "// +kubebuilder:default=3\nCount *int32 `json:\"count,omitempty\"`", had: `to(as: "optional")`,
			rank: 1, rules: []string{`default="3"`, `to(as: "optional")`}, plan: "to spec.count > spec.count (whether it was missing | whether it was nil or zero)", repair: "Defaults: []string{\"spec.count\"},\n"},
		{spoke: "Enabled bool `json:\"enabled\"`", hub: "// +kubebuilder:default=true\nEnabled bool `json:\"enabled,omitempty\"`",
			rules: []string{`allow(rule: "V9")="why"`}, plan: "name spec.enabled > spec.enabled ( | )"},
		{spoke: "// +kubebuilder:validation:MaxLength=9\nName string `json:\"name,omitempty\"`", hub: "// +kubebuilder:validation:MaxLength=5\nName string `json:\"name,omitempty\"`",
			rank: 1, rules: []string{`allow(rule: "V11")="why"`}, plan: "name spec.name > spec.name ( | )"},
		{spoke: size("@"), hub: size(""), rules: []string{`alike`}, plan: "name spec.size > spec.size ( | )"},
		{spoke: "// +kubebuilder:validation:Enum=free;gold\nPlan string `json:\"plan,omitempty\"`", hub: "// +kubebuilder:validation:Enum=Free;Gold\nPlan string `json:\"plan,omitempty\"`",
			rules: []string{`enum(from: "free", to: "Free")`, `enum(from: "gold", to: "Gold")`}, plan: "to spec.plan > spec.plan (which of several values it was | which of several values it was)"},
		{spoke: "// +kubebuilder:validation:Enum=a;b\nPlan string `json:\"plan,omitempty\"`", hub: "// +kubebuilder:validation:Enum=a\nPlan string `json:\"plan,omitempty\"`",
			rank: 1, rules: []string{`enum(same: "b")`}, plan: "to spec.plan > spec.plan ( | )"},
		{spoke: "// +kubebuilder:validation:items:Enum=free;gold\nPlans []string `json:\"plans,omitempty\"`", hub: "// +kubebuilder:validation:items:Enum=Free;Gold\nPlans []string `json:\"plans,omitempty\"`",
			rules: []string{`enum(from: "free", to: "Free")`, `enum(from: "gold", to: "Gold")`}, plan: "to spec.plans > spec.plans (which of several values it was | which of several values it was)"},
		{spoke: "Plans map[string]Plan `json:\"plans,omitempty\"`\n}\n\n// +kubebuilder:validation:Enum=free;gold\ntype Plan string\n\ntype Other struct {", hub: "Plans map[string]Plan `json:\"plans,omitempty\"`\n}\n\n// +kubebuilder:validation:Enum=Free;Gold\ntype Plan string\n\ntype Other struct {",
			rules: []string{`enum(from: "free", to: "Free")`, `enum(from: "gold", to: "Gold")`}, plan: "to spec.plans > spec.plans (which of several values it was | which of several values it was)"},
	}
}

// TestHints applies rules of messages about fields, and checks that they are right. The plan is the wanted one, nothing
// more is reported, and all invariants hold.
func TestHints(t *testing.T) {
	skipIfShort(t)
	cases, rule := hints(), regexp.MustCompile(`\+webhook:conversion:([a-z]+(?:\([^)]*\))?(?:="[^"]*")?)`)
	all := make([]recipe, len(cases))
	for i, c := range cases {
		all[i] = recipe{title: fmt.Sprint(i, c.rules), folder: fmt.Sprintf("h%d", i), hub: "type OrderSpec struct {\n" + c.hub + "\n}\n", spoke: c.fields(c.had)}
	}
	before := conversionMessages(t, all)
	for i, c := range cases {
		var said []string
		message := before[all[i].folder]
		for _, found := range rule.FindAllStringSubmatch(message[strings.LastIndex(message, "\n    v2:")+1:], -1) {
			said = append(said, found[1])
		}
		if len(said) <= c.rank || said[c.rank] != c.rules[0] || slices.ContainsFunc(c.rules, func(r string) bool { return r != c.had && !slices.Contains(said, r) }) {
			t.Errorf("rule %d is not %s:\n%s", c.rank, c.rules, message)
		}
		all[i].spoke, all[i].hooks, all[i].repair = c.fields(c.rules...), c.hooks, c.repair
		if c.hooks != "" {
			all[i].hooks = "type Hand struct{}\n\n" + c.hooks
		}
	}
	for folder, message := range conversionMessages(t, all) {
		t.Errorf("%s: a rule does not help:\n%s", folder, message)
	}
	if t.Failed() {
		return
	}
	w := newWorkspace(t)
	dir, _ := w.add("app", nil)
	plans := convert(t, dir, all)
	for i, c := range cases {
		var fields []string
		for _, f := range plans[all[i].folder].Fields {
			fields = append(fields, fmt.Sprintf("%s %s > %s (%s | %s)", f.By, f.Spoke, f.Hub, f.LostToHub, f.LostFromHub))
		}
		if !slices.Contains(fields, c.plan) {
			t.Errorf("%s: no field is %s:\n%s", c.rules, c.plan, strings.Join(fields, "\n"))
		}
	}
	result := engine.Generate(context.Background(), engine.Config{Dir: dir})
	if failed := append(result.Diagnostics, result.Write()...); failed.HasErrors() {
		t.Fatal(failed)
	}
	writeFile(t, filepath.Join(dir, "hints_test.go"), cookbookTest(all, plans))
	w.use("app")
	if out, err := w.goCommand("vet", "example.com/app"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := w.goCommand("test", "-vet=off", "example.com/app"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// conversionMessages prints the messages about conversions, by the folder of their versions.
func conversionMessages(t *testing.T, all []recipe) map[string]string {
	t.Helper()
	dir, _ := newWorkspace(t).add("app", nil)
	for _, r := range all {
		r.write(t, dir)
	}
	_, diagnostics := inspect.Conversions(context.Background(), engine.Config{Dir: dir}, "Order")
	messages := map[string]string{}
	for _, d := range diagnostics {
		var text bytes.Buffer
		if err := engine.PrintDiagnostics(&text, "text", dir, diag.List{d}); err != nil {
			t.Fatal(err)
		}
		messages[filepath.Base(filepath.Dir(filepath.Dir(d.Pos.File)))] += text.String()
	}
	return messages
}

// TestAppliedHints checks that the rules of scenarios with applied hints are in the messages of the scenarios without.
func TestAppliedHints(t *testing.T) {
	for _, name := range []string{"outside", "foreign"} {
		applied := parseScenario(t, "conversion_hints_"+name+"_applied")
		messages := parseScenario(t, "conversion_hints_"+name)
		for _, path := range slices.Sorted(maps.Keys(applied)) {
			if strings.HasPrefix(path, "want/") {
				continue
			}
			for line := range strings.Lines(applied[path]) {
				marker, ok := strings.CutPrefix(strings.TrimSpace(line), "// +webhook:conversion:")
				if ok && !strings.Contains(messages[path], line) && !strings.Contains(messages["diagnostics"], "+webhook:conversion:"+marker) {
					t.Errorf("%s: no hint proposes %s", name, marker)
				}
			}
		}
	}
}

// parseScenario returns the files of a scenario.
func parseScenario(t *testing.T, name string) map[string]string {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("../testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range archive.Files {
		files[f.Name] = string(f.Data)
	}
	return files
}
