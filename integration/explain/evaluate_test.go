// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	predict "github.com/webhook-gen/webhook-gen/explain"
	"github.com/webhook-gen/webhook-gen/explain/project"
)

// TestPolicies sends requests to an API server with many policies, and has each evaluated by package explain:
// the same verdict, message, warnings, audit annotations and object. All requests are dry runs, which
// policies do not tell from others.
func TestPolicies(t *testing.T) {
	p := startPolicies(t)
	requests := append(p.widgets(t), p.pods(t)...)
	begin := time.Now()
	answers := p.evaluate(t, requests)
	evaluated := time.Since(begin)
	begin = time.Now()
	p.send(t, requests)
	sent := time.Since(begin)
	annotations := p.annotations(t, requests)
	counts := map[string]int{}
	disagreements := 0
	for i, r := range requests {
		if diff := p.compare(answers[i], r, annotations[r.id], counts); diff != "" {
			if disagreements++; disagreements <= 20 {
				t.Errorf("%s by %s\n%s\n%s", r.title, r.user, diff, answers[i].describe())
			}
		}
	}
	if disagreements > 0 {
		t.Errorf("%d disagreements", disagreements)
	}
	if len(requests) < 2000 {
		t.Errorf("%d requests; 2000 are wanted", len(requests))
	}
	for _, kind := range []string{"denied", "denied by a mutation", "warned", "annotated", "changed"} {
		if counts[kind] == 0 && (p.mutating || kind != "changed" && kind != "denied by a mutation") {
			t.Errorf("no request is %s", kind)
		}
	}
	t.Logf("%d requests with %d policies: %v; disagreements: %d; evaluated in %s, sent in %s", len(requests), len(p.policies), counts, disagreements,
		evaluated.Round(time.Millisecond), sent.Round(time.Millisecond))
}

// policySession is an API server with the policies of testdata/policies.yaml.
type policySession struct {
	*apiServer
	test     string                       // its name, which is in the audit log
	command  string                       // webhook-gen
	clients  map[string]dynamic.Interface // by user
	policies []map[string]any             // as a project describes them
	types    []map[string]any
	params   []*unstructured.Unstructured
	mutating bool // the API server has mutating policies
	single   bool // its audit annotation has one failure of a request, not all: before 1.37, any of several
	pod      *unstructured.Unstructured
	bases    map[string]*unstructured.Unstructured // Widgets by namespace/name

	mu       sync.Mutex
	warnings map[string][]string // by request

	logged map[string]map[string]string // annotations in the audit log by request, up to read
	read   int64
}

// policyNamespaces are the namespaces and their labels.
func policyNamespaces() map[string]string {
	return map[string]string{"policies-prod": "env: prod, policies: 'yes'", "policies-dev": "env: dev, policies: 'yes'", "policies-plain": "policies: 'yes'"}
}

// policyUsers are the users and their groups.
func policyUsers() map[string][]string {
	return map[string][]string{"ann": {"system:masters"}, "root": {"system:masters", "admins"}, "mallory": {"system:masters"}, "plain": {"writers"}}
}

type idKey struct{}

