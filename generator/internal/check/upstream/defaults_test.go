// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/authentication/install"
	_ "k8s.io/kubernetes/pkg/apis/authorization/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"sigs.k8s.io/randfill"

	"github.com/webhook-gen/webhook-gen/internal/defaulting"
)

var update = flag.Bool("update", false, "derive the table of defaults, and write it")

// The table's package is in this module's parent, and in the runtime, which must not depend on it.
const (
	tablePackage = "../../../../internal/defaulting"
	runtimeCopy  = "../../../../runtime/internal/defaulting"
)

// special are the rules that depend on other members, by Go type. Their members are not derived.
func special() map[string][]defaulting.Rule {
	str := func(words ...any) []any { return words }
	rolling := map[string][]any{"type": str("RollingUpdate")}
	fill := func(list string) defaulting.Rule {
		return defaulting.Rule{Path: "spec." + list + "[].resources.requests", From: "limits"}
	}
	host := func(list string) defaulting.Rule {
		return defaulting.Rule{
			Path: "spec." + list + "[].ports[].hostPort", From: "containerPort", Zero: true,
			When: map[string][]any{"spec.hostNetwork": {true}},
		}
	}
	pull := defaulting.Rule{Path: "imagePullPolicy", Image: "image", Zero: true}
	traffic := func(r defaulting.Rule) defaulting.Rule {
		r.Path, r.Value, r.Zero = "externalTrafficPolicy", "Cluster", true
		return r
	}
	limit := func(member, from string) defaulting.Rule {
		return defaulting.Rule{Path: member, From: from, When: map[string][]any{"type": str("Container")}}
	}
	external := str("LoadBalancer", "NodePort")
	timeout := map[string]any{"clientIP": map[string]any{"timeoutSeconds": 10800}}
	return map[string][]defaulting.Rule{
		"core/v1.Container":          {pull},
		"core/v1.EphemeralContainer": {pull},
		"core/v1.Volume": {
			{Path: "emptyDir", Value: map[string]any{}, Beside: []string{"name"}},
			{Path: "image?.pullPolicy", Image: "reference", Zero: true},
		},
		"core/v1.ImageVolumeSource": {{Path: "pullPolicy"}},
		"core/v1.PodSpec": {
			{Path: "serviceAccountName", From: "serviceAccount", Zero: true},
			{Path: "serviceAccount", From: "serviceAccountName", Always: true},
		},
		"core/v1.PodStatus": {{Path: "podIP"}, {Path: "podIPs"}},
		"core/v1.Pod": {
			{Path: "spec.terminationGracePeriodSeconds", Value: 1, Negative: true},
			fill("containers"), fill("initContainers"), host("containers"), host("initContainers"),
		},
		"core/v1.ServicePort": {{Path: "targetPort", From: "port", Zero: true}},
		"core/v1.ServiceSpec": {
			{Path: "sessionAffinityConfig", Always: true, When: map[string][]any{"sessionAffinity": {nil, "None"}}},
			{
				Path: "sessionAffinityConfig", Value: timeout, Always: true,
				When:  map[string][]any{"sessionAffinity": {"ClientIP"}},
				Lacks: []string{"sessionAffinityConfig.clientIP.timeoutSeconds"},
			},
			{Path: "type", Value: "ClusterIP", Zero: true},
			traffic(defaulting.Rule{When: map[string][]any{"type": external}}),
			traffic(defaulting.Rule{When: map[string][]any{"type": {"ClusterIP"}}, Has: []string{"externalIPs"}}),
			{Path: "internalTrafficPolicy", Value: "Cluster", When: map[string][]any{"type": append(external, "ClusterIP")}},
			{Path: "allocateLoadBalancerNodePorts", Value: true, When: map[string][]any{"type": {"LoadBalancer"}}},
		},
		"core/v1.LoadBalancerIngress": {{Path: "ipMode"}},
		"core/v1.ReplicationController": {
			{Path: "spec.selector", From: "/spec.template.metadata.labels", Zero: true},
			{Path: "metadata.labels", From: "/spec.template.metadata.labels", Zero: true},
		},
		"apps/v1.DeploymentStrategy": {
			{Path: "type", Value: "RollingUpdate", Zero: true},
			{Path: "rollingUpdate.maxUnavailable", Value: "25%", When: rolling},
			{Path: "rollingUpdate.maxSurge", Value: "25%", When: rolling},
		},
		"apps/v1.RollingUpdateDeployment": {{Path: "maxUnavailable"}, {Path: "maxSurge"}},
		"apps/v1.DaemonSetUpdateStrategy": {
			{Path: "type", Value: "RollingUpdate", Zero: true},
			{Path: "rollingUpdate.maxUnavailable", Value: 1, When: rolling},
			{Path: "rollingUpdate.maxSurge", Value: 0, When: rolling},
		},
		"apps/v1.RollingUpdateDaemonSet": {{Path: "maxUnavailable"}, {Path: "maxSurge"}},
		"apps/v1.StatefulSetUpdateStrategy": {
			{Path: "rollingUpdate", Value: map[string]any{}, When: map[string][]any{"type": {nil}}},
			{Path: "type", Value: "RollingUpdate", Zero: true},
			{Path: "rollingUpdate?.partition", Value: 0, When: rolling},
			{Path: "rollingUpdate?.maxUnavailable", Value: 1, When: rolling},
		},
		"apps/v1.RollingUpdateStatefulSetStrategy": {{Path: "partition"}, {Path: "maxUnavailable"}},
		"batch/v1.JobSpec": {
			{Path: "completions"}, {Path: "parallelism"}, {Path: "backoffLimit"}, {Path: "podReplacementPolicy"},
		},
		"batch/v1.Job": {
			{Path: "metadata.labels", From: "/spec.template.metadata.labels", Zero: true},
			{Path: "spec.completions", Value: 1, Lacks: []string{"spec.completions", "spec.parallelism"}},
			{Path: "spec.parallelism", Value: 1},
			{Path: "spec.backoffLimit", Value: 6, Lacks: []string{"spec.backoffLimitPerIndex"}},
			{Path: "spec.backoffLimit", Value: 2147483647},
			{Path: "spec.podReplacementPolicy", Value: "TerminatingOrFailed", Lacks: []string{"spec.podFailurePolicy"}},
			{Path: "spec.podReplacementPolicy", Value: "Failed"},
		},
		"core/v1.LimitRangeItem": {limit("default", "max"), limit("defaultRequest", "default"), limit("defaultRequest", "min")},
		"rbac/v1.Subject": {{
			Path: "apiGroup", Value: rbacv1.GroupName, Zero: true, When: map[string][]any{"kind": str(rbacv1.UserKind, rbacv1.GroupKind)},
		}},
		"core/v1.NodeStatus": {{Path: "allocatable", From: "capacity", Zero: true}},
		"networking/v1.NetworkPolicySpec": {
			{Path: "policyTypes", Value: str("Ingress", "Egress"), Zero: true, Has: []string{"egress"}},
			{Path: "policyTypes", Value: str("Ingress"), Zero: true},
		},
	}
}

