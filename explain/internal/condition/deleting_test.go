// SPDX-License-Identifier: Apache-2.0

package condition

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
)

// generated returns the match condition that the argument `deleting` makes for a webhook of webhook-gen's scenario.
func generated(t *testing.T, webhook string) v1.MatchCondition {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("..", "..", "..", "generator", "testdata", "deleting.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if f.Name != "want/config/webhook/manifests.yaml" {
			continue
		}
		var c v1.ValidatingWebhookConfiguration
		_, document, _ := bytes.Cut(f.Data, []byte("---\n"))
		if err := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(document), len(document)).Decode(&c); err != nil {
			t.Fatal(err)
		}
		for _, w := range c.Webhooks {
			for _, m := range w.MatchConditions {
				if w.Name == webhook && m.Name == "webhook-gen/deleting" {
					return m
				}
			}
		}
	}
	t.Fatalf("the scenario has no match condition for %s", webhook)
	return v1.MatchCondition{}
}

// TestDeleting evaluates the generated match conditions with requests of all operations. No request fails them, and
// Kubernetes 1.30 compiles them.
func TestDeleting(t *testing.T) {
	const live, dying = `{"name":"n"}`, `{"name":"n","deletionTimestamp":"2026-01-01T00:00:00Z","finalizers":["example.com/last"]}`
	with := func(metadata, rest string) string {
		return `{"apiVersion":"g/v1","kind":"K","metadata":` + metadata + rest + `}`
	}
	skip, unchanged := generated(t, "update.stock.shop.example.com"), generated(t, "validate.orders.v1.shop.example.com")
	for _, minor := range []uint{30, 37} {
		c, err := NewCompiler(version.MajorMinor(1, minor))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []v1.MatchCondition{skip, unchanged} {
			if found := c.Check([]v1.MatchCondition{m}, on("ks", "*"), false); len(found) > 0 {
				t.Errorf("1.%d: %s: %v", minor, m.Expression, found)
			}
		}
		for _, test := range []struct {
			name            string
			object, old     string
			skip, unchanged string // whether the webhook is called
		}{
			{"create", with(live, ""), "", "true", "true"},
			{"delete", "", with(dying, ""), "true", "true"},
			{"update", with(live, ""), with(live, ""), "true", "true"},
			{"a finalizer goes", with(live, `,"spec":{"a":[1,{"b":null}]}`), with(dying, `,"spec":{"a":[1,{"b":null}]}`), "false", "false"},
			{"a finalizer of an object without a spec goes", with(live, ""), with(dying, ""), "false", "false"},
			{"the status changes", with(dying, `,"status":{"a":1}`), with(dying, ""), "false", "false"},
			{"the spec changes", with(dying, `,"spec":{"a":[1]}`), with(dying, `,"spec":{"a":[2]}`), "false", "true"},
			{"a large number changes", with(dying, `,"spec":{"n":9007199254740993}`), with(dying, `,"spec":{"n":9007199254740992}`), "false", "true"},
			{"data changes", with(dying, `,"data":{"a":"1"}`), with(dying, `,"data":{"a":"2"}`), "false", "true"},
			{"a spec comes", with(dying, `,"spec":{}`), with(dying, ""), "false", "true"},
			{"the spec goes", with(dying, ""), with(dying, `,"spec":{}`), "false", "true"},
			{"a timestamp that the user sends", with(dying, ""), with(live, ""), "true", "true"},
		} {
			for m, want := range map[*v1.MatchCondition]string{&skip: test.skip, &unchanged: test.unchanged} {
				if got := result(t, c, *m, test.object, test.old); got != want {
					t.Errorf("1.%d: %s: %s is %s, want %s", minor, test.name, m.Expression, got, want)
				}
			}
		}
	}
}

// result evaluates a condition with the request that has these objects.
func result(t *testing.T, c *Compiler, m v1.MatchCondition, object, old string) string {
	t.Helper()
	read := func(text string) runtime.Object {
		if text == "" {
			return nil
		}
		o := &unstructured.Unstructured{}
		if err := json.Unmarshal([]byte(text), o); err != nil {
			t.Fatal(err)
		}
		return o
	}
	operation := admission.Update
	if old == "" {
		operation = admission.Create
	} else if object == "" {
		operation = admission.Delete
	}
	kind := schema.GroupVersionKind{Group: "g", Version: "v1", Kind: "K"}
	attributes := admission.NewAttributesRecord(read(object), read(old), kind, "n", "n", kind.GroupVersion().WithResource("ks"), "",
		operation, nil, false, &user.DefaultInfo{Name: "a"})
	versioned, err := admission.NewVersionedAttributes(attributes, kind, nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, r := range c.Evaluate(t.Context(), []v1.MatchCondition{m}, versioned, nil) {
		all = append(all, r.Result)
	}
	return strings.Join(all, " ")
}
