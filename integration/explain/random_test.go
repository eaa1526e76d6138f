// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	predict "github.com/webhook-gen/webhook-gen/explain"
	"github.com/webhook-gen/webhook-gen/explain/project"
)

// TestRandomPolicies sends random requests to an API server with random policies, and has package explain explain each.
// A disagreement is made smaller, and printed as a file of testdata/random: the test runs these files first. GRIDTIME,
// such as 30m, takes new seeds for that time. With -short, the test is a sample.
func TestRandomPolicies(t *testing.T) {
	g := startRandom(t)
	kept, err := filepath.Glob("testdata/random/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var earlier []*trial
	for i, file := range kept {
		earlier = append(earlier, readTrial(t, file, fmt.Sprintf("kept%d", i)))
	}
	if len(earlier) > 0 {
		g.run(t, earlier...)
		for i, tr := range earlier {
			if r := tr.requests[0]; r.diff != "" || r.invalid != "" {
				t.Errorf("%s: %s%s", kept[i], r.diff, r.invalid)
			}
		}
	}
	until, first, batches := time.Now(), uint64(1), 10
	if testing.Short() {
		batches = 1
	}
	if text := os.Getenv("GRIDTIME"); text != "" {
		length, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		until, first = time.Now().Add(length), uint64(time.Now().UnixNano())
	}
	begin := time.Now()
	for n := 0; n < batches || time.Now().Before(until); n++ {
		seed := first + uint64(n)
		g.batch(t, &grammar{Rand: rand.New(rand.NewPCG(seed, 37)), features: g.features}, fmt.Sprintf("r%d", seed))
	}
	t.Logf("%d requests in %s, %d policies, %d of them refused, %d requests refused without policies; %d disagreements\n%v",
		g.sent, time.Since(begin).Round(time.Second), g.policies, g.refused, g.invalid, g.disagreements, g.counts)
	for _, feature := range features() {
		t.Logf("%5d %s", g.features[feature], feature)
	}
	if g.disagreements > 0 {
		t.Errorf("%d disagreements", g.disagreements)
	}
	if !testing.Short() {
		g.minimums(t)
	}
}

// minimums are the least numbers of ten batches.
func (g *randomGrid) minimums(t *testing.T) {
	all := map[string]bool{}
	for _, on := range subjects() {
		for _, fs := range []map[byte][]string{forms(), on.reads()} {
			for _, f := range slices.Concat(slices.Collect(maps.Values(fs))...) {
				all[f] = true
			}
		}
	}
	used := 0
	for f := range all {
		if g.features[f] > 0 {
			used++
		}
	}
	t.Logf("%d of %d forms of expressions", used, len(all))
	if g.sent < 900 || g.policies < 150 || g.refused < 3 || used < len(all)*9/10 {
		t.Errorf("these are less than 900 requests, 150 policies, 3 of them refused, or nine tenths of the forms")
	}
	for _, kind := range []string{"allowed", "denied", "denied by a mutation", "warned", "annotated", "changed"} {
		if g.counts[kind] < 5 {
			t.Errorf("only %d requests are %s", g.counts[kind], kind)
		}
	}
	for _, feature := range features() {
		if g.features[feature] < 3 {
			t.Errorf("feature %q is in %d requests or policies", feature, g.features[feature])
		}
	}
}

// features are the kinds of requests and policies that ten batches have.
func features() []string {
	return []string{
		"create gadgets", "update gadgets", "delete gadgets", "deletecollection gadgets", "json gadgets", "merge gadgets",
		"apply gadgets",
		"create deployments", "update deployments", "delete deployments", "deletecollection deployments",
		"json deployments",
		"merge deployments", "strategic deployments", "apply deployments", "update gadgets/status",
		"update gadgets/scale", "json gadgets/scale",
		"merge gadgets/status", "update deployments/scale", "strategic deployments/scale", "update deployments/status",
		"creation by apply",
		"generateName", "another version", "matchPolicy", "excludeResourceRules", "matchResources", "several resources",
		"no dry run", "null",
		"embedded resource", "params", "namespaced params", "variables", "messageExpression", "auditAnnotations",
		"mutation",
	}
}

// randomGrid is an API server for trials.
type randomGrid struct {
	*policySession
	admin       dynamic.Interface
	folder      string
	definitions []string // files
	runs        int

	kinds                                           map[string]bool // of disagreements
	features, counts                                map[string]int
	sent, invalid, policies, refused, disagreements int
}

func startRandom(t *testing.T) *randomGrid {
	p := startPolicies(t)
	if !p.mutating {
		t.Skip("this API server does not serve admissionregistration.k8s.io/v1 MutatingAdmissionPolicy")
	}
	g := &randomGrid{policySession: p, folder: t.TempDir(), features: map[string]int{}, counts: map[string]int{},
		kinds: map[string]bool{}}
	file := filepath.Join(g.folder, "gadgets.yaml")
	if err := os.WriteFile(file, []byte(gadgets), 0o600); err != nil {
		t.Fatal(err)
	}
	g.definitions = []string{file, "testdata/policies.yaml"}
	_, err := envtest.InstallCRDs(p.config, envtest.CRDInstallOptions{Paths: []string{file}, ErrorIfPathMissing: true})
	if err != nil {
		t.Fatal(err)
	}
	if g.admin, err = dynamic.NewForConfig(p.config); err != nil {
		t.Fatal(err)
	}
	return g
}

// trial is policies and requests, which a label separates from those of other trials.
type trial struct {
	label    string
	policies []any // each with its bindings
	recipes  []recipe

	files    string            // of policies and bindings
	reasons  map[string]string // why the API server refuses policies, by name
	requests []*randomRequest
}

// randomRequest is a request of a trial, and its result.
type randomRequest struct {
	policyRequest
	answer policyAnswer
	// invalid is the API server's refusal without policies. diff is the disagreement; both are empty in most cases.
	invalid, diff string
}

// batch runs a trial of random policies and requests.
func (g *randomGrid) batch(t *testing.T, random *grammar, label string) {
	t.Helper()
	random.generates = random.IntN(3) == 0
	tr := &trial{label: label}
	fails := random.IntN(3) > 0 // then one mutation alone may change an object, since an API server has no order of policies
	for i := range 16 {
		on := subjects()[(i*3+random.IntN(2))%len(subjects())]
		if i == 3 {
			on = subjects()[random.IntN(len(subjects()))]
		}
		tr.policies = append(tr.policies, random.policy(i, on, i == 3 || !fails && i%4 == 3, fails))
	}
	for range 100 {
		tr.recipes = append(tr.recipes, random.request(subjects()[random.IntN(len(subjects()))]))
	}
	g.run(t, tr)
	g.policies, g.refused = g.policies+len(tr.policies), g.refused+len(tr.reasons)
	for i, r := range tr.requests {
		if r.invalid != "" {
			g.invalid++
			continue
		}
		g.sent++
		if r.diff == "" {
			continue
		}
		g.disagreements++
		if kind := kindOf(r.diff); !g.kinds[kind] && len(g.kinds) < 8 {
			g.kinds[kind] = true
			t.Errorf("batch %s, request %d: %s\n%s", label, i, r.diff, g.shrink(t, tr, i))
		}
	}
}

// kindOf is a disagreement without names and numbers, of which one is made smaller.
func kindOf(diff string) string {
	letters := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == '-' {
			return -1
		}
		return r
	}, diff)
	return letters[:min(len(letters), 60)]
}

