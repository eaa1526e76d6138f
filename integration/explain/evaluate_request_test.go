// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"
)

// TestRequests sends requests to an API server with policies and webhooks, and has `explain request --webhooks` explain
// each: the same verdict, message, code, warnings, audit annotations and object. All requests are dry runs.
//
// They are a sample of the grid: every fifth request, and every third one for a Pod. TestPolicies sends all. The
// command takes a process and a tenth of a second of processor time for each request: minutes for the whole grid.
func TestRequests(t *testing.T) {
	p := startPolicies(t)
	w := startAnswers(t, p)
	var requests []*policyRequest
	for i, r := range append(p.widgets(t), p.pods(t)...) {
		// m-count counts the items that m-items adds, and an API server has no certain order of policies.
		ofTeam := func(o *unstructured.Unstructured) bool { return o != nil && o.GetLabels()["team"] == "a" }
		if r.object != nil && (ofTeam(r.object) || ofTeam(r.old)) && r.object.Object["spec"].(map[string]any)["items"] != nil {
			continue
		}
		if r.resource == podResource() && i%3 == 0 || i%5 == 0 {
			requests = append(requests, r)
		}
	}
	answers := make([]policyAnswer, len(requests))
	begin := time.Now()
	var wait sync.WaitGroup
	next := make(chan int)
	for worker := range 4 {
		wait.Go(func() {
			for i := range next {
				answers[i] = w.explain(t, requests[i], filepath.Join(w.folder, fmt.Sprint(worker)), "-c", w.manifest, "--crds", w.definitions,
					"--namespace-labels", strings.NewReplacer(": ", "=", ", ", ",", "'", "").Replace(policyNamespaces()[requests[i].namespace]))
			}
		})
	}
	for i := range requests {
		next <- i
	}
	close(next)
	wait.Wait()
	explained := time.Since(begin)
	w.ready(t, requests, answers)
	p.send(t, requests)
	annotations := p.annotations(t, requests)
	counts := map[string]int{}
	disagreements := 0
	for i := 0; i < len(requests); i += 40 { // with the policies, webhooks and params of the cluster
		counts["from the cluster"]++
		again := w.explain(t, requests[i], filepath.Join(w.folder, "again"), "--kubeconfig", w.kubeconfigFile)
		if diff := cmp.Diff(answers[i].Steps, again.Steps) + cmp.Diff(answers[i].Object, again.Object); diff != "" {
			disagreements++
			t.Errorf("%s: another answer where the cluster is asked\n%s", requests[i].title, diff)
		}
	}
	for i, r := range requests {
		diff := p.compare(answers[i], r, annotations[r.id], counts)
		if diff == "" && (len(answers[i].Open) > 0 || answers[i].Verdict == "open") {
			diff = "the answer is open"
		}
		if diff != "" {
			if disagreements++; disagreements <= 10 {
				t.Errorf("%s by %s\n%s\n%s", r.title, r.user, diff, answers[i].describe())
			}
		}
		for _, s := range answers[i].Steps {
			if s.Webhook != "" {
				counts["call "+s.Phase+" "+s.Verdict]++
			}
			if s.EstimatedCost > 0 {
				counts["estimated"]++
				if s.Cost > s.EstimatedCost {
					t.Errorf("%s by %s: the step of %s costs %d, and the estimate is %d", r.title, r.user, s.Policy, s.Cost, s.EstimatedCost)
				}
			}
		}
	}
	if disagreements > 0 {
		t.Errorf("%d disagreements", disagreements)
	}
	if len(requests) < 300 {
		t.Errorf("%d requests; 300 are wanted", len(requests))
	}
	for _, kind := range []string{
		"denied", "warned", "annotated", "changed", "call mutation changed", "call mutation denied", "call mutation error", "call reinvocation changed", "estimated",
		"call reinvocation allowed", "call validation allowed", "call validation denied", "call validation error",
	} {
		if counts[kind] == 0 {
			t.Errorf("no request has: %s", kind)
		}
	}
	t.Logf("%d requests with %d policies and %d webhooks: %v; disagreements: %d; explained in %s", len(requests), len(p.policies), w.webhooks, counts, disagreements, explained.Round(time.Millisecond))
}

// answers is a program of webhooks, whose answers follow from the path and the object.
type answers struct {
	*policySession
	*httptest.Server
	folder, manifest, definitions, authority, kubeconfigFile string
	webhooks                                                 int
	calls                                                    atomic.Int64
}

