// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"context"
	"errors"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"
)

// TestGrid sends requests of many kinds to an API server with many configurations, and has each explained before it is
// sent: the same mutating webhooks in the same order, and the same validating ones.
func TestGrid(t *testing.T) {
	g := startGrid(t)
	for _, n := range g.namespaces() {
		g.inNamespace(t, n)
	}
	g.inCluster(t)
	if g.disagreements > 0 {
		t.Errorf("%d disagreements", g.disagreements)
	}
	if pairs := g.requests * g.configurations; pairs < 2000 {
		t.Errorf("%d pairs of a request and a configuration; 2000 are wanted", pairs)
	}
	t.Logf("%d requests x %d configurations = %d pairs, %d with %d webhooks; %d calls, %d requests refused by a condition; "+
		"%d explained by their AdmissionReview, too, and %d by what the cluster says; disagreements: %d",
		g.requests, g.configurations, g.requests*g.configurations, g.requests*g.webhooks, g.webhooks, g.calls, g.refused, g.reviews, g.fromCluster, g.disagreements)
}

// session is an API server with all configurations, and the results.
type session struct {
	config   *rest.Config
	recorder *recorder
	command  string // webhook-gen
	folder   string
	// manifest has the configurations; kubeconfig leads to a cluster that has them.
	manifest, kubeconfig string
	version              string // of Kubernetes

	requests, configurations, webhooks, calls, refused, disagreements int
	reviews, fromCluster                                              int // requests that were explained in that way, too
}

func startGrid(t *testing.T) *session {
	server := onAPIServer(t)
	g := &session{config: server.config, recorder: startRecorder(t), folder: t.TempDir()}
	g.kubeconfig = filepath.Join(g.folder, "kubeconfig")
	if err := os.WriteFile(g.kubeconfig, server.kubeconfig, 0o600); err != nil {
		t.Fatal(err)
	}
	g.command = server.webhookGen(t)
	if _, err := envtest.InstallCRDs(g.config, envtest.CRDInstallOptions{Paths: []string{"testdata/crds.yaml"}, ErrorIfPathMissing: true}); err != nil {
		t.Fatal(err)
	}
	for _, n := range g.namespaces() {
		g.setup(t, schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, "", parse(t, fmt.Sprintf(
			"{apiVersion: v1, kind: Namespace, metadata: {name: %s, labels: {%s}}}", n.name, n.labels)))
		g.setup(t, schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}, n.name, parse(t,
			"{apiVersion: v1, kind: ServiceAccount, metadata: {name: default}}"))
	}
	g.install(t)
	return g
}