func startPolicies(t *testing.T) *policySession {
	p := &policySession{
		apiServer: onAPIServer(t), test: t.Name(), clients: map[string]dynamic.Interface{}, bases: map[string]*unstructured.Unstructured{}, warnings: map[string][]string{},
		logged: map[string]map[string]string{},
	}
	p.command = p.webhookGen(t)
	for user, groups := range policyUsers() {
		config := rest.CopyConfig(p.config)
		config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: groups}
		config.WarningHandlerWithContext = p
		config.Wrap(func(next http.RoundTripper) http.RoundTripper { return withID{next} })
		client, err := dynamic.NewForConfig(config)
		if err != nil {
			t.Fatal(err)
		}
		p.clients[user] = client
	}
	client, err := kubernetes.NewForConfig(p.config)
	if err != nil {
		t.Fatal(err)
	}
	// The API server may still call webhooks of the test before.
	create := func(create func() error) {
		t.Helper()
		for last := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
			err := create()
			if err == nil || apierrors.IsAlreadyExists(err) {
				return
			}
			if !apierrors.IsInternalError(err) || time.Now().After(last) {
				t.Fatal(err)
			}
		}
	}
	rules := []rbacv1.PolicyRule{{APIGroups: []string{"", "policies.example.com"}, Resources: []string{"widgets", "pods"}, Verbs: []string{"*"}}}
	create(func() error {
		_, err := client.RbacV1().ClusterRoles().Create(t.Context(), &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "writers"}, Rules: rules}, metav1.CreateOptions{})
		return err
	})
	create(func() error {
		_, err := client.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "writers"},
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "writers"}, Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "Group", Name: "writers"}},
		}, metav1.CreateOptions{})
		return err
	})
	_, lists, err := client.Discovery().ServerGroupsAndResources()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lists {
		p.mutating = p.mutating || l.GroupVersion == "admissionregistration.k8s.io/v1" && slices.ContainsFunc(l.APIResources, func(r metav1.APIResource) bool { return r.Name == "mutatingadmissionpolicies" })
	}
	served, err := client.Discovery().ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	p.single = version.MustParseGeneric(served.GitVersion).LessThan(version.MustParseGeneric("1.37.0"))
	p.install(t)
	return p
}

// HandleWarningHeaderWithContext records a warning.
func (p *policySession) HandleWarningHeaderWithContext(ctx context.Context, code int, _, text string) {
	if id, ok := ctx.Value(idKey{}).(string); ok && code == 299 {
		p.mu.Lock()
		p.warnings[id] = append(p.warnings[id], text)
		p.mu.Unlock()
	}
}

// withID names a request in the audit log.
type withID struct{ http.RoundTripper }

func (w withID) RoundTrip(r *http.Request) (*http.Response, error) {
	if id, ok := r.Context().Value(idKey{}).(string); ok {
		r = r.Clone(r.Context())
		r.Header.Set("Audit-ID", id)
	}
	return w.RoundTripper.RoundTrip(r)
}

func widgetResource() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "policies.example.com", Version: "v1", Resource: "widgets"}
}

func podResource() schema.GroupVersionResource {
	return schema.GroupVersionResource{Version: "v1", Resource: "pods"}
}

