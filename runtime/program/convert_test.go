// SPDX-License-Identifier: Apache-2.0

package program

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
	"github.com/webhook-gen/webhook-gen/runtime/conversion"
)

// orderV1 is an order for one article.
type orderV1 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Article  string `json:"article"`
		Quantity int64  `json:"quantity"`
		Note     string `json:"note,omitempty"`
		Gift     bool   `json:"gift"`
		Wrapped  bool   `json:"wrapped,omitempty"`
	} `json:"spec"`
	Status struct {
		Phase string `json:"phase,omitempty"`
	} `json:"status"`
}

// orderV2 is an order for several, without a note. It names the article sku.
type orderV2 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Items    []itemV2  `json:"items"`
		Gift     bool      `json:"gift"`
		Wrapping *struct{} `json:"wrapping,omitempty"`
	} `json:"spec"`
	Status struct {
		Phase string `json:"phase,omitempty"`
	} `json:"status"`
}

type itemV2 struct {
	SKU      string `json:"sku"`
	Quantity int64  `json:"quantity"`
}

func orders(handle func(string, http.Handler), _ ...admission.Option) error {
	toV2 := func(_ context.Context, src *orderV1, dst *orderV2) error {
		switch src.Spec.Article {
		case "poison":
			return errors.New("nobody sells poison")
		case "panic":
			panic("no way")
		}
		dst.ObjectMeta, dst.Status = src.ObjectMeta, src.Status
		dst.Spec.Items, dst.Spec.Gift = []itemV2{{src.Spec.Article, src.Spec.Quantity}}, src.Spec.Gift
		if src.Spec.Wrapped {
			dst.Spec.Wrapping = &struct{}{}
		}
		if src.Spec.Note != "" {
			dst.Annotations = map[string]string{conversion.Annotation: src.Spec.Note}
		}
		return nil
	}
	toV1 := func(_ context.Context, src *orderV2, dst *orderV1) error {
		dst.ObjectMeta, dst.Status = src.ObjectMeta, src.Status
		dst.Spec.Gift, dst.Spec.Note = src.Spec.Gift, src.Annotations[conversion.Annotation]
		dst.Spec.Wrapped = src.Spec.Wrapping != nil
		dst.Annotations = nil
		for _, item := range src.Spec.Items[:min(1, len(src.Spec.Items))] {
			dst.Spec.Article, dst.Spec.Quantity = item.SKU, item.Quantity
		}
		return nil
	}
	handle(conversion.Path, conversion.NewHandler(conversion.Serve(conversion.Between("example.com", "Order", "v1", "v2", toV2, toV1, nil))))
	return nil
}