// install creates the configurations, and waits until the API server has taken up the last of them.
func (g *session) install(t *testing.T) {
	mutating, validating := grid(g.recorder.URL, g.recorder.ca())
	client, err := kubernetes.NewForConfig(g.config)
	if err != nil {
		t.Fatal(err)
	}
	registration := client.AdmissionregistrationV1()
	var manifest strings.Builder
	write := func(kind string, object any) {
		text, err := yaml.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&manifest, "---\napiVersion: admissionregistration.k8s.io/v1\nkind: %s\n%s", kind, text)
		g.configurations++
	}
	t.Cleanup(func() { // other tests use the API server, too
		ctx := context.Background()
		if err := errors.Join(registration.MutatingWebhookConfigurations().DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}),
			registration.ValidatingWebhookConfigurations().DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})); err != nil {
			t.Error(err)
		}
	})
	for _, m := range mutating {
		write("MutatingWebhookConfiguration", m)
		g.webhooks += len(m.Webhooks)
		if _, err := registration.MutatingWebhookConfigurations().Create(t.Context(), m, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range validating {
		write("ValidatingWebhookConfiguration", v)
		g.webhooks += len(v.Webhooks)
		if _, err := registration.ValidatingWebhookConfigurations().Create(t.Context(), v, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	g.manifest = filepath.Join(g.folder, "manifest.yaml")
	if err := os.WriteFile(g.manifest, []byte(manifest.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	version, err := client.Discovery().ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	g.version = version.GitVersion
	g.waitForBoth(t, client)
}

// waitForBoth waits until a last configuration of each kind is called, which no request of the grid is about.
func (g *session) waitForBoth(t *testing.T, client kubernetes.Interface) {
	url := g.recorder.URL
	last := pattern{rules: []v1.RuleWithOperations{rule(list("CREATE"), list("scheduling.k8s.io"), list("v1"), list("priorityclasses"), "")}}
	m := &v1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "last"}, Webhooks: []v1.MutatingWebhook{last.webhook(url+"/mutating/last", 0, g.recorder.ca())}}
	v := &v1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "last"}, Webhooks: []v1.ValidatingWebhook{validatingWebhook(last.webhook(url+"/validating/last", 0, g.recorder.ca()))}}
	registration := client.AdmissionregistrationV1()
	if _, err := registration.MutatingWebhookConfigurations().Create(t.Context(), m, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := registration.ValidatingWebhookConfigurations().Create(t.Context(), v, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	class := parse(t, "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: waiting}, value: 1}")
	for i := range 600 {
		user := fmt.Sprintf("waiting-%d", i)
		resource := g.as(t, user).Resource(schema.GroupVersionResource{Group: "scheduling.k8s.io", Version: "v1", Resource: "priorityclasses"})
		if _, err := resource.Create(t.Context(), class, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}); err != nil {
			t.Fatal(err)
		}
		mutating, validating := g.recorder.of(user)
		if slices.Contains(mutating, "last/0") && slices.Contains(validating, "last/0") {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("the configurations are not taken up")
}

// as is a client whose requests are made by a user.
func (g *session) as(t *testing.T, user string) dynamic.Interface {
	client, err := dynamic.NewForConfig(g.impersonating(user))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func (g *session) impersonating(user string) *rest.Config {
	config := rest.CopyConfig(g.config)
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: []string{"system:masters"}}
	return config
}

// setup creates an object before there are webhooks.
func (g *session) setup(t *testing.T, resource schema.GroupVersionResource, namespace string, object *unstructured.Unstructured) {
	t.Helper()
	client, err := dynamic.NewForConfig(g.config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Resource(resource).Namespace(namespace).Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// request is one request, in the forms for the API server and for `explain request`.
type request struct {
	operation string
	object    *unstructured.Unstructured // what -f names
	old       *unstructured.Unstructured
	flags     []string
	// namespaceLabels are the labels of the namespace on the API server.
	namespaceLabels string
	// send sends it as a user.
	send func(ctx context.Context, user string) error
}

// answer has the compared fields of `explain request --format json`.
type answer struct {
	Mutating, Validating []struct {
		Configuration string
		Index         int
		Verdict       string
		Step          string
		Reason        string
	}
}

// compare has a request explained, sends it, and compares the explanation with the calls.
func (g *session) compare(t *testing.T, title string, r request) {
	t.Helper()
	g.requests++
	user := fmt.Sprintf("grid-%d", g.requests)
	told := []string{"-c", g.manifest, "--crds=testdata/crds.yaml", "--kube-version=" + g.version}
	explained, refuses := g.explain(t, title, append(told, g.tell(t, user, r)...))
	if g.requests%8 == 0 {
		g.fromCluster++
		if again, _ := g.explain(t, title, append([]string{"--kubeconfig", g.kubeconfig}, g.tell(t, user, r)...)); !cmp.Equal(again, explained) {
			g.disagreements++
			t.Errorf("%s: another answer where the cluster is asked\n%s", title, cmp.Diff(explained, again))
		}
	}
	err := r.send(t.Context(), user)
	mutating, validating := g.recorder.of(user)
	slices.Sort(validating)
	g.calls += len(mutating) + len(validating)
	got := called{mutating, validating}
	if diff := cmp.Diff(got, explained); diff != "" {
		g.disagreements++
		t.Errorf("%s, as %s (-API server +explain; the API server says: %v)\n%s", title, user, err, diff)
	}
	if refused := err != nil && strings.Contains(err.Error(), "is forbidden: expression"); refused != refuses {
		g.disagreements++
		t.Errorf("%s, as %s: refused %v, explained %v: %v", title, user, refused, refuses, err)
	}
	if refuses {
		g.refused++
	}
	if review := g.recorder.review(user); review != nil && g.requests%4 == 0 {
		g.reviews++
		file := filepath.Join(g.folder, "review.json")
		if err := os.WriteFile(file, review, 0o600); err != nil {
			t.Fatal(err)
		}
		again, _ := g.explain(t, title, append(told, "-f", file, "--authorizer=allow", "--namespace-labels="+r.namespaceLabels))
		if !cmp.Equal(again, explained) {
			g.disagreements++
			t.Errorf("%s: another answer for the AdmissionReview\n%s", title, cmp.Diff(explained, again))
		}
	}
}

// called are the webhooks that are called, as configuration/index.
type called struct{ Mutating, Validating []string }

// tell returns the flags that describe a request.
func (g *session) tell(t *testing.T, user string, r request) []string {
	t.Helper()
	arguments := []string{"--authorizer=allow", "--as=" + user, "--as-group=system:masters", "--operation=" + r.operation}
	if r.object != nil {
		arguments = append(arguments, "-f", g.write(t, "object.yaml", r.object))
	}
	if r.old != nil {
		arguments = append(arguments, "--old", g.write(t, "old.yaml", r.old))
	}
	if r.namespaceLabels != "" {
		arguments = append(arguments, "--namespace-labels", r.namespaceLabels)
	}
	return append(arguments, r.flags...)
}

func (g *session) explain(t *testing.T, title string, arguments []string) (_ called, refuses bool) {
	t.Helper()
	out, err := exec.Command(g.command, append([]string{"explain", "request", "--format=json"}, arguments...)...).Output()
	if err != nil {
		if exit, ok := err.(*exec.ExitError); ok {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		t.Fatalf("%s: %v", title, err)
	}
	var a answer
	if err := json.Unmarshal(out, &a); err != nil {
		t.Fatal(err)
	}
	var c called
	for i, phase := range [][]struct {
		Configuration string
		Index         int
		Verdict       string
		Step          string
		Reason        string
	}{a.Mutating, a.Validating} {
		for _, w := range phase {
			name := fmt.Sprintf("%s/%d", w.Configuration, w.Index)
			switch w.Verdict {
			case "called":
				if i == 0 {
					c.Mutating = append(c.Mutating, name)
				} else {
					c.Validating = append(c.Validating, name)
				}
			case "refuses":
				refuses = true
			case "undecided":
				g.disagreements++
				t.Errorf("%s: %s is undecided: %s", title, name, w.Reason)
			case "skipped":
				if w.Step == "" || w.Reason == "" {
					t.Errorf("%s: %s is skipped without a reason", title, name)
				}
			}
		}
	}
	slices.Sort(c.Validating)
	return c, refuses
}

func (g *session) write(t *testing.T, name string, object *unstructured.Unstructured) string {
	text, err := yaml.Marshal(object.Object)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(g.folder, name)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func parse(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
		t.Fatal(err)
	}
	// As a client has it: numbers are int64.
	raw, err := object.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if err := object.UnmarshalJSON(raw); err != nil {
		t.Fatal(err)
	}
	return object
}
