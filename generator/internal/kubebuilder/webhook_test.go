// SPDX-License-Identifier: Apache-2.0

package kubebuilder

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// TestWebhook reads one valid marker with the additions of each case. hack/peers compares the results with
// controller-gen.
func TestWebhook(t *testing.T) {
	for _, test := range []struct {
		add      string
		yaml     string // lines of the webhook, separated by |; after a !, words that it must not contain
		problems string
	}{
		{"verbs=create;UPDATE;*;x", "- CREATE|- UPDATE|- '*'|- x", "<verbs=create> K8 verbs is given twice, and the last one counts"},
		{"failurePolicy=iGnOrE", "failurePolicy: Ignore", "<failurePolicy=fail> K8 failurePolicy is given twice, and the last one counts"},
		{"matchPolicy=exact", "matchPolicy: Exact", ""},
		{`matchPolicy=""`, "!matchPolicy", ""},
		{"matchPolicy=foo", "!matchPolicy", `<matchPolicy=foo> K14 matchPolicy is Exact or Equivalent, not "foo"`},
		{"timeoutSeconds=30", "timeoutSeconds: 30", ""},
		{"timeoutSeconds=31", "", "<timeoutSeconds=31> K14 timeoutSeconds is 1 to 30, not 31"},
		{"timeoutSeconds=0", "!timeoutSeconds", "<timeoutSeconds=0> K12 timeoutSeconds=0 counts as not given, so that the API server waits 10 seconds"},
		{"timeoutSeconds=4294967301", "timeoutSeconds: 5", "<timeoutSeconds=4294967301> K11 timeoutSeconds does not fit into 32 bits, so that controller-gen makes it 5"},
		{"servicePort=4294967739", "port: 443", "<servicePort=4294967739> K11 servicePort does not fit into 32 bits, so that controller-gen makes it 443"},
		{"serviceName=a", "name: a|namespace: system", ""},
		{"serviceNamespace=a", "name: webhook-service|namespace: a", ""},
		{"reinvocationPolicy=ifneeded", "reinvocationPolicy: IfNeeded", ""},
		{"reinvocationPolicy=x", "!reinvocationPolicy", `<reinvocationPolicy=x> K13 reinvocationPolicy is Never or IfNeeded; "x" has no effect`},
		{"webhookVersions=v1;v1beta1", "", `<v1beta1> K14 webhookVersions is v1, not "v1beta1"`},
		{"url=u", "", "<url=u> K15 a webhook has a path or a url, not both"},
		{"patch=`{\"timeoutSeconds\":7}`", "timeoutSeconds: 7", ""},
		{"patch=`{\"timeoutSeconds\":31}`", "", "<patch=`{\"timeoutSeconds\":31}`> K14 timeoutSeconds is 1 to 30, not 31"},
		{"patch=`{\"sideEffects\":null}`", "", "<patch=`{\"sideEffects\":null}`> K14 the patch takes away sideEffects, which is required"},
		{"patch=`{\"sideEffects\":\"Some\"}`", "", "<patch=`{\"sideEffects\":\"Some\"}`> K14 sideEffects is None or NoneOnDryRun, not \"Some\""},
		{"patch=`{\"admissionReviewVersions\":null}`", "", "<patch=`{\"admissionReviewVersions\":null}`> K14 admissionReviewVersions is empty"},
		{"patch=`{\"a\":1}`", "", "<patch=`{\"a\":1}`> K16 the patch is not valid at \"a\": unable to find api field in struct MutatingWebhook for the json field \"a\""},
		{"patch=`{`", "", "<patch=`{`> K16 the patch is not valid: unexpected end of JSON input"},
		{"patch=`{\"name\":\"x\",\"name\":\"y\"}`", "", "<patch=`{\"name\":\"x\",\"name\":\"y\"}`> K16 the patch is not valid: duplicate field \"name\""},
	} {
		t.Run(test.add, func(t *testing.T) {
			webhooks, _, problems := read(t, "-- p.go --\npackage p\n// +kubebuilder:webhook:$SOME,mutating=true,path=/p,name=a,"+test.add)
			checkProblems(t, test.problems, problems)
			text, err := yaml.Marshal(webhooks[0].Spec)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.SplitSeq(test.yaml, "|") {
				if word, unwanted := strings.CutPrefix(line, "!"); strings.Contains(string(text), word) == unwanted {
					t.Errorf("%q and\n%s", line, text)
				}
			}
		})
	}
}