func TestConvert(t *testing.T) {
	const rest = "---\n# A setting.\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"
	for name, test := range map[string]struct {
		text, to, want, problems string
		code                     int
	}{
		"comments stay": {
			text: `# The first order.
apiVersion: example.com/v1
kind: Order # of the shop
metadata:
  # who ordered
  name: first
  labels: {app: "shop"}
spec:
  gift: true # wrap it
  # how many
  quantity: 2
  article: tea
` + rest,
			to: "v2",
			want: `# The first order.
apiVersion: example.com/v2
kind: Order # of the shop
metadata:
  # who ordered
  name: first
  labels: {app: "shop"}
spec:
  gift: true # wrap it
  items:
    - quantity: 2
      sku: tea
` + rest,
		},
		"a loss": {
			text: "apiVersion: example.com/v1\nkind: Order\nmetadata: {name: first}\nspec: {article: tea, quantity: 2, note: quick, gift: false}\n",
			to:   "example.com/v2",
			want: "apiVersion: example.com/v2\nkind: Order\nmetadata: {name: first}\nspec: {gift: false, items: [{quantity: 2, sku: tea}]}\n",
			code: exitFindings, problems: "orders.yaml:1: Order first: spec.note: quick is lost\n",
		},
		"a loss on the way to the hub's spoke": {
			text: "apiVersion: example.com/v2\nkind: Order\nmetadata:\n  name: first\nspec:\n  items:\n  - {sku: tea, quantity: 2}\n  - {sku: milk, quantity: 1}\n",
			to:   "v1",
			want: "apiVersion: example.com/v1\nkind: Order\nmetadata:\n  name: first\nspec:\n  article: tea\n  gift: false\n  quantity: 2\n",
			code: exitFindings, problems: "orders.yaml:1: Order first: spec.items[1].quantity: 1 is lost\norders.yaml:1: Order first: spec.items[1].sku: milk is lost\n",
		},
		"anchors": {
			text: "apiVersion: example.com/v1\nkind: Order\nmetadata:\n  name: &n first\n  labels: {app: *n}\nspec: {article: tea, quantity: 2}\n",
			to:   "v2",
			want: "apiVersion: example.com/v2\nkind: Order\nmetadata:\n  name: first\n  labels: {app: first}\nspec: {gift: false, items: [{quantity: 2, sku: tea}]}\n",
		},
		"words of YAML 1.1": {
			text: "apiVersion: example.com/v1\nkind: Order\nmetadata:\n  name: first\n  labels: {b: 'off', c: \"1e3\", \"n\": \"0x1\"}\nspec:\n  gift: y\n  article: \"n\"\n  quantity: 0x10\n",
			to:   "v2",
			want: "apiVersion: example.com/v2\nkind: Order\nmetadata:\n  name: first\n  labels: {b: 'off', c: \"1e3\", \"n\": \"0x1\"}\nspec:\n  gift: y\n  items:\n    - quantity: 16\n      sku: \"n\"\n",
		},
		"other versions and kinds": {text: "apiVersion: example.com/v2\nkind: Order\nmetadata: {name: first}\n" + rest, to: "v2",
			want: "apiVersion: example.com/v2\nkind: Order\nmetadata: {name: first}\n" + rest},
		"another group": {text: "apiVersion: example.com/v1\nkind: Order\nmetadata: {name: first}\n", to: "example.org/v2",
			want: "apiVersion: example.com/v1\nkind: Order\nmetadata: {name: first}\n"},
		"no such version": {text: "apiVersion: example.com/v1\nkind: Order\nmetadata: {name: first}\n", to: "v3", code: exitProblem,
			want: "apiVersion: example.com/v1\nkind: Order\nmetadata: {name: first}\n", problems: "orders.yaml:1: Order has no version v3: the program converts v1, v2\n"},
		"refused": {text: "apiVersion: example.com/v1\nkind: Order\nmetadata: {name: first}\nspec: {article: poison}\n", to: "v2", code: exitProblem,
			want: "apiVersion: example.com/v1\nkind: Order\nmetadata: {name: first}\nspec: {article: poison}\n", problems: "nobody sells poison"},
		"a panic": {text: "apiVersion: example.com/v1\nkind: Order\nmetadata: {name: first}\nspec: {article: panic}\n", to: "v2", code: exitProblem,
			want: "apiVersion: example.com/v1\nkind: Order\nmetadata: {name: first}\nspec: {article: panic}\n", problems: "orders.yaml:1: "},
		"a List": {text: "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: example.com/v1, kind: Order, metadata: {name: a}, spec: {article: tea, quantity: 2, gift: false}}\n- {apiVersion: v1, kind: Pod}\n", to: "v2",
			want: "apiVersion: v1\nkind: List\nitems:\n  - {apiVersion: example.com/v2, kind: Order, metadata: {name: a}, spec: {gift: false, items: [{quantity: 2, sku: tea}]}}\n  - {apiVersion: v1, kind: Pod}\n"},
		"an OrderList": {text: "apiVersion: example.com/v1\nkind: OrderList\nitems:\n- metadata: {name: a}\n  spec: {article: tea, quantity: 2, gift: false}\n", to: "v2",
			want: "apiVersion: example.com/v2\nkind: OrderList\nitems:\n  - metadata: {name: a}\n    spec: {gift: false, items: [{quantity: 2, sku: tea}]}\n    apiVersion: example.com/v2\n    kind: Order\n"},
		"a List of Lists": {text: "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items:\n  - {apiVersion: example.com/v1, kind: Order, metadata: {name: a}, spec: {article: tea, quantity: 2, gift: false}}\n  - {apiVersion: v1, kind: Pod}\n- {apiVersion: example.com/v1, kind: OrderList, items: [{spec: {article: tea, quantity: 2, gift: false}}]}\n", to: "v2",
			want: "apiVersion: v1\nkind: List\nitems:\n  - apiVersion: v1\n    kind: List\n    items:\n      - {apiVersion: example.com/v2, kind: Order, metadata: {name: a}, spec: {gift: false, items: [{quantity: 2, sku: tea}]}}\n      - {apiVersion: v1, kind: Pod}\n" +
				"  - {apiVersion: example.com/v2, kind: OrderList, items: [{spec: {gift: false, items: [{quantity: 2, sku: tea}]}, apiVersion: example.com/v2, kind: Order}]}\n"},
		"an empty struct with a meaning": {text: "apiVersion: example.com/v1\nkind: Order\nmetadata: {name: a}\nspec: {article: tea, quantity: 2, gift: false, wrapped: true}\n", to: "v2",
			want: "apiVersion: example.com/v2\nkind: Order\nmetadata: {name: a}\nspec: {gift: false, items: [{quantity: 2, sku: tea}], wrapping: {}}\n"},
		"JSON": {text: `{"apiVersion":"example.com/v1","kind":"Order","metadata":{"name":"a"},"spec":{"article":"<tea>","quantity":2,"gift":false}}` + "\n", to: "v2",
			want: `{"apiVersion":"example.com/v2","kind":"Order","metadata":{"name":"a"},"spec":{"gift":false,"items":[{"quantity":2,"sku":"<tea>"}]}}` + "\n"},
		"as kubectl reads": {text: "apiVersion: example.com/v1\nkind: Order\nmetadata: {name: a}\nspec: {article: \"no\", quantity: 010, gift: yes}\n", to: "v2",
			want: "apiVersion: example.com/v2\nkind: Order\nmetadata: {name: a}\nspec: {gift: yes, items: [{quantity: 8, sku: \"no\"}]}\n"},
		"no text": {text: "---\napiVersion: example.com/v1\nkind: Order\nmetadata: {name: a}\nspec:\n  gift: true\n  article: no\n", to: "v2", code: exitProblem,
			want: "apiVersion: example.com/v1\nkind: Order\nmetadata: {name: a}\nspec:\n  gift: true\n  article: no\n", problems: `orders.yaml:7: `},
		"no text under a key with dots": {text: "apiVersion: example.com/v1\nkind: Order\nmetadata:\n  annotations:\n    a.b/c: d\n    shop.example.com/open: yes\n", to: "v2", code: exitProblem,
			want: "apiVersion: example.com/v1\nkind: Order\nmetadata:\n  annotations:\n    a.b/c: d\n    shop.example.com/open: yes\n", problems: `orders.yaml:6: `},
		"no YAML": {text: "kind: [\n", to: "v2", code: exitProblem, want: "kind: [\n", problems: "orders.yaml:1: the document cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "orders.yaml")
			if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			var out, problems bytes.Buffer
			code, ran := run(t.Context(), []string{"convert", "-f", file, "--to", test.to}, orders, nil, &out, &problems)
			said := strings.ReplaceAll(problems.String(), dir+string(filepath.Separator), "")
			if !ran || code != test.code || out.String() != test.want || !strings.Contains(said, test.problems) || test.problems == "" && said != "" {
				t.Errorf("code %d, want %d\n%s\nwant\n%s\nit says %q, want %q", code, test.code, out.String(), test.want, said, test.problems)
			}
			var piped bytes.Buffer
			if code, _ := run(t.Context(), []string{"convert", "-f", "-", "--to", test.to}, orders, strings.NewReader(test.text), &piped, &bytes.Buffer{}); code != test.code || piped.String() != test.want {
				t.Errorf("from the standard input: code %d\n%s", code, &piped)
			}
		})
	}
}