// derivation makes the table.
type derivation struct {
	special map[string][]defaulting.Rule
	table   defaulting.Table
}

// derive makes the table of the kinds that an API server and client-go serve in a stable version.
func derive(t *testing.T) *defaulting.Table {
	d := &derivation{special: special()}
	d.table = defaulting.Table{Kinds: map[string]string{}, Nodes: map[string]defaulting.Node{}}
	for _, gvk := range kinds() {
		d.table.Kinds[gvk.GroupVersion().String()+" "+gvk.Kind] = d.node(t, gvk, nil, typeOf(gvk))
	}
	return &d.table
}

func kinds() []schema.GroupVersionKind {
	var all []schema.GroupVersionKind
	for gvk, kind := range legacyscheme.Scheme.AllKnownTypes() {
		_, hasMeta := kind.FieldByName("ObjectMeta")
		isStable := strings.HasPrefix(gvk.Version, "v") && !strings.ContainsAny(gvk.Version, "ab")
		if hasMeta && isStable && strings.HasPrefix(kind.PkgPath(), "k8s.io/api/") {
			all = append(all, gvk)
		}
	}
	slices.SortFunc(all, func(a, b schema.GroupVersionKind) int { return strings.Compare(a.String(), b.String()) })
	return all
}

func typeOf(gvk schema.GroupVersionKind) reflect.Type {
	return legacyscheme.Scheme.AllKnownTypes()[gvk]
}