// run installs the policies of trials, sends their requests, has them explained, and removes the policies.
func (g *randomGrid) run(t *testing.T, trials ...*trial) {
	t.Helper()
	g.runs++
	var all []*randomRequest
	for _, tr := range trials {
		g.prepare(t, tr)
		all = append(all, tr.requests...)
	}
	g.sendWithoutPolicies(t, all)
	var installed []*unstructured.Unstructured
	defer func() {
		parallel(installed, func(o *unstructured.Unstructured) {
			_ = g.admin.Resource(registration(o)).Delete(context.Background(), o.GetName(), metav1.DeleteOptions{})
		})
	}()
	for _, tr := range trials {
		installed = append(installed, g.install(t, tr)...)
	}
	installed = append(installed, g.awaitPolicies(t)...)
	var valid []*policyRequest
	for _, r := range all {
		if r.invalid == "" {
			valid = append(valid, &r.policyRequest)
		}
	}
	g.send(t, valid)
	annotations := g.annotations(t, valid)
	for _, tr := range trials {
		for _, r := range tr.requests {
			if r.err != nil && !strings.Contains(r.err.Error(), "denied request: ") && (apierrors.IsBadRequest(r.err) ||
				apierrors.IsInvalid(r.err)) {
				r.invalid = r.err.Error() // the object, after mutations
			}
			if r.invalid == "" {
				g.explain(t, tr, r)
				r.diff = g.difference(tr, r, annotations[r.id])
			}
		}
	}
}