// TestRendered writes random texts over a document of other random texts. What kubectl reads in the result is the object.
func TestRendered(t *testing.T) {
	special := []string{"", "<<", "no", "y", "010", "0x1", "0b1", "1_0", "+1", "1e3", "12:30", "2024-01-02", "~", "null", "=", ".inf", "-", "?", "# a", "a: b", "!a", "&a", "*a", "a\nb\n"}
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		word := func() string {
			if r.IntN(2) == 0 {
				return special[r.IntN(len(special))]
			}
			const alphabet = "0123456789_.:eE+-xobnyYNofaltrus~<>=!&*#%@|\"' \n,[]{}?\\`"
			text := ""
			for range r.IntN(7) {
				text += string(alphabet[r.IntN(len(alphabet))])
			}
			return text
		}
		object := func() map[string]any {
			return map[string]any{"a": word(), "b": map[string]any{word(): word(), word(): word()}, "c": []any{word(), word()}, word(): word()}
		}
		was, err := yaml.Marshal(object())
		if err != nil {
			t.Fatal(err)
		}
		want := object()
		out, err := rendered(was, want)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, was)
		}
		if got, err := (document{text: out}).decoded(); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %v\ngot  %q\nwant %q, written over\n%s\nas\n%s", seed, err, got, want, was, out)
		}
	}
}

func TestConvertArguments(t *testing.T) {
	none := func(func(string, http.Handler), ...admission.Option) error { return nil }
	for _, test := range []struct {
		args     []string
		register Register
		want     string
	}{
		{[]string{"--to", "v2"}, orders, "-f and --to are needed"},
		{[]string{"-f", "x.yaml"}, orders, "-f and --to are needed"},
		{[]string{"x.yaml", "--to", "v2"}, orders, `unexpected argument "x.yaml": for a file, write -f x.yaml`},
		{[]string{"-f", "missing.yaml", "--to", "v2"}, orders, "missing.yaml"},
		{[]string{"-f", "-", "--to", "v2"}, none, "the program has no conversions"},
	} {
		var out, problems bytes.Buffer
		code, ran := run(t.Context(), append([]string{"convert"}, test.args...), test.register, strings.NewReader(""), &out, &problems)
		if !ran || code != exitProblem || !strings.Contains(problems.String(), test.want) || out.Len() > 0 {
			t.Errorf("%q: code %d, %q, want %q", test.args, code, problems.String(), test.want)
		}
	}
}