// step is a field of a struct, with the step of the rule's path.
type step struct {
	field []int
	text  string
	of    reflect.Type // the struct
}

// node derives the node of a struct, and returns its name; empty if it and its inner nodes have no rules.
func (d *derivation) node(t *testing.T, gvk schema.GroupVersionKind, at []step, of reflect.Type) string {
	name := typeName(of)
	hand, known := d.special[name]
	n := defaulting.Node{Inner: map[string]string{}}
	for _, r := range hand {
		if r.Value != nil || r.From != "" || r.Image != "" || r.Always {
			n.Rules = append(n.Rules, r)
		}
	}
	for _, r := range probe(t, gvk, at, of) {
		if !known || !slices.ContainsFunc(hand, func(h defaulting.Rule) bool { return firstStep(h.Path) == r.Path }) {
			n.Rules = append(n.Rules, r)
		}
	}
	for _, s := range members(of) {
		if slices.ContainsFunc(at, func(a step) bool { return a.of == s.of }) || s.of == of {
			continue
		}
		if inner := d.node(t, gvk, append(slices.Clone(at), s), s.of); inner != "" {
			n.Inner[s.text] = inner
		}
	}
	if len(n.Rules)+len(n.Inner) == 0 {
		return ""
	}
	for unique, i := name, 2; ; unique, i = fmt.Sprintf("%s %d", name, i), i+1 {
		same, used := d.table.Nodes[unique]
		if !used {
			d.table.Nodes[unique] = n
			return unique
		}
		if reflect.DeepEqual(same, n) {
			return unique
		}
	}
}

// firstStep is the member in the first step of a path.
func firstStep(path string) string {
	step, _, _ := strings.Cut(path, ".")
	return strings.Trim(step, "?[]")
}

func typeName(t reflect.Type) string {
	return strings.TrimPrefix(t.PkgPath(), "k8s.io/api/") + "." + t.Name()
}

// members are the fields of a struct that hold structs, and those of structs that JSON writes into it.
func members(of reflect.Type) (all []step) {
	for f := range jsonFields(of) {
		s := step{field: f.Index, text: jsonName(f)}
		switch t := f.Type; {
		case t.Kind() == reflect.Struct:
			s.of = t
		case t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct:
			s.of, s.text = t.Elem(), s.text+"?"
		case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
			s.of, s.text = t.Elem(), s.text+"[]"
		default:
			continue
		}
		if strings.HasPrefix(s.of.PkgPath(), "k8s.io/api/") || s.of == reflect.TypeFor[metav1.ObjectMeta]() {
			all = append(all, s)
		}
	}
	return all
}