func startAnswers(t *testing.T, p *policySession) *answers {
	w := &answers{policySession: p, folder: t.TempDir()}
	w.Server = httptest.NewTLSServer(w)
	t.Cleanup(w.Close)
	for name, file := range map[string]*string{"manifest.yaml": &w.manifest, "crds.yaml": &w.definitions, "ca.pem": &w.authority, "kubeconfig": &w.kubeconfigFile} {
		*file = filepath.Join(w.folder, name)
	}
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: w.Certificate().Raw})
	text, err := os.ReadFile("testdata/policies.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var manifest []string
	for _, document := range strings.Split(string(text), "\n---\n") {
		if p.mutating || !strings.HasPrefix(parse(t, document).GetKind(), "Mutating") {
			manifest = append(manifest, document)
		}
	}
	client, err := kubernetes.NewForConfig(p.config)
	if err != nil {
		t.Fatal(err)
	}
	registration := client.AdmissionregistrationV1()
	mutating, validating := w.configurations(t, authority)
	w.webhooks = len(mutating.Webhooks) + len(validating.Webhooks)
	for _, o := range []any{mutating, validating} {
		text, err := yaml.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		manifest = append(manifest, string(text))
	}
	for file, content := range map[string]string{w.manifest: strings.Join(manifest, "\n---\n"), w.definitions: string(text), w.authority: string(authority), w.kubeconfigFile: string(p.kubeconfig)} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := registration.MutatingWebhookConfigurations().Create(t.Context(), mutating, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := registration.MutatingWebhookConfigurations().Delete(context.Background(), mutating.Name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
		w.gone(t)
	})
	if _, err := registration.ValidatingWebhookConfigurations().Create(t.Context(), validating, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := registration.ValidatingWebhookConfigurations().Delete(context.Background(), validating.Name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	return w
}

// gone waits until the API server calls none of the webhooks, for the tests that follow.
func (w *answers) gone(t *testing.T) {
	client := w.clients["ann"].Resource(widgetResource()).Namespace("policies-plain")
	probe := parse(t, "{apiVersion: policies.example.com/v1, kind: Widget, metadata: {name: gone}, spec: {}}")
	for range 120 {
		before := w.calls.Load()
		_, _ = client.Create(context.Background(), probe, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if w.calls.Load() == before {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Error("deleted webhooks are called")
}

// configurations are webhooks of both kinds. The first label of a name is the path.
func (w *answers) configurations(t *testing.T, authority []byte) (*v1.MutatingWebhookConfiguration, *v1.ValidatingWebhookConfiguration) {
	read := func(text string, into any) {
		t.Helper()
		if err := yaml.UnmarshalStrict([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	rules := `[{operations: [CREATE, UPDATE, DELETE], apiGroups: [policies.example.com, ""], apiVersions: [v1], resources: [widgets, pods]}]`
	m := &v1.MutatingWebhookConfiguration{}
	read(`
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: requests}
webhooks:
- {name: early.requests.example.com, reinvocationPolicy: IfNeeded, objectSelector: {matchLabels: {hook: "yes"}}}
- {name: label.requests.example.com, reinvocationPolicy: IfNeeded, matchConditions: [{name: written, expression: "request.operation != 'DELETE'"}]}
- {name: copy.requests.example.com, reinvocationPolicy: IfNeeded, objectSelector: {matchLabels: {hook: "yes"}}}
- {name: warn.requests.example.com, reinvocationPolicy: IfNeeded}
- {name: broken.requests.example.com, failurePolicy: Ignore, objectSelector: {matchLabels: {strict: "true"}}}
- {name: closed.requests.example.com, matchConditions: [{name: titled, expression: "object != null && has(object.spec.title) && object.spec.title == 't'"}, {name: slow, expression: "has(object.spec.mode) && object.spec.mode == 'slow'"}]}
- {name: refuse.requests.example.com, matchConditions: [{name: fast, expression: "object != null && has(object.spec.mode) && object.spec.mode == 'fast' && !has(object.spec.items)"}, {name: labelled, expression: "object.metadata.?labels.team.orValue('') == 'b'"}]}
- {name: unknown.requests.example.com, objectSelector: {matchLabels: {team: a}}, matchConditions: [{name: some, expression: "object != null && has(object.spec.replicas) && object.spec.replicas > 30"}]}
- {name: bump.requests.example.com, matchConditions: [{name: few, expression: "object != null && has(object.spec.replicas) && object.spec.replicas < 10"}]}
- {name: impossible.requests.example.com, failurePolicy: Ignore, matchConditions: [{name: many, expression: "object != null && has(object.spec.replicas) && object.spec.replicas == 70"}]}
`, m)
	for i := range m.Webhooks {
		h := &m.Webhooks[i]
		w.complete(t, h.Name, rules, authority, &h.ClientConfig, &h.Rules, &h.NamespaceSelector, &h.SideEffects, &h.AdmissionReviewVersions)
	}
	v := &v1.ValidatingWebhookConfiguration{}
	read(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: requests}
webhooks:
- {name: fine.requests.example.com}
- {name: warn.requests.example.com, matchConditions: [{name: copied, expression: "object != null && 'copy' in object.metadata.?annotations.orValue({})"}]}
- {name: many.requests.example.com, matchConditions: [{name: some, expression: "object != null && has(object.spec.replicas) && object.spec.replicas > 3"}]}
- {name: uid.requests.example.com, failurePolicy: Ignore, objectSelector: {matchLabels: {team: b}}}
- {name: patch.requests.example.com, failurePolicy: Fail, matchConditions: [{name: mine, expression: "object != null && has(object.spec.title) && object.spec.title == 'mine'"}, {name: slow, expression: "has(object.spec.mode) && object.spec.mode == 'slow'"}]}
- {name: old.requests.example.com, admissionReviewVersions: [v1beta1], objectSelector: {matchExpressions: [{key: strict, operator: Exists}]}}
- {name: plain.requests.example.com, matchConditions: [{name: delete, expression: "request.operation == 'DELETE' && oldObject.metadata.?labels.team.orValue('') == 'b'"}]}
`, v)
	for i := range v.Webhooks {
		h := &v.Webhooks[i]
		w.complete(t, h.Name, rules, authority, &h.ClientConfig, &h.Rules, &h.NamespaceSelector, &h.SideEffects, &h.AdmissionReviewVersions)
	}
	return m, v
}

// complete sets the fields that all webhooks have alike.
func (w *answers) complete(t *testing.T, name, rules string, authority []byte, c *v1.WebhookClientConfig, r *[]v1.RuleWithOperations, namespaces **metav1.LabelSelector, effects **v1.SideEffectClass, versions *[]string) {
	t.Helper()
	path, _, _ := strings.Cut(name, ".")
	address := w.URL + "/" + path
	none := v1.SideEffectClassNone
	*c = v1.WebhookClientConfig{URL: &address, CABundle: authority}
	*namespaces, *effects = &metav1.LabelSelector{MatchLabels: map[string]string{"policies": "yes"}}, &none
	if *versions == nil {
		*versions = []string{"v1"}
	}
	if err := yaml.UnmarshalStrict([]byte(rules), r); err != nil {
		t.Fatal(err)
	}
}

func (w *answers) ServeHTTP(out http.ResponseWriter, in *http.Request) {
	w.calls.Add(1)
	text, err := io.ReadAll(in.Body)
	var review admissionv1.AdmissionReview // v1beta1 has the same fields
	if err == nil {
		err = json.Unmarshal(text, &review)
	}
	var o unstructured.Unstructured
	if err == nil && len(review.Request.Object.Raw) > 0 && string(review.Request.Object.Raw) != "null" {
		err = o.UnmarshalJSON(review.Request.Object.Raw)
	}
	if err != nil {
		http.Error(out, err.Error(), http.StatusBadRequest)
		return
	}
	path := strings.TrimPrefix(in.URL.Path, "/")
	response := answerOf(path, &o)
	if response == nil {
		http.Error(out, "broken", http.StatusInternalServerError)
		return
	}
	if response.UID == "" {
		response.UID = review.Request.UID
	}
	if response.Patch != nil {
		kind := admissionv1.PatchTypeJSONPatch
		response.PatchType = &kind
	}
	review.Request, review.Response = nil, response
	out.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(out).Encode(review)
}

// answerOf is the answer of the webhook at a path to an object, which is empty for a DELETE; nil for a failure.
func answerOf(path string, o *unstructured.Unstructured) *admissionv1.AdmissionResponse {
	r := &admissionv1.AdmissionResponse{Allowed: true}
	patch := func(operations ...string) { r.Patch = []byte("[" + strings.Join(operations, ",") + "]") }
	labels, annotations := o.GetLabels(), o.GetAnnotations()
	replicas, _, _ := unstructured.NestedInt64(o.Object, "spec", "replicas")
	switch path {
	case "early": // is matched only in the second round, and so never called
		patch(`{"op": "add", "path": "/metadata/labels/early", "value": "yes"}`)
	case "label":
		switch {
		case len(labels) == 0:
			patch(`{"op": "add", "path": "/metadata/labels", "value": {"hook": "yes"}}`)
		default:
			patch(`{"op": "add", "path": "/metadata/labels/hook", "value": "yes"}`)
		}
	case "copy":
		// Nothing that depends on the order of policies.
		value, _ := json.Marshal(fmt.Sprintf("%d %s", replicas, labels["config"]))
		if len(annotations) == 0 {
			patch(`{"op": "add", "path": "/metadata/annotations", "value": {}}`, fmt.Sprintf(`{"op": "add", "path": "/metadata/annotations/copy", "value": %s}`, value))
		} else {
			patch(fmt.Sprintf(`{"op": "add", "path": "/metadata/annotations/copy", "value": %s}`, value))
		}
	case "warn":
		r.Warnings = []string{"always", "always", fmt.Sprintf("replicas %d", replicas), "", "not\nprintable"}
		r.AuditAnnotations = map[string]string{"replicas": fmt.Sprint(replicas), "sees": "it"}
	case "broken":
		return nil
	case "closed":
		return nil
	case "refuse":
		r.Allowed, r.Result = false, &metav1.Status{Code: 418, Reason: "Teapot", Message: "no coffee\nfor " + o.GetName()}
		r.Warnings = []string{"refused"}
	case "unknown":
		patch(`{"op": "add", "path": "/spec/unknown", "value": {"a": 1}}`, `{"op": "test", "path": "/kind", "value": "`+o.GetKind()+`"}`)
	case "bump":
		patch(fmt.Sprintf(`{"op": "replace", "path": "/spec/replicas", "value": %d}`, replicas+1))
	case "impossible":
		patch(`{"op": "remove", "path": "/spec/nothing/there"}`)
	case "many":
		if replicas > 5 {
			r.Allowed, r.Result = false, &metav1.Status{Message: fmt.Sprintf("%d are too many", replicas), Code: 422}
		}
		r.AuditAnnotations = map[string]string{"many": fmt.Sprint(replicas > 5)}
	case "uid":
		r.UID = "another"
	case "patch":
		patch(`{"op": "remove", "path": "/spec"}`)
	case "plain":
		r.Allowed = false
	case "old":
		r.Warnings = []string{"a version of old"}
	}
	return r
}

// explain runs `webhook-gen explain request` for a request.
func (w *answers) explain(t *testing.T, r *policyRequest, prefix string, sources ...string) policyAnswer {
	authorizer := "allow"
	if r.user == "plain" {
		authorizer = "deny"
	}
	arguments := []string{
		"explain", "request", "--format=json", "--dry-run", "--webhooks", w.URL, "--webhooks-ca", w.authority,
		"--operation", r.operation, "-n", r.namespace, "--as", r.user, "--authorizer", authorizer,
	}
	arguments = append(arguments, sources...)
	for _, group := range policyUsers()[r.user] {
		arguments = append(arguments, "--as-group", group)
	}
	for flag, o := range map[string]*unstructured.Unstructured{"-f": r.object, "--old": r.old} {
		if o == nil {
			continue
		}
		if r.operation == "DELETE" {
			flag = "-f"
		}
		text, err := yaml.Marshal(o.Object)
		if err != nil {
			t.Error(err)
		}
		file := prefix + strings.TrimLeft(flag, "-") + ".yaml"
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Error(err)
		}
		arguments = append(arguments, flag, file)
	}
	var out, errOut bytes.Buffer
	c := exec.Command(w.command, arguments...)
	c.Stdout, c.Stderr = &out, &errOut
	if err := c.Run(); err != nil {
		t.Errorf("%s: %v\n%s", r.title, err, &errOut)
		return policyAnswer{Error: "none"}
	}
	var a policyAnswer
	if err := json.Unmarshal(out.Bytes(), &a); err != nil {
		t.Error(err)
	}
	return a
}

// ready waits until the API server has taken up the webhooks.
func (w *answers) ready(t *testing.T, requests []*policyRequest, answers []policyAnswer) {
	t.Helper()
	var probes []*policyRequest
	for i, r := range requests {
		if answers[i].Allowed && r.operation == "CREATE" && len(probes) < 4 {
			probe := *r
			probe.id = ""
			probes = append(probes, &probe)
			if slices.ContainsFunc(answers[i].Steps, func(s policyStep) bool { return s.Webhook == "warn.requests.example.com" && s.Phase == "validation" }) {
				break
			}
		}
	}
	for range 60 {
		w.send(t, probes)
		if !slices.ContainsFunc(probes, func(r *policyRequest) bool {
			return r.result == nil || r.result.GetLabels()["hook"] != "yes" || r.result.GetAnnotations()["copy"] == ""
		}) {
			return
		}
		time.Sleep(250 * time.Millisecond)
	}
	t.Fatal("the webhooks are not called")
}
