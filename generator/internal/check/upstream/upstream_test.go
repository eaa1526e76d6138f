// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/admissionregistration"
	registrationv1 "k8s.io/kubernetes/pkg/apis/admissionregistration/v1"
	"k8s.io/kubernetes/pkg/apis/admissionregistration/validation"

	"github.com/webhook-gen/webhook-gen/generator/internal/check"
	"github.com/webhook-gen/webhook-gen/generator/internal/config"
	"github.com/webhook-gen/webhook-gen/generator/internal/kubebuilder"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/render"
	"github.com/webhook-gen/webhook-gen/generator/internal/semantics"
)

// TestScenarios compares the results of both validations on every object of every scenario of the generator.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	objects, broken := 0, 0
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			project := projectOf(t, archive)
			for _, p := range project.Policies {
				objects++
				if comparePolicy(t, p, map[string]int{}) {
					broken++
				}
			}
			for _, c := range project.Configurations {
				objects++
				if compare(t, project, c) {
					broken++
				}
			}
		})
	}
	t.Logf("%d objects, of which upstream refuses %d", objects, broken)
	if objects < 30 || broken < 3 {
		t.Errorf("too few to prove anything")
	}
}

// projectOf runs the pipeline up to the model. It reads scenarios for v1beta1 as v1, because upstream now only has the
// validation of v1.
func projectOf(t *testing.T, archive *txtar.Archive) *model.Project {
	dir := t.TempDir()
	files := archive.Files
	if !slices.ContainsFunc(files, func(f txtar.File) bool { return f.Name == "go.mod" }) {
		files = append(files, txtar.File{Name: "go.mod", Data: []byte("module example.com/app\n")})
	}
	for _, f := range files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	settings, _ := config.Read(dir)
	source, _ := load.Load(context.Background(), load.Config{Dir: dir, Tags: settings.Tags, Markers: []string{"+webhook", "+kubebuilder:webhook"}})
	others, _ := kubebuilder.Configurations(source.Packages)
	project, _ := semantics.Project(context.Background(), source.Module, source.Packages, others, semantics.Options{Domain: settings.Domain, API: "v1"})
	return project
}

// compare reports whether upstream refuses the object. It fails the test if our findings differ from upstream's in any
// field.
func compare(t *testing.T, project *model.Project, c *model.Configuration) (refused bool) {
	t.Helper()
	want := fields(upstreamErrors(t, c))
	var got []string
	for _, f := range check.Findings(project) {
		// E2 is a rule of the registry's strategy, not of the validation. U rules are our own.
		if f.Object == c && f.Rule != "E2" {
			got = append(got, f.Field)
		}
	}
	slices.Sort(got)
	got = slices.Compact(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: (-upstream +check)\n%s\n%v", c.Name, diff, upstreamErrors(t, c))
	}
	return len(want) > 0
}

func upstreamErrors(t *testing.T, c *model.Configuration) field.ErrorList {
	t.Helper()
	switch o := render.Object(c, render.Delivery{}).(type) {
	case *admissionregistrationv1.MutatingWebhookConfiguration:
		o = o.DeepCopy()
		registrationv1.SetObjectDefaults_MutatingWebhookConfiguration(o)
		var internal admissionregistration.MutatingWebhookConfiguration
		if err := registrationv1.Convert_v1_MutatingWebhookConfiguration_To_admissionregistration_MutatingWebhookConfiguration(o, &internal, nil); err != nil {
			t.Fatal(err)
		}
		return validation.ValidateMutatingWebhookConfiguration(&internal)
	case *admissionregistrationv1.ValidatingWebhookConfiguration:
		o = o.DeepCopy()
		registrationv1.SetObjectDefaults_ValidatingWebhookConfiguration(o)
		var internal admissionregistration.ValidatingWebhookConfiguration
		if err := registrationv1.Convert_v1_ValidatingWebhookConfiguration_To_admissionregistration_ValidatingWebhookConfiguration(o, &internal, nil); err != nil {
			t.Fatal(err)
		}
		return validation.ValidateValidatingWebhookConfiguration(&internal)
	}
	panic("unreachable")
}