// jsonFields visits the fields that JSON has.
func jsonFields(of reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for _, f := range reflect.VisibleFields(of) {
			if f.IsExported() && jsonName(f) != "" && jsonName(f) != "-" && !yield(f) {
				return
			}
		}
	}
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// probe makes an object that has a struct and nothing else, and returns the members that the defaults add to it.
func probe(t *testing.T, gvk schema.GroupVersionKind, at []step, of reflect.Type) (rules []defaulting.Rule) {
	object, err := legacyscheme.Scheme.New(gvk)
	if err != nil {
		t.Fatal(err)
	}
	v := reflect.ValueOf(object).Elem()
	find := func(make bool) reflect.Value {
		v := v
		for _, s := range at {
			v = v.FieldByIndex(s.field)
			switch v.Kind() {
			case reflect.Pointer:
				if make {
					v.Set(reflect.New(s.of))
				}
				if v = v.Elem(); !v.IsValid() {
					return v
				}
			case reflect.Slice:
				if make {
					v.Set(reflect.MakeSlice(v.Type(), 1, 1))
				}
				v = v.Index(0)
			}
		}
		return v
	}
	before := content(t, find(true).Interface())
	legacyscheme.Scheme.Default(object)
	filled := find(false)
	if !filled.IsValid() { // the defaults remove it
		return nil
	}
	after := content(t, filled.Interface())
	for f := range jsonFields(of) {
		name := jsonName(f)
		if f.Type.Kind() != reflect.Struct && !cmp.Equal(before[name], after[name]) {
			hasNil := slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map}, f.Type.Kind())
			rules = append(rules, defaulting.Rule{Path: name, Value: after[name], Zero: !hasNil})
		}
	}
	return rules
}

