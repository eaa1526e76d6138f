// SPDX-License-Identifier: Apache-2.0

package examples

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestReplacedWebhooks has an API server enforce policies in place of webhooks: the default of examples/orders, without
// its program, and a rule of a new project, whose webhook the same API server calls with the other manifest.
func TestReplacedWebhooks(t *testing.T) {
	s := onAPIServer(t)
	const namespace = "replaced"
	s.namespace(t, namespace, nil)
	order := func(spec map[string]any) *unstructured.Unstructured {
		spec["sku"] = "tea"
		o := shopObject("v1", "Order", namespace, "first", spec)
		o.SetLabels(map[string]string{"replaced": "true"})
		return o
	}

	t.Run("mutating", func(t *testing.T) {
		if !s.install(t, "../../examples/orders/config/webhook/policies-1.36/policies.yaml") {
			t.Skip("the API server serves no mutating policies, and its clusters have the webhook: TestOrders")
		}
		priority := func(spec map[string]any) (string, error) {
			o := order(spec)
			err := s.client.Create(t.Context(), o, client.DryRunAll)
			text, _, _ := unstructured.NestedString(o.Object, "spec", "priority")
			return text, err
		}
		eventually(t, func() error {
			got, err := priority(map[string]any{"quantity": int64(1)})
			if err == nil && got != "normal" {
				err = errors.New("no default")
			}
			return err
		})
		for said, want := range map[string]string{"": "normal", "high": "high"} {
			if got, err := priority(map[string]any{"quantity": int64(1), "priority": said}); err != nil || got != want {
				t.Errorf("priority %q becomes %q, want %q: %v", said, got, want, err)
			}
		}
	})

	dir := replacedProject(t, "", `message: "at most 5 of an article"`, "object.spec.quantity <= 5")
	t.Run("the webhook", func(t *testing.T) {
		o := s.prepare(t, filepath.Join(dir, "config/webhook/manifests.yaml"))
		if err := o.Install(s.config); err != nil {
			t.Fatal(err)
		}
		eventually(t, func() error { // no server answers
			err := s.client.Create(t.Context(), order(map[string]any{"quantity": int64(6)}), client.DryRunAll)
			if err == nil || !strings.Contains(err.Error(), `failed calling webhook "validate.orders.v1.shop.example.com"`) {
				return errors.Join(errors.New("it is not called"), err)
			}
			return nil
		})
	})
	t.Run("the policy", func(t *testing.T) {
		s.install(t, filepath.Join(dir, "config/webhook/policies-1.31/policies.yaml"))
		eventually(t, func() error {
			err := s.client.Create(t.Context(), order(map[string]any{"quantity": int64(6)}), client.DryRunAll)
			if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "at most 5 of an article") {
				return errors.Join(errors.New("it is not enforced"), err)
			}
			return nil
		})
		if err := s.client.Create(t.Context(), order(map[string]any{"quantity": int64(5)}), client.DryRunAll); err != nil {
			t.Error(err)
		}
		other := order(map[string]any{"quantity": int64(6)})
		other.SetLabels(nil)
		if err := s.client.Create(t.Context(), other, client.DryRunAll); err != nil {
			t.Errorf("the objectSelector of the webhook does not hold for the policy: %v", err)
		}
	})
}

// TestReplacedWebhookThatIgnores has an API server enforce the policy in place of a webhook with failurePolicy Ignore.
// An object on which its expression fails is denied: the handler of the webhook denies objects that it cannot decode.
func TestReplacedWebhookThatIgnores(t *testing.T) {
	s := onAPIServer(t)
	const namespace = "ignored"
	s.namespace(t, namespace, nil)
	dir := replacedProject(t, ", failurePolicy: Ignore", `message: "a short note"`, "size(object.spec.note) <= 5")
	s.install(t, filepath.Join(dir, "config/webhook/policies-1.31/policies.yaml"))
	create := func(note string) error {
		spec := map[string]any{"sku": "tea", "quantity": int64(1)}
		if note != "" {
			spec["note"] = note
		}
		o := shopObject("v1", "Order", namespace, "first", spec)
		o.SetLabels(map[string]string{"replaced": "true"})
		return s.client.Create(t.Context(), o, client.DryRunAll)
	}
	eventually(t, func() error {
		if err := create("a long note"); !apierrors.IsInvalid(err) {
			return errors.Join(errors.New("it is not enforced"), err)
		}
		return nil
	})
	if err := create("short"); err != nil {
		t.Error(err)
	}
	if err := create(""); err == nil || !strings.Contains(err.Error(), "no such key: note") {
		t.Errorf("an order on which the expression fails: %v", err)
	}
}

// replacedProject generates the manifests of a webhook and of the policy that replaces it.
func replacedProject(t *testing.T, webhook, validation, expression string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":           "module example.com/replaced\n\ngo 1.26.0\n",
		"webhook-gen.yaml": "version: 1\noutputs: [manifests]\n",
		"api/v1/doc.go":    "// +groupName=shop.example.com\npackage v1\n",
		"api/v1/order.go": `package v1

// +webhook:validating(operations: "create", objectSelector: "replaced=true"` + webhook + `)
// +webhook:policy:validating(insteadOf: "validate", since: "1.31")
// +webhook:policy:validation(` + validation + `)="` + expression + `"
type Order struct {
	Spec OrderSpec "json:\"spec\""
}

type OrderSpec struct {
	Quantity int    "json:\"quantity\""
	Note     string "json:\"note\""
}
`,
	} {
		file := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(file), 0o755)
		if err == nil {
			err = os.WriteFile(file, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(t.TempDir(), "webhook-gen")
	for _, c := range []*exec.Cmd{exec.Command("go", "build", "-o", program, "./cmd/webhook-gen"), exec.Command(program)} {
		if c.Dir = dir; c.Path != program {
			c.Dir = "../.."
		}
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", c, err, out)
		}
	}
	return dir
}