func (g *randomGrid) difference(tr *trial, r *randomRequest, annotations map[string]string) string {
	for _, s := range r.answer.Steps {
		if reason := tr.reasons[s.Policy]; reason != "" && s.Verdict != "notMatched" {
			return fmt.Sprintf("%s is evaluated, and the API server refuses it: %s", s.Policy, reason)
		}
		if s.EstimatedCost > 0 && s.Cost > s.EstimatedCost {
			return fmt.Sprintf("the step of %s costs %d, and the estimate is %d", s.Policy, s.Cost, s.EstimatedCost)
		}
	}
	return g.compare(r.answer, &r.policyRequest, annotations, g.counts)
}

// restated writes a value as JSON and reads it again, with the label of a trial and the index of a request in it.
func restated(t *testing.T, from, into any, label string, index int) {
	t.Helper()
	text, err := json.Marshal(from)
	if err == nil {
		name := fmt.Sprintf("%s-%d", label, index)
		text = []byte(strings.NewReplacer(batchName+"-name", name, batchName, label).Replace(string(text)))
		err = utiljson.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// parallel calls a function with some items at a time.
func parallel[T any](items []T, call func(T)) {
	var wait sync.WaitGroup
	next := make(chan T)
	for range 8 {
		wait.Go(func() {
			for item := range next {
				call(item)
			}
		})
	}
	for _, item := range items {
		next <- item
	}
	close(next)
	wait.Wait()
}

// prepare creates the stored objects of a trial's requests, and makes the requests.
func (g *randomGrid) prepare(t *testing.T, tr *trial) {
	t.Helper()
	tr.requests = make([]*randomRequest, len(tr.recipes))
	indices := make([]int, len(tr.recipes))
	for i := range indices {
		indices[i] = i
	}
	parallel(indices, func(i int) {
		r, err := g.request(t, tr, i)
		if err != nil {
			r.invalid = err.Error()
		}
		tr.requests[i] = r
	})
}

func (g *randomGrid) request(t *testing.T, tr *trial, i int) (*randomRequest, error) {
	var of recipe
	restated(t, tr.recipes[i], &of, tr.label, i)
	gvr := schema.GroupVersionResource{Group: of.Group, Version: of.Version, Resource: of.Resource}
	r := &randomRequest{policyRequest: policyRequest{
		id: fmt.Sprintf("%s-%d-%s-%d", g.test, g.runs, tr.label, i), title: of.Verb, user: of.User,
		namespace: of.Namespace, operation: "UPDATE",
		verb: of.Verb, resource: gvr, subresource: of.Subresource, kept: of.Kept,
	}}
	client := g.admin.Resource(gvr).Namespace(of.Namespace)
	if of.Stored != nil {
		stored := &unstructured.Unstructured{Object: of.Stored}
		created, err := g.admin.Resource(gvr.GroupResource().WithVersion("v1")).Namespace(of.Namespace).Create(t.Context(), stored, ignoring())
		if err != nil {
			return r, err
		}
		if status, ok := of.Stored["status"]; ok {
			created.Object["status"] = status
			update := g.admin.Resource(gvr.GroupResource().WithVersion("v1")).Namespace(of.Namespace).UpdateStatus
			if created, err = update(t.Context(), created, metav1.UpdateOptions{}); err != nil {
				return r, err
			}
		}
		var from []string
		if r.subresource == "scale" {
			from = []string{r.subresource}
		}
		if r.old, err = client.Get(t.Context(), created.GetName(), metav1.GetOptions{}, from...); err != nil {
			return r, err
		}
	}
	version := gvr.GroupVersion().String()
	if body, ok := of.Body.(map[string]any); ok {
		switch {
		case of.Verb == "create":
			r.operation = "CREATE"
			r.object = &unstructured.Unstructured{Object: body}
			r.object.SetAPIVersion(version)
			r.object.SetNamespace(of.Namespace)
		case of.Verb == "update" && of.Subresource != "":
			r.object = r.old.DeepCopy()
			maps.Copy(r.object.Object, body)
		case of.Verb == "update":
			r.object = &unstructured.Unstructured{Object: body}
			r.object.SetAPIVersion(version)
			r.object.SetNamespace(of.Namespace)
			for _, field := range []string{"uid", "creationTimestamp", "resourceVersion", "generation"} {
				if value, ok, _ := unstructured.NestedFieldCopy(r.old.Object, "metadata", field); ok {
					set(body, value, "metadata", field)
				}
			}
			if status, ok := r.old.Object["status"]; ok {
				body["status"] = status
			}
		case of.Verb == "apply" && of.Subresource == "scale":
			body["apiVersion"], body["kind"] = "autoscaling/v1", "Scale"
		case of.Verb == "apply":
			body["apiVersion"] = version
			body["kind"] = map[string]any{"gadgets": "Gadget", "deployments": "Deployment"}[of.Resource]
		}
	}
	switch {
	case patchTypes()[of.Verb] != "":
		text, err := json.Marshal(of.Body)
		if err != nil {
			return r, err
		}
		if r.patch = text; r.old == nil {
			r.operation = "CREATE"
		}
		r.name = fmt.Sprintf("%s-%d", tr.label, i)
	case strings.HasPrefix(of.Verb, "delete"):
		r.operation = "DELETE"
	}
	return r, nil
}

// ignoring are options for objects with unknown fields, of which an API server warns otherwise.
func ignoring() metav1.CreateOptions {
	return metav1.CreateOptions{FieldValidation: metav1.FieldValidationIgnore}
}

// sendWithoutPolicies sends dry runs of requests. The results of patches are the objects that policies see.
func (g *randomGrid) sendWithoutPolicies(t *testing.T, all []*randomRequest) {
	var dry []*policyRequest
	for _, r := range all {
		one := r.policyRequest
		one.id, one.kept, one.user = "", false, "ann"
		if r.invalid == "" && r.operation != "DELETE" {
			dry = append(dry, &one)
		}
	}
	g.send(t, dry)
	for _, r := range all {
		if r.invalid != "" || r.operation == "DELETE" {
			continue
		}
		if dry[0].err != nil {
			r.invalid = dry[0].err.Error()
		} else if r.patch != nil {
			r.object = dry[0].result
		}
		dry = dry[1:]
	}
}

func registration(o *unstructured.Unstructured) schema.GroupVersionResource {
	plural := strings.ReplaceAll(strings.ToLower(o.GetKind())+"s", "policys", "policies")
	return schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: plural}
}

// install creates the policies of a trial, and writes them into a file. Both have those that the API server refuses.
func (g *randomGrid) install(t *testing.T, tr *trial) (installed []*unstructured.Unstructured) {
	t.Helper()
	var policies []project.Policy
	restated(t, tr.policies, &policies, tr.label, 0)
	var names []any
	for i := range tr.recipes {
		names = append(names, fmt.Sprintf("%s-%d", tr.label, i))
	}
	tr.reasons = map[string]string{}
	var text bytes.Buffer
	for _, p := range policies {
		rules, _, _ := unstructured.NestedSlice(p.Object.Object, "spec", "matchConstraints", "resourceRules")
		for _, rule := range rules {
			if _, ok := rule.(map[string]any)["resourceNames"]; ok {
				rule.(map[string]any)["resourceNames"] = names
			}
		}
		set(p.Object.Object, rules, "spec", "matchConstraints", "resourceRules")
		for _, o := range append([]unstructured.Unstructured{p.Object}, p.Bindings...) {
			if _, err := g.admin.Resource(registration(&o)).Create(t.Context(), &o,
				metav1.CreateOptions{}); apierrors.IsInvalid(err) {
				tr.reasons[o.GetName()] = err.Error()
			} else if err != nil {
				t.Fatalf("%v\n%v", err, o.Object)
			} else {
				installed = append(installed, &o)
			}
			object, err := o.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&text, "%s\n---\n", object)
		}
	}
	tr.files = filepath.Join(g.folder, tr.label+".yaml")
	if err := os.WriteFile(tr.files, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return installed
}

// awaitPolicies installs a last policy of each kind, and waits until both work for all resources. An API server looks
// for new policies once a second.
func (g *randomGrid) awaitPolicies(t *testing.T) (installed []*unstructured.Unstructured) {
	t.Helper()
	name := fmt.Sprintf("last-%d", g.runs)
	matches := fmt.Sprintf("matchConstraints: {objectSelector: {matchLabels: {random: %s}}, resourceRules: [{apiGroups: [apps, random.example.com], "+
		"apiVersions: ['*'], resources: [deployments, gadgets], operations: [CREATE]}]}", name)
	mutation := `{patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{metadata: Object.metadata{annotations: {'last': 'x'}}}"}}`
	for _, text := range []string{
		"{kind: MutatingAdmissionPolicy, spec: {failurePolicy: Fail, reinvocationPolicy: Never, mutations: [" + mutation +
			"], " + matches + "}}",
		`{kind: ValidatingAdmissionPolicy, spec: {validations: [{expression: "!has(object.metadata.annotations)", message: last}], ` + matches + "}}",
		"{kind: MutatingAdmissionPolicyBinding, spec: {policyName: " + name + "}}",
		"{kind: ValidatingAdmissionPolicyBinding, spec: {policyName: " + name + ", validationActions: [Deny]}}",
	} {
		o := parse(t, text)
		o.SetAPIVersion("admissionregistration.k8s.io/v1")
		o.SetName(name)
		if _, err := g.admin.Resource(registration(o)).Create(t.Context(), o, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		installed = append(installed, o)
	}
	random := &grammar{Rand: rand.New(rand.NewPCG(1, 1)), features: map[string]int{}}
	var probes []*policyRequest
	for _, on := range []int{0, 6} {
		for _, version := range subjects()[on].versions {
			o := &unstructured.Unstructured{Object: withoutNulls(random.object(subjects()[on])).(map[string]any)}
			gvr := schema.GroupVersionResource{Group: subjects()[on].group, Version: version,
				Resource: subjects()[on].resource}
			o.SetAPIVersion(gvr.GroupVersion().String())
			o.SetNamespace("policies-plain")
			o.SetName(name)
			o.SetAnnotations(nil)
			o.SetLabels(map[string]string{"random": name})
			probes = append(probes, &policyRequest{user: "ann", verb: "create", namespace: "policies-plain", resource: gvr,
				object: o})
		}
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		g.send(t, probes)
		if !slices.ContainsFunc(probes, func(r *policyRequest) bool {
			return r.err == nil ||
				!strings.HasSuffix(r.err.Error(), "request: last")
		}) {
			return installed
		}
	}
	t.Fatalf("the policies do not work: %v", probes[0].err)
	return nil
}

// explain has a request explained.
func (g *randomGrid) explain(t *testing.T, tr *trial, r *randomRequest) {
	var o predict.Options
	o.Configurations, o.CRDs, o.Params = []string{tr.files}, g.definitions, []string{"testdata/policies.yaml"}
	o.Object, o.Old = r.object, r.old
	if r.operation == "DELETE" {
		o.Object, o.Old = r.old, nil
	}
	o.Operation, o.Subresource, o.Namespace, o.Name, o.DryRun = r.operation, r.subresource, r.namespace, r.name, !r.kept
	o.Resource = strings.Join([]string{r.resource.Resource, r.resource.Version, r.resource.Group}, ".")
	if o.Collection = r.verb == "deletecollection"; o.Collection {
		o.Name = ""
	}
	o.FieldValidation, o.Format, o.Authorizer = metav1.FieldValidationIgnore, "json", "allow"
	o.User.Name, o.User.Groups = r.user, policyUsers()[r.user]
	o.NamespaceLabels = strings.NewReplacer(": ", "=", ", ", ",", "'", "").Replace(policyNamespaces()[r.namespace])
	var out bytes.Buffer
	if err := predict.Request(t.Context(), &out, o, &project.Project{}); err != nil {
		r.answer = policyAnswer{Error: err.Error()}
		return
	}
	r.answer = policyAnswer{}
	if err := json.Unmarshal(out.Bytes(), &r.answer); err != nil {
		t.Error(err)
	}
	if r.answer.Verdict == "open" {
		r.answer.Error = "the answer is open: " + strings.Join(r.answer.Open, "; ")
	}
}