func content(t *testing.T, object any) map[string]any {
	t.Helper()
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := utiljson.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

// TestTable derives the table, and compares it with the two files that have it.
func TestTable(t *testing.T) {
	text, err := json.MarshalIndent(derive(t), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	files, err := filepath.Glob(tablePackage + "/*")
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		copies := []string{filepath.Join(runtimeCopy, filepath.Base(file))}
		if path.Ext(file) == ".json" {
			want, copies = text, append(copies, file)
		}
		for _, c := range copies {
			if *update {
				if err := os.WriteFile(c, want, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := os.ReadFile(c); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s is not up to date (%v): go test -run TestTable -update", c, err)
			}
		}
	}
}

// TestRandomDefaults compares the table with the defaults of an API server, on random objects of every kind.
func TestRandomDefaults(t *testing.T) {
	table := defaulting.Kubernetes()
	changed := map[string]int{}
	for _, gvk := range kinds() {
		t.Run(gvk.String(), func(t *testing.T) {
			f := filler(int64(len(gvk.Kind)))
			for range 150 {
				object, err := legacyscheme.Scheme.New(gvk)
				if err != nil {
					t.Fatal(err)
				}
				f.Fill(object)
				if n, ok := object.(*corev1.Namespace); ok {
					n.Name = "" // the label with the name is left out
				}
				object.GetObjectKind().SetGroupVersionKind(gvk)
				text, err := json.Marshal(object)
				if err != nil {
					t.Fatal(err)
				}
				// Defaults are set in what a decoder has read.
				given, _ := legacyscheme.Scheme.New(gvk)
				if err := json.Unmarshal(text, given); err != nil {
					t.Fatal(err)
				}
				was := content(t, given)
				got := runtime.DeepCopyJSON(was)
				legacyscheme.Scheme.Default(given)
				if !table.Set(got) {
					t.Fatal("the table lacks the kind")
				}
				want := content(t, given)
				// The members that Go has, of an object that the table has changed.
				read, _ := legacyscheme.Scheme.New(gvk)
				if text, err = json.Marshal(got); err == nil {
					err = json.Unmarshal(text, read)
				}
				if diff := cmp.Diff(want, content(t, read)); diff != "" || err != nil {
					t.Fatalf("%v (-upstream +table)\n%s", err, diff)
				}
				if !cmp.Equal(was, want) {
					changed[gvk.Kind]++
				}
			}
		})
	}
	for _, kind := range []string{
		"Pod", "Deployment", "DaemonSet", "StatefulSet", "ReplicaSet", "Job", "CronJob", "Service", "HorizontalPodAutoscaler",
	} {
		if changed[kind] < 100 {
			t.Errorf("%d objects of %s have defaults", changed[kind], kind)
		}
	}
	t.Logf("%d kinds; objects with defaults: %v", len(kinds()), changed)
}

// filler fills objects with random values, with those among them on which defaults depend.
func filler(seed int64) *randfill.Filler {
	words := map[reflect.Type][]string{}
	for kind, values := range map[string][]string{
		"DeploymentStrategyType": {"RollingUpdate", "Recreate"}, "DaemonSetUpdateStrategyType": {"RollingUpdate", "OnDelete"},
		"StatefulSetUpdateStrategyType": {"RollingUpdate", "OnDelete"},
		"ServiceType":                   {"ClusterIP", "NodePort", "LoadBalancer", "ExternalName"},
		"ServiceAffinity":               {"None", "ClientIP"}, "LimitType": {"Container", "Pod"},
	} {
		for _, of := range legacyscheme.Scheme.AllKnownTypes() {
			eachType(of, map[reflect.Type]bool{}, func(t reflect.Type) {
				if t.Name() == kind && strings.HasPrefix(t.PkgPath(), "k8s.io/api/") {
					words[t] = values
				}
			})
		}
	}
	id := strings.Repeat("a", 64)
	images := []string{
		"", "a", "a:latest", "a:1", "example.com/a", "example.com:5000/a/b:latest", "Bad/A:latest", "a:latest@sha256:" + id,
		"a@sha256:" + id, "a@sha256:b", "a b", id, "a/Latest", "A.b/c",
	}
	return randfill.NewWithSeed(seed).NilChance(.4).NumElements(0, 2).MaxDepth(16).Funcs(
		func(q *resource.Quantity, c randfill.Continue) {
			*q = *resource.NewMilliQuantity(c.Int63n(5000), resource.DecimalSI)
		},
		func(v *intstr.IntOrString, c randfill.Continue) {
			*v = []intstr.IntOrString{
				intstr.FromInt32(0), intstr.FromInt32(8), intstr.FromString("http"), intstr.FromString(""),
			}[c.Intn(4)]
		},
		func(v *metav1.Time, c randfill.Continue) {}, func(v *metav1.MicroTime, c randfill.Continue) {},
		func(v *metav1.FieldsV1, c randfill.Continue) {},
		func(v *runtime.RawExtension, c randfill.Continue) { v.Raw = []byte(`{"a":1}`) },
		func(v *metav1.ObjectMeta, c randfill.Continue) {
			*v = metav1.ObjectMeta{Name: "a"}
			if c.Bool() {
				v.Labels = map[string]string{"a": fmt.Sprint(c.Intn(5))}
			}
		},
		func(v *string, c randfill.Continue) {
			if *v = ""; c.Bool() {
				*v = images[c.Intn(len(images))]
			}
		},
		func(v *rbacv1.Subject, c randfill.Continue) {
			c.FillNoCustom(v)
			v.Kind = []string{rbacv1.UserKind, rbacv1.GroupKind, rbacv1.ServiceAccountKind, ""}[c.Intn(4)]
		},
		func(v *corev1.PodStatus, c randfill.Continue) { // the defaults of podIP and podIPs are left out
			c.FillNoCustom(v)
			v.PodIP, v.PodIPs = "", nil
		},
		func(v *corev1.LoadBalancerIngress, c randfill.Continue) { // and that of ipMode
			c.FillNoCustom(v)
			v.IP = ""
		},
	).Funcs(named(words)...)
}

// named fills types of strings with words.
func named(words map[reflect.Type][]string) (all []any) {
	for t := range words {
		of := reflect.FuncOf([]reflect.Type{reflect.PointerTo(t), reflect.TypeFor[randfill.Continue]()}, nil, false)
		all = append(all, reflect.MakeFunc(of, func(in []reflect.Value) []reflect.Value {
			c := in[1].Interface().(randfill.Continue)
			in[0].Elem().SetString(append(words[t], "", "x")[c.Intn(len(words[t])+2)])
			return nil
		}).Interface())
	}
	return all
}

// eachType visits a type and those in it.
func eachType(t reflect.Type, seen map[reflect.Type]bool, visit func(reflect.Type)) {
	if seen[t] {
		return
	}
	seen[t] = true
	visit(t)
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		eachType(t.Elem(), seen, visit)
	case reflect.Struct:
		for i := range t.NumField() {
			eachType(t.Field(i).Type, seen, visit)
		}
	}
}