// fields lists the fields with upstream errors, under the names that our findings use.
func fields(errors field.ErrorList) []string {
	var list []string
	for _, e := range errors {
		f := e.Field
		switch {
		case strings.HasSuffix(f, ".service.name"): // upstream's calls swap the two, kubernetes/kubernetes#141353
			f = strings.TrimSuffix(f, "name") + "namespace"
		case strings.HasSuffix(f, ".service.namespace"):
			f = strings.TrimSuffix(f, "namespace") + "name"
		case e.Type == field.ErrorTypeTooMany:
			f += "[64]" // our finding is at the first element beyond the limit
		}
		list = append(list, f)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// TestRandomObjects compares the results on objects whose every field is drawn from good and bad values.
func TestRandomObjects(t *testing.T) {
	const rounds = 20000
	r := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for range rounds {
		c := &model.Configuration{Mutating: r.IntN(2) == 0, Name: mostly(r, "shop.example.com", "Shop", "", "a_b", strings.Repeat("a", 254))}
		if r.IntN(4) == 0 {
			c.Labels = map[string]string{mostly(r, "a/b", "a b", ""): mostly(r, "x", "x y", strings.Repeat("a", 64))}
			c.Annotations = map[string]string{mostly(r, "A/b", "A B", "a/b/c"): "anything at all"}
		}
		for range 1 + r.IntN(3) {
			c.Webhooks = append(c.Webhooks, randomWebhook(r, c.Mutating))
		}
		if compare(t, &model.Project{API: "v1", Configurations: []*model.Configuration{c}}, c) {
			refused++
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%d objects, of which upstream refuses %d", rounds, refused)
	if refused < rounds/10 || refused > rounds*9/10 {
		t.Errorf("the mix is too one-sided to prove anything")
	}
}

// odd sets how rarely a field gets a value that is likely bad: once in odd times.
const odd = 60

// randomWebhook draws good values for most fields, and bad ones now and then.
func randomWebhook(r *rand.Rand, mutating bool) *model.Webhook {
	w := &model.Webhook{Mutating: mutating}
	s := &w.Spec
	s.Name = mostly(r, fmt.Sprintf("w%d.shop.example.com", r.IntN(20)), "", "a.b", "A.b.c", "a.b.c.", "a_b.c.d", strings.Repeat("a.", 130)+"b")
	for range r.IntN(3) {
		rule := admissionregistrationv1.RuleWithOperations{}
		rule.Operations = list[admissionregistrationv1.OperationType](r, "CREATE", "UPDATE", "DELETE", "CONNECT", "*", "create", "")
		rule.APIGroups = list[string](r, "", "apps", "batch", "shop.example.com", "*", "Any Thing")
		rule.APIVersions = list[string](r, "v1", "v2", "v1beta1", "v3", "*", "")
		rule.Resources = list[string](r, "pods", "pods/status", "services", "deployments/scale", "*", "*/*", "pods/*", "*/status", "", "Pods", "a/b/c", "pods/")
		if r.IntN(2) == 0 {
			rule.Scope = value[admissionregistrationv1.ScopeType](mostly(r, pick(r, "*", "Cluster", "Namespaced"), "cluster", ""))
		}
		s.Rules = append(s.Rules, rule)
	}
	if r.IntN(2) == 0 {
		s.FailurePolicy = value[admissionregistrationv1.FailurePolicyType](mostly(r, pick(r, "Fail", "Ignore"), "fail", ""))
		s.MatchPolicy = value[admissionregistrationv1.MatchPolicyType](mostly(r, pick(r, "Exact", "Equivalent"), "exact", ""))
	}
	if r.IntN(odd) > 0 {
		s.SideEffects = value[admissionregistrationv1.SideEffectClass](mostly(r, pick(r, "None", "NoneOnDryRun"), "Some", "Unknown", "none", ""))
	}
	if r.IntN(2) == 0 {
		seconds := number(r, 1+r.Int32N(30), 0, 31, -1)
		s.TimeoutSeconds = &seconds
	}
	if mutating && r.IntN(3) == 0 {
		s.ReinvocationPolicy = value[admissionregistrationv1.ReinvocationPolicyType](mostly(r, pick(r, "Never", "IfNeeded"), "Always", ""))
	}
	if r.IntN(3) == 0 {
		s.NamespaceSelector, s.ObjectSelector = randomSelector(r), randomSelector(r)
	}
	s.AdmissionReviewVersions = [][]string{{"v1"}, {"v1", "v1beta1"}, {"v1beta1"}, {"v1", "v2"}}[r.IntN(4)]
	if r.IntN(odd) == 0 {
		s.AdmissionReviewVersions = [][]string{{"v2"}, {"v1", "v1"}, {"V1"}, {""}, {}}[r.IntN(5)]
	}
	if r.IntN(odd) > 0 {
		port := number(r, 1+r.Int32N(65535), 0, 65536, -1)
		path := mostly(r, pick(r, "/validate-shop-v1-order", "/", "", "/a/b/", "/a.b/c-d"), "a", "//", "/a//b", "/A", "/a_b", "/a/b//", "/-", "a/b", "/a b")
		s.ClientConfig.Service = &admissionregistrationv1.ServiceReference{
			Name: mostly(r, "hooks", ""), Namespace: mostly(r, "shop", ""), Port: &port, Path: &path,
		}
		if r.IntN(4) == 0 {
			s.ClientConfig.Service.Path, s.ClientConfig.Service.Port = nil, nil
		}
	}
	if s.ClientConfig.Service == nil || r.IntN(odd) == 0 {
		s.ClientConfig.URL = value[string](mostly(r, "https://hooks.example.com/x", "http://a", "https://", "https://u:p@a", "https://a?b", "https://a#b", "", ":", "https://a:99999", "https://[::1", "a"))
	}
	for i := range pick(r, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, int(number(r, 4, 64, 65))) {
		s.MatchConditions = append(s.MatchConditions, admissionregistrationv1.MatchCondition{
			Name:       mostly(r, fmt.Sprintf("c%d", i), "", "c0", "a b", "a/b", "a/b/c"),
			Expression: mostly(r, "request.operation == 'CREATE'", "", " \n"),
		})
		if i > 3 {
			s.MatchConditions[i] = admissionregistrationv1.MatchCondition{Name: fmt.Sprintf("c%d", i), Expression: "true"}
		}
	}
	return w
}

func randomSelector(r *rand.Rand) *metav1.LabelSelector {
	if r.IntN(3) == 0 {
		return nil
	}
	s := &metav1.LabelSelector{MatchLabels: map[string]string{mostly(r, "a/b", "", "a b", "a/b/c"): mostly(r, "x", "x y", "-")}}
	for range r.IntN(3) {
		e := metav1.LabelSelectorRequirement{
			Key:      mostly(r, "environment", "", "a b"),
			Operator: metav1.LabelSelectorOperator(mostly(r, pick(r, "In", "NotIn", "Exists", "DoesNotExist"), "Is", "")),
		}
		if e.Operator == "In" || e.Operator == "NotIn" || r.IntN(odd) == 0 {
			e.Values = [][]string{{"a"}, {"a", "b"}, {""}}[r.IntN(3)]
			if r.IntN(odd) == 0 {
				e.Values = [][]string{{}, {"a b"}}[r.IntN(2)]
			}
		}
		s.MatchExpressions = append(s.MatchExpressions, e)
	}
	return s
}

func pick[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

func number(r *rand.Rand, good int32, bad ...int32) int32 {
	if r.IntN(odd) > 0 {
		return good
	}
	return pick(r, bad...)
}

func mostly(r *rand.Rand, good string, bad ...string) string {
	if r.IntN(odd) > 0 {
		return good
	}
	return pick(r, bad...)
}

// list draws one to three values, and rarely none. The later values of the pool are the odd ones.
func list[T ~string](r *rand.Rand, pool ...string) []T {
	var out []T
	n := 1 + r.IntN(3)
	if r.IntN(odd) == 0 {
		n = 0
	}
	for range n {
		v := pool[r.IntN(4)]
		if r.IntN(odd/3) == 0 {
			v = pool[r.IntN(len(pool))]
		}
		out = append(out, T(v))
	}
	return out
}

func value[T ~string](s string) *T {
	t := T(s)
	return &t
}
