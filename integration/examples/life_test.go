// SPDX-License-Identifier: Apache-2.0

package examples

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestLifeOfRule has a rule of examples/orders meet an object that is older and breaks it. scan finds the object, the
// rule warns and counts in a metric, and then it is enforced with ratcheting. The object is deleted. After the end,
// there is nothing that was not there before.
func TestLifeOfRule(t *testing.T) {
	const rule, namespace, finalizer = "validate.orders.v1.shop.example.com", "life", "example.com/last"
	s := onAPIServer(t)
	binary := build(t, "../../examples/orders/cmd/manager")
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(kubeconfig, s.kubeconfig, 0o600); err != nil {
		t.Fatal(err)
	}
	s.namespace(t, namespace, nil)
	order := func(name string, quantity int64) *unstructured.Unstructured {
		return shopObject("v1", "Order", namespace, name, map[string]any{"sku": "tea", "quantity": quantity})
	}
	old := order("old", 500)
	old.SetFinalizers([]string{finalizer})
	for _, o := range []*unstructured.Unstructured{old, order("fine", 5)} {
		if err := s.client.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	before := s.everything(t)

	scan := exec.Command(binary, "scan", "--kubeconfig", kubeconfig, "--namespace", namespace, "--output", "json")
	var stderr bytes.Buffer
	scan.Stderr = &stderr
	found, err := scan.Output()
	if scan.ProcessState.ExitCode() != 1 {
		t.Fatalf("scan: %v\n%s%s", err, found, &stderr)
	}
	var report struct {
		Findings []struct{ APIVersion, Name, Webhook, Field string }
	}
	if err := json.Unmarshal(found, &report); err != nil {
		t.Fatalf("%v\n%s", err, found)
	}
	// The definition of this test does not convert, so that nothing of v2 is valid.
	report.Findings = slices.DeleteFunc(report.Findings, func(f struct{ APIVersion, Name, Webhook, Field string }) bool {
		return f.APIVersion == "shop.example.com/v2"
	})
	if len(report.Findings) != 1 || report.Findings[0].Name != "old" || report.Findings[0].Webhook != rule || report.Findings[0].Field != "spec.quantity" {
		t.Errorf("scan finds\n%s", found)
	}

	o := s.prepare(t, "../../examples/orders/config/webhook/manifests.yaml")
	metrics := freeAddress(t)
	serve := func(t *testing.T, arguments ...string) (stop func()) {
		return run(t, binary, append(arguments, "-kubeconfig", kubeconfig, "-cert-dir", o.LocalServingCertDir, "-drain", "0s",
			"-webhook-port", strconv.Itoa(o.LocalServingPort), "-metrics-address", metrics, "-health-address", freeAddress(t))...)
	}
	stop := serve(t, "-enforcement", rule+"=warn")
	if err := o.Install(s.config); err != nil {
		t.Fatal(err)
	}
	c, warnings := s.warned(t)
	eventually(t, func() error {
		warnings.take()
		if err := c.Create(t.Context(), order("probe", 101), client.DryRunAll); err != nil {
			return err
		}
		if got := warnings.take(); !strings.Contains(got, "would be denied") || !strings.Contains(got, "spec.quantity: Invalid value: 101: must be 1 to 100") {
			return errors.New("no warning: " + got)
		}
		return nil
	})
	if got, want := scrape(t, metrics), `verdict="would-deny",webhook="`+rule+`"} `; !strings.Contains(got, want) {
		t.Errorf("the metrics have no %s\n%s", want, got)
	}

	stop()
	stop = serve(t)
	eventually(t, func() error {
		err := c.Create(t.Context(), order("probe", 101), client.DryRunAll)
		if !apierrors.IsInvalid(err) {
			return errors.New("it is not enforced")
		}
		return nil
	})
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(old), old); err != nil {
		t.Fatal(err)
	}
	warnings.take()
	old.SetLabels(map[string]string{"edited": "true"})
	if err := c.Update(t.Context(), old); err != nil {
		t.Fatalf("an update that breaks nothing new: %v", err)
	}
	if got := warnings.take(); !strings.Contains(got, "as before: spec.quantity") {
		t.Errorf("it warns %q", got)
	}
	worse := old.DeepCopy()
	unstructured.SetNestedField(worse.Object, int64(600), "spec", "quantity")
	wantError(t, c.Update(t.Context(), worse), apierrors.IsInvalid, "spec.quantity: Invalid value: 600")

	if err := c.Delete(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(old), old); err != nil || old.GetDeletionTimestamp() == nil {
		t.Fatalf("the finalizer does not hold it: %v", err)
	}
	old.SetFinalizers(nil)
	if err := c.Update(t.Context(), old); err != nil {
		t.Fatalf("the finalizer cannot go: %v", err)
	}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(old), old); !apierrors.IsNotFound(err) {
		t.Errorf("the object is still there: %v", err)
	}

	for _, w := range o.MutatingWebhooks {
		if err := c.Delete(t.Context(), w); err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range o.ValidatingWebhooks {
		if err := c.Delete(t.Context(), w); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	eventually(t, func() error { return c.Create(t.Context(), order("probe", 101), client.DryRunAll) })
	after := s.everything(t)
	gone := "orders.shop.example.com life/old"
	before = slices.DeleteFunc(before, func(o string) bool { return o == gone })
	if !slices.Equal(before, after) {
		t.Errorf("there were\n%s\nand there are\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
}

// everything returns the names of all objects besides events.
func (s *apiServer) everything(t *testing.T) (all []string) {
	t.Helper()
	d, err := discovery.NewDiscoveryClientForConfig(s.config)
	if err != nil {
		t.Fatal(err)
	}
	lists, err := d.ServerPreferredResources()
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list.APIResources {
			if !slices.Contains(r.Verbs, "list") || r.Name == "events" {
				continue
			}
			objects := &metav1.PartialObjectMetadataList{}
			objects.SetGroupVersionKind(version.WithKind(r.Kind + "List"))
			if err := s.client.List(t.Context(), objects); err != nil {
				t.Fatalf("%s: %v", r.Name, err)
			}
			for _, o := range objects.Items {
				all = append(all, strings.TrimSuffix(r.Name+"."+version.Group, ".")+" "+strings.TrimPrefix(o.Namespace+"/"+o.Name, "/"))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// scrape returns the metrics of a program.
func scrape(t *testing.T, address string) string {
	t.Helper()
	response, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// warnings are the warnings of requests.
type warnings struct {
	mu  sync.Mutex
	all []string
}

func (w *warnings) HandleWarningHeaderWithContext(_ context.Context, _ int, _, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, text)
}

// take returns the warnings since the last call.
func (w *warnings) take() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := strings.Join(w.all, "\n")
	w.all = nil
	return text
}

// warned returns a client and the warnings of its requests.
func (s *apiServer) warned(t *testing.T) (client.Client, *warnings) {
	t.Helper()
	w := &warnings{}
	config := rest.CopyConfig(s.config)
	config.WarningHandler, config.WarningHandlerWithContext = nil, w
	c, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c, w
}