// install creates everything of testdata/policies.yaml, and the objects that requests change, and waits until the
// policies work. They are removed after the test.
func (p *policySession) install(t *testing.T) {
	t.Helper()
	admin, err := dynamic.NewForConfig(p.config)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/policies.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := envtest.InstallCRDs(p.config, envtest.CRDInstallOptions{Paths: []string{"testdata/policies.yaml"}, ErrorIfPathMissing: true}); err != nil {
		t.Fatal(err)
	}
	// notYet reports an error that goes away: a definition is not yet served, or a policy of an earlier test still
	// denies.
	notYet := func(err error) bool {
		return err != nil && (apierrors.IsNotFound(err) || strings.Contains(err.Error(), "ValidatingAdmissionPolicy"))
	}
	create := func(resource schema.GroupVersionResource, namespace string, o *unstructured.Unstructured, options metav1.CreateOptions) *unstructured.Unstructured {
		t.Helper()
		created, err := admin.Resource(resource).Namespace(namespace).Create(t.Context(), o, options)
		for again := 0; notYet(err) && again < 100; again++ {
			time.Sleep(50 * time.Millisecond)
			created, err = admin.Resource(resource).Namespace(namespace).Create(t.Context(), o, options)
		}
		if apierrors.IsAlreadyExists(err) { // from another test
			created, err = admin.Resource(resource).Namespace(namespace).Get(t.Context(), o.GetName(), metav1.GetOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
		return created
	}
	for name, labels := range policyNamespaces() {
		create(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, "", parse(t, fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s, labels: {%s}}}", name, labels)), metav1.CreateOptions{})
		for i, spec := range []string{"{mode: slow, replicas: 1}", "{mode: fast, items: [{name: a, size: 1}]}", "{title: x}"} {
			base := parse(t, fmt.Sprintf("{apiVersion: policies.example.com/v1, kind: Widget, metadata: {name: base-%d, labels: {team: %s}}, spec: %s}", i, []string{"a", "b", "c"}[i], spec))
			p.bases[fmt.Sprintf("%s/%d", name, i)] = create(widgetResource(), name, base, metav1.CreateOptions{})
		}
	}
	p.pod = create(podResource(), "policies-plain", parse(t, "{apiVersion: v1, kind: Pod, metadata: {name: pod}, spec: {automountServiceAccountToken: false, containers: [{name: a, image: good/a}, {name: b, image: good/b}]}}"),
		metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	index := map[string]int{} // of policies by name
	for _, document := range strings.Split(string(text), "\n---\n") {
		o := parse(t, document)
		kind := o.GetKind()
		switch kind {
		case "CustomResourceDefinition":
			versions, _, _ := unstructured.NestedSlice(o.Object, "spec", "versions")
			s, _, _ := unstructured.NestedMap(versions[0].(map[string]any), "schema", "openAPIV3Schema")
			name, _, _ := unstructured.NestedString(o.Object, "spec", "names", "kind")
			p.types = append(p.types, map[string]any{"group": "policies.example.com", "version": "v1", "kind": name, "schema": s})
			continue
		case "Limit":
			p.params = append(p.params, o)
			create(schema.GroupVersionResource{Group: "policies.example.com", Version: "v1", Resource: "limits"}, "", o, metav1.CreateOptions{})
			continue
		case "ConfigMap":
			p.params = append(p.params, o)
			create(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, o.GetNamespace(), o, metav1.CreateOptions{})
			continue
		}
		if !p.mutating && strings.HasPrefix(kind, "Mutating") {
			continue
		}
		resource := schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: strings.ReplaceAll(strings.ToLower(kind)+"s", "policys", "policies")}
		create(resource, "", o, metav1.CreateOptions{})
		t.Cleanup(func() {
			if err := admin.Resource(resource).Delete(context.Background(), o.GetName(), metav1.DeleteOptions{}); err != nil {
				t.Error(err)
			}
		})
		if policy, _, _ := unstructured.NestedString(o.Object, "spec", "policyName"); policy != "" {
			of := p.policies[index[policy]]
			of["bindings"] = append(of["bindings"].([]any), o.Object)
			continue
		}
		index[o.GetName()] = len(p.policies)
		p.policies = append(p.policies, map[string]any{"object": o.Object, "bindings": []any{}})
	}
	p.wait(t)
}

// wait waits until a request of each kind gets the answer that all policies give together.
func (p *policySession) wait(t *testing.T) {
	t.Helper()
	probes := append(p.widgets(t)[:12], p.pods(t)[:2]...)
	for i := range probes {
		probes[i].id = ""
	}
	answers := p.evaluate(t, probes)
	for range 60 {
		p.send(t, probes)
		if !slices.ContainsFunc(probes, func(r *policyRequest) bool { return p.outcome(answers[slices.Index(probes, r)], r) != "" }) {
			return
		}
		time.Sleep(250 * time.Millisecond)
	}
	t.Log("the policies do not work as evaluated, even after a while")
}

// policyRequest is one request, for the API server and for the evaluation.
type policyRequest struct {
	id, title, user, namespace string
	operation                  string
	// verb is create, update, delete, deletecollection or the type of a patch of the object called name.
	verb, name  string
	patch       []byte
	resource    schema.GroupVersionResource
	subresource string
	kept        bool // it is no dry run
	object, old *unstructured.Unstructured
	result      *unstructured.Unstructured
	err         error
}

func (p *policySession) request(all []*policyRequest, r policyRequest) []*policyRequest {
	name := r.old
	if r.object != nil {
		name = r.object
	}
	r.id, r.verb = fmt.Sprintf("%s-%s-%d", p.test, r.resource.Resource, len(all)), strings.ToLower(r.operation)
	r.title = fmt.Sprintf("%s %s %s/%s", r.operation, r.resource.Resource, r.namespace, name.GetName())
	return append(all, &r)
}

// widgets are requests for Widgets of many kinds.
func (p *policySession) widgets(t *testing.T) []*policyRequest {
	users := slices.Sorted(maps.Keys(policyUsers()))
	var all []*policyRequest
	n := 0
	for _, replicas := range []string{"", "replicas: 0, ", "replicas: 3, ", "replicas: 5, ", "replicas: 39, ", "replicas: -1, ", "replicas: 50, ", "replicas: 70, "} {
		for _, mode := range []string{"", "mode: fast, ", "mode: slow, "} {
			for _, labels := range []string{"", "team: a", "team: b", "strict: 'true'", "strict: 'true', team: a"} {
				for _, rest := range []string{"", "title: mine", "items: [{name: a}, {name: b, size: 5}], memory: 3Gi", "items: [], memory: 5", "items: [{name: c, size: 0}], title: t", "numbers: [1, 2, 3]",
					"numbers: [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40]"} {
					for i, namespace := range slices.Sorted(maps.Keys(policyNamespaces())) {
						n++
						if strings.Contains(rest, "40]") && n%70 != 0 {
							continue // an evaluation of a tenth of a second
						}
						text := fmt.Sprintf("{apiVersion: policies.example.com/v1, kind: Widget, metadata: {name: widget-%d, namespace: %s, labels: {%s}}, spec: {%s%s%s}}", n%12, namespace, labels, replicas, mode, rest)
						r := policyRequest{user: users[n%4], namespace: namespace, resource: widgetResource(), operation: "CREATE", object: parse(t, text)}
						if n%2 == 0 || i == 2 {
							r.operation = "UPDATE"
							r.old = p.bases[fmt.Sprintf("%s/%d", namespace, n%3)]
							r.object.SetName(r.old.GetName())
							r.object.SetResourceVersion(r.old.GetResourceVersion())
							r.object.SetUID(r.old.GetUID())
							r.object.SetCreationTimestamp(r.old.GetCreationTimestamp())
							r.object.SetGeneration(r.old.GetGeneration())
						}
						all = p.request(all, r)
					}
				}
			}
		}
	}
	for _, base := range slices.Sorted(maps.Keys(p.bases)) {
		for _, user := range users {
			all = p.request(all, policyRequest{user: user, namespace: strings.Split(base, "/")[0], resource: widgetResource(), operation: "DELETE", old: p.bases[base]})
		}
	}
	return all
}

// pods are requests for Pods, with all defaults.
func (p *policySession) pods(t *testing.T) []*policyRequest {
	users := slices.Sorted(maps.Keys(policyUsers()))
	var all []*policyRequest
	n := 0
	for _, image := range []string{"good/c", "bad/c"} {
		for _, limit := range []string{"", "500Mi", "2Gi"} {
			for _, host := range []bool{false, true} {
				for _, label := range []string{"", "x"} {
					for _, namespace := range slices.Sorted(maps.Keys(policyNamespaces())) {
						pod := p.pod.DeepCopy()
						n++
						pod.SetName(fmt.Sprintf("pod-%d", n))
						pod.SetNamespace(namespace)
						pod.SetManagedFields(nil)
						for _, field := range []string{"uid", "creationTimestamp", "resourceVersion", "generation"} {
							unstructured.RemoveNestedField(pod.Object, "metadata", field)
						}
						unstructured.RemoveNestedField(pod.Object, "status")
						if label != "" {
							pod.SetLabels(map[string]string{"app": label})
						}
						containers, _, _ := unstructured.NestedSlice(pod.Object, "spec", "containers")
						containers[1].(map[string]any)["image"] = image
						if limit != "" {
							containers[0].(map[string]any)["resources"] = map[string]any{"limits": map[string]any{"memory": limit}, "requests": map[string]any{"memory": limit}}
						}
						set(pod.Object, containers, "spec", "containers")
						if host {
							set(pod.Object, true, "spec", "hostNetwork")
						}
						all = p.request(all, policyRequest{user: users[n%4], namespace: namespace, resource: podResource(), operation: "CREATE", object: pod})
					}
				}
			}
		}
	}
	return all
}

// policyAnswer is an answer of the evaluation.
type policyAnswer struct {
	Allowed          bool
	Code             int32
	Reason           string
	Message          string
	Warnings         []string
	AuditAnnotations map[string]string
	Object           map[string]any
	Error            string
	Steps            []policyStep
	// Verdict and Open are of `explain request`.
	Verdict string
	Open    []string
}

type policyStep struct {
	Policy, Binding, Webhook, Phase, Verdict, Message, Params string
	Cost, EstimatedCost                                       int64
}

func (a policyAnswer) describe() string {
	a.Steps = slices.DeleteFunc(slices.Clone(a.Steps), func(s policyStep) bool { return s.Verdict == "notMatched" || s.Verdict == "conditionFalse" })
	text, _ := json.MarshalIndent(a, "  ", " ")
	return string(text)
}

// evaluate has package explain answer all requests.
func (p *policySession) evaluate(t *testing.T, requests []*policyRequest) []policyAnswer {
	t.Helper()
	var described []map[string]any
	for _, r := range requests {
		gvr := map[string]any{"group": r.resource.Group, "version": r.resource.Version, "resource": r.resource.Resource}
		some := r.old
		authorizer := "allow"
		if r.user == "plain" {
			authorizer = "deny"
		}
		d := map[string]any{
			"operation": r.operation, "resource": gvr, "namespace": r.namespace, "dryRun": true, "authorizer": authorizer,
			"userInfo":        map[string]any{"username": r.user, "groups": append(slices.Clone(policyUsers()[r.user]), "system:authenticated")},
			"namespaceObject": parse(t, fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s, labels: {%s, kubernetes.io/metadata.name: %s}}}", r.namespace, policyNamespaces()[r.namespace], r.namespace)).Object,
		}
		if r.object != nil {
			some = r.object
			d["object"] = r.object.Object
		}
		if r.old != nil {
			d["oldObject"] = r.old.Object
		}
		kind := some.GroupVersionKind()
		d["kind"], d["name"] = map[string]any{"group": kind.Group, "version": kind.Version, "kind": kind.Kind}, some.GetName()
		var params []any
		for _, o := range p.params {
			params = append(params, o.Object)
		}
		d["params"] = params
		described = append(described, d)
	}
	var (
		of       project.Project
		asked    predict.Requests
		answers  struct{ Answers []policyAnswer }
		restated = func(from, into any) {
			text, err := json.Marshal(from)
			if err == nil {
				err = json.Unmarshal(text, into)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	)
	restated(map[string]any{"policies": p.policies, "types": p.types}, &of)
	restated(map[string]any{"requests": described}, &asked)
	evaluated, err := predict.Evaluate(t.Context(), &of, asked)
	if err != nil {
		t.Fatal(err)
	}
	restated(evaluated, &answers)
	if len(answers.Answers) != len(requests) {
		t.Fatalf("%d answers to %d requests", len(answers.Answers), len(requests))
	}
	return answers.Answers
}

// send sends all requests, some at a time.
func (p *policySession) send(t *testing.T, requests []*policyRequest) {
	var wait sync.WaitGroup
	next := make(chan *policyRequest)
	for range 8 {
		wait.Go(func() {
			for r := range next {
				ctx := t.Context()
				if r.id != "" {
					ctx = context.WithValue(ctx, idKey{}, r.id)
				}
				client := p.clients[r.user].Resource(r.resource).Namespace(r.namespace)
				dry, field := []string{metav1.DryRunAll}, metav1.FieldValidationIgnore
				if r.kept {
					dry = nil
				}
				var subresources []string
				if r.subresource != "" {
					subresources = append(subresources, r.subresource)
				}
				switch r.verb {
				case "create":
					r.result, r.err = client.Create(ctx, r.object, metav1.CreateOptions{DryRun: dry, FieldValidation: field})
				case "update":
					r.result, r.err = client.Update(ctx, r.object, metav1.UpdateOptions{DryRun: dry, FieldValidation: field}, subresources...)
				case "delete":
					r.err = client.Delete(ctx, r.old.GetName(), metav1.DeleteOptions{DryRun: dry})
				case "deletecollection":
					one := metav1.ListOptions{FieldSelector: "metadata.name=" + r.old.GetName()}
					r.err = client.DeleteCollection(ctx, metav1.DeleteOptions{DryRun: dry}, one)
				default:
					options := metav1.PatchOptions{DryRun: dry, FieldValidation: field, FieldManager: "explain"}
					if r.verb == "apply" {
						options.Force = new(true)
					}
					r.result, r.err = client.Patch(ctx, r.name, patchTypes()[r.verb], r.patch, options, subresources...)
				}
			}
		})
	}
	for _, r := range requests {
		next <- r
	}
	close(next)
	wait.Wait()
}

// annotations reads the audit log until it has all requests, and returns their annotations by policies and webhooks.
func (p *policySession) annotations(t *testing.T, requests []*policyRequest) map[string]map[string]string {
	t.Helper()
	for range 200 {
		log, err := os.Open(p.auditLog)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(io.NewSectionReader(log, p.read, math.MaxInt64-p.read))
		if err = errors.Join(err, log.Close()); err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text[:bytes.LastIndexByte(text, '\n')+1]) {
			p.read += int64(len(line))
			var event struct {
				AuditID     string
				Annotations map[string]string
			}
			if json.Unmarshal(line, &event) == nil {
				maps.DeleteFunc(event.Annotations, func(key, _ string) bool { return !isAdmission(key) })
				p.logged[event.AuditID] = event.Annotations
			}
		}
		if !slices.ContainsFunc(requests, func(r *policyRequest) bool { return !isIn(p.logged, r.id) }) {
			return p.logged
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("the audit log lacks requests")
	return nil
}

// isAdmission reports an audit annotation by a policy or a webhook.
func isAdmission(key string) bool {
	return strings.HasPrefix(key, "v-") || key == failureKey || strings.Contains(key, "webhook.admission.k8s.io/") || strings.Contains(key, ".requests.example.com/")
}

func isIn(m map[string]map[string]string, key string) bool { _, ok := m[key]; return ok }

// failureKey is the audit annotation of failures whose binding says Audit.
const failureKey = "validation.policy.admission.k8s.io/validation_failure"

// compare describes how an answer differs from what the API server does; empty if it does not.
func (p *policySession) compare(a policyAnswer, r *policyRequest, annotations map[string]string, counts map[string]int) string {
	if a.Error != "" {
		return "no answer: " + a.Error
	}
	if diff := p.outcome(a, r); diff != "" {
		return diff
	}
	byMutation := slices.ContainsFunc(a.Steps, func(s policyStep) bool {
		return s.Phase == "validation"
	})
	switch {
	case a.Allowed:
		counts["allowed"]++
	case !byMutation:
		counts["denied by a mutation"]++
	default:
		counts["denied"]++
	}
	warnings := slices.Sorted(slices.Values(p.warnings[r.id]))
	if diff := cmp.Diff(warnings, slices.Sorted(slices.Values(a.Warnings))); diff != "" {
		return "warnings (-API server +evaluated)\n" + diff
	}
	if len(warnings) > 0 {
		counts["warned"]++
	}
	if diff := cmp.Diff(comparable(annotations), comparable(p.published(a.AuditAnnotations, annotations))); diff != "" {
		return "audit annotations (-API server +evaluated)\n" + diff
	}
	if len(annotations) > 0 {
		counts["annotated"]++
	}
	if a.Allowed && r.object != nil && !cmp.Equal(stored(r.object.Object, r.subresource), stored(a.Object, r.subresource)) {
		counts["changed"]++
	}
	return ""
}

// published returns the evaluated annotations; for a server that publishes a single failure of a request, with the
// failure that it published, if that was evaluated too.
func (p *policySession) published(evaluated, annotations map[string]string) map[string]string {
	var all, one []json.RawMessage
	if !p.single || json.Unmarshal([]byte(evaluated[failureKey]), &all) != nil || json.Unmarshal([]byte(annotations[failureKey]), &one) != nil || len(one) != 1 {
		return evaluated
	}
	if !slices.ContainsFunc(all, func(f json.RawMessage) bool { return bytes.Equal(f, one[0]) }) {
		return evaluated
	}
	result := maps.Clone(evaluated)
	result[failureKey] = annotations[failureKey]
	return result
}

// outcome compares the verdict, the message and the object. Policies have no order on an API server, nor have the
// bindings of one: of several refusals, any may be the first.
func (p *policySession) outcome(a policyAnswer, r *policyRequest) string {
	if a.Allowed != (r.err == nil) {
		return fmt.Sprintf("allowed: API server %v (%v), evaluated %v (%s)", r.err == nil, r.err, a.Allowed, a.Message)
	}
	if r.err != nil {
		status, ok := errors.AsType[*apierrors.StatusError](r.err)
		if !ok {
			return r.err.Error()
		}
		got := status.ErrStatus
		if r.object != nil && r.object.GetGenerateName() != "" {
			generated := regexp.MustCompile(regexp.QuoteMeta(r.object.GetGenerateName()) + `[a-z0-9]{5}"`)
			got.Message, a.Message = generated.ReplaceAllString(got.Message, `"`), generated.ReplaceAllString(a.Message, `"`)
		}
		if got.Message == a.Message && got.Code == a.Code && string(got.Reason) == a.Reason {
			return ""
		}
		for _, s := range a.Steps {
			if s.Webhook != "" && s.Phase == "validation" && (s.Verdict == "denied" || s.Verdict == "error") && s.Message == got.Message {
				return "" // of webhooks that are called at once
			}
			if (s.Verdict == "denied" || s.Verdict == "error") && strings.Contains(got.Message, fmt.Sprintf("'%s' with binding '%s' denied request: ", s.Policy, s.Binding)) && strings.HasSuffix(got.Message, s.Message) {
				return ""
			}
		}
		return fmt.Sprintf("message: API server %d %s %s\nevaluated %d %s %s", got.Code, got.Reason, got.Message, a.Code, a.Reason, a.Message)
	}
	if r.result == nil {
		return ""
	}
	if diff := cmp.Diff(stored(r.result.Object, r.subresource), stored(a.Object, r.subresource)); diff != "" {
		return "object (-API server +evaluated)\n" + diff
	}
	return ""
}

// stored is an object of a subresource without what API servers set after admission.
func stored(o map[string]any, subresource string) map[string]any {
	object := (&unstructured.Unstructured{Object: o}).DeepCopy()
	object.SetManagedFields(nil)
	for _, field := range []string{"uid", "creationTimestamp", "resourceVersion", "generation"} {
		unstructured.RemoveNestedField(object.Object, "metadata", field)
	}
	if object.GetGenerateName() != "" {
		unstructured.RemoveNestedField(object.Object, "metadata", "name")
	}
	if subresource != "status" {
		unstructured.RemoveNestedField(object.Object, "status")
	}
	text, err := object.MarshalJSON()
	if err != nil {
		return nil
	}
	var result map[string]any
	_ = json.Unmarshal(text, &result)
	return result
}

// comparable are annotations whose lists have an order.
func comparable(annotations map[string]string) map[string]string {
	result := map[string]string{}
	for key, value := range annotations {
		if key == failureKey {
			var failures []json.RawMessage
			if json.Unmarshal([]byte(value), &failures) == nil {
				slices.SortFunc(failures, func(a, b json.RawMessage) int { return bytes.Compare(a, b) })
				sorted, _ := json.Marshal(failures)
				value = string(sorted)
			}
		} else {
			values := strings.Split(value, ", ")
			slices.Sort(values)
			value = strings.Join(values, ", ")
		}
		result[key] = value
	}
	return result
}