// TestWebhookMistakes reads markers whose mistakes must not cause further findings.
func TestWebhookMistakes(t *testing.T) {
	const most = "mutating=false,failurePolicy=fail,groups=g,resources=r,verbs=create,versions=v1,admissionReviewVersions=v1"
	for _, test := range []struct{ marker, problems string }{
		{most + ",name=a,sideEffects=None", "<+kubebuilder:webhook> K15 +kubebuilder:webhook needs a path or a url"},
		{most + ",name=a,sideEffects=None,path=", "<path=> K15 +kubebuilder:webhook needs a path or a url"},
		{most + ",name=a,path=/p", "<+kubebuilder:webhook> K6 +kubebuilder:webhook needs sideEffects"},
		{
			most + ",nmae=a,pth=/p,sideEffect=None,timeoutSeconds=5s",
			`<nmae> K5 +kubebuilder:webhook has no argument "nmae"; <pth> K5 +kubebuilder:webhook has no argument "pth"; ` +
				`<sideEffect> K5 +kubebuilder:webhook has no argument "sideEffect"; <5s> K7 timeoutSeconds is a whole number, not "5s"`,
		},
		{
			most + ",name=a,url=u,sideEffects=x,reinvocationPolicy=Never,serviceName=s",
			`<serviceName=s> K13 serviceName has no effect beside url; ` +
				`<reinvocationPolicy=Never> K13 reinvocationPolicy has no effect on a validating webhook; ` +
				`<sideEffects=x> K14 sideEffects is None or NoneOnDryRun, not "x"`,
		},
		{
			most + ",name=a,path=/p,sideEffects=x,patch=`{\"sideEffects\":\"None\"}`",
			`<sideEffects=x> K13 sideEffects is None or NoneOnDryRun; "x" has no effect`,
		},
		{
			most + ",name=a,path=/p,sideEffects=None,patch=`{\"reinvocationPolicy\":\"Never\"}`",
			"<patch=`{\"reinvocationPolicy\":\"Never\"}`> K16 the patch is not valid at \"reinvocationPolicy\": " +
				`unable to find api field in struct ValidatingWebhook for the json field "reinvocationPolicy"`,
		},
		{"=" + most, "<=> K4 a colon is between the name of this marker and its arguments"},
	} {
		marker := strings.Replace("+kubebuilder:webhook:"+test.marker, ":=", "=", 1)
		_, _, problems := read(t, "-- p.go --\npackage p\n// "+marker)
		checkProblems(t, test.problems, problems)
	}
}

// checkProblems compares the diagnostics for line 2 of p.go, in the order of the report.
func checkProblems(t *testing.T, want string, got []string) {
	t.Helper()
	for i := range got {
		got[i] = strings.TrimPrefix(got[i], "p.go:2 ")
	}
	if diff := cmp.Diff(want, strings.Join(got, "; ")); diff != "" {
		t.Errorf("problems (-want +got)\n%s", diff)
	}
}

// TestAt checks which text set each field.
func TestAt(t *testing.T) {
	src := "package p\n\n\t// +kubebuilder:webhook:name=a.b.c,mutating=true,failurePolicy=fail,sideEffects=None,groups=core;apps,resources={pods, \"x\"}," +
		"verbs=create,versions=v1,admissionReviewVersions=v1,path=/p,servicePort=1,timeoutSeconds=5," +
		"patch=`{\"timeoutSeconds\":7,\"namespaceSelector\":{\"matchLabels\":{\"a\":\"b\"}},\"clientConfig\":{\"service\":{\"port\":null}}}`\n"
	webhooks, _, problems := read(t, "-- p.go --\n"+src)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	w := webhooks[0]
	line := strings.Split(src, "\n")[2]
	if got := line[w.Pos.Column-1 : w.End.Column-1]; !strings.HasPrefix(got, "+kubebuilder") || !strings.HasSuffix(got, "`") {
		t.Errorf("the marker is %q", got)
	}
	patch := line[strings.Index(line, "patch="):]
	want := map[string]string{
		"name": "name=a.b.c", "failurePolicy": "failurePolicy=fail", "sideEffects": "sideEffects=None",
		"rules[0].apiGroups": "groups=core;apps", "rules[0].apiGroups[0]": "core", "rules[0].apiGroups[1]": "apps",
		"rules[0].resources": `resources={pods, "x"}`, "rules[0].resources[0]": "pods", "rules[0].resources[1]": `"x"`,
		"rules[0].operations": "verbs=create", "rules[0].operations[0]": "create",
		"rules[0].apiVersions": "versions=v1", "rules[0].apiVersions[0]": "v1",
		"admissionReviewVersions": "admissionReviewVersions=v1", "admissionReviewVersions[0]": "v1",
		"clientConfig.service.path": "path=/p",
		"clientConfig":              patch, "clientConfig.service": patch, "clientConfig.service.port": patch,
		"timeoutSeconds": patch, "namespaceSelector": patch, "namespaceSelector.matchLabels": patch, "namespaceSelector.matchLabels.a": patch,
	}
	got := map[string]string{}
	for path, at := range w.At {
		if at.Pos.Line != 3 || at.End.Line != 3 {
			t.Errorf("%s stands in line %d", path, at.Pos.Line)
		}
		got[path] = line[at.Pos.Column-1 : at.End.Column-1]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}

	for path, near := range map[string]string{
		"rules[0].operations[0]":             "rules[0].operations[0]",
		"rules[0].operations[7]":             "rules[0].operations",
		"namespaceSelector.matchLabels[a].b": "namespaceSelector.matchLabels",
		"rules[0].scope":                     "",
		"matchConditions":                    "",
	} {
		at := w.Range
		if near != "" {
			at = w.At[near]
		}
		if w.Where(path) != at {
			t.Errorf("%s is said at %v", path, w.Where(path))
		}
	}
}

// TestRules compares the table with the rules that the package reports.
func TestRules(t *testing.T) {
	var ids []string
	for _, r := range Rules() {
		ids = append(ids, r.ID)
		if r.Title == "" {
			t.Errorf("%s says nothing", r.ID)
		}
	}
	want := make([]string, len(ids))
	for i := range want {
		want[i] = fmt.Sprintf("K%d", i+1)
	}
	if !slices.Equal(ids, want) {
		t.Errorf("ids %v", ids)
	}
}
