// SPDX-License-Identifier: Apache-2.0

package celcheck_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/google/cel-go/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/webhook-gen/webhook-gen/explain/internal/celcheck"
	"github.com/webhook-gen/webhook-gen/explain/internal/celcheck/testdata/shop"
)

// TestRead compares the expressions with the comments beside the denials.
func TestRead(t *testing.T) {
	result, err := celcheck.Read(".", "Order", "./testdata/shop")
	if err != nil {
		t.Fatal(err)
	}
	const of = "github.com/webhook-gen/webhook-gen/explain/internal/celcheck/testdata/shop.Order"
	if got := fmt.Sprint(result.Validators); got != "[{OrderValidator.ValidateCreate "+of+"} {OrderValidator.ValidateDelete "+of+"} {OrderValidator.ValidateUpdate "+of+"}]" {
		t.Errorf("validators %s", got)
	}
	want := map[int]string{}
	f, err := os.Open("testdata/shop/order.go")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		if _, text, ok := strings.Cut(lines.Text(), "// want: "); ok {
			want[n] = text
		}
	}
	for _, c := range result.Checks {
		got := c.Expression
		if c.Reason != "" {
			got = "no: " + c.Reason
		}
		if got != want[c.Position.Line] {
			t.Errorf("line %d: got %s\nwant %s", c.Position.Line, got, want[c.Position.Line])
		}
		delete(want, c.Position.Line)
	}
	for n, text := range want {
		t.Errorf("line %d is not read, want %s", n, text)
	}
}

// TestSameVerdict compares the expressions with the validator on random objects: an expression is false if and only if
// the validator denies with a message of a check that is understood.
func TestSameVerdict(t *testing.T) {
	result, err := celcheck.Read(".", "Order", "./testdata/shop")
	if err != nil {
		t.Fatal(err)
	}
	env, err := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).NewExpressionsEnv().Extend(
		cel.Variable("object", cel.DynType), cel.Variable("oldObject", cel.DynType))
	if err != nil {
		t.Fatal(err)
	}
	programs := map[string]map[string]cel.Program{"CREATE": {}, "UPDATE": {}}
	for _, c := range result.Checks {
		if c.Expression == "" {
			continue
		}
		tree, issues := env.Compile(c.Expression)
		if issues.Err() != nil {
			t.Fatal(c.Expression, issues.Err())
		}
		p, err := env.Program(tree)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range c.Operations {
			programs[o][c.Expression] = p
		}
	}
	v := shop.OrderValidator{Ask: func(string) error { return nil }}
	random := rand.New(rand.NewPCG(1, 2))
	denied := 0
	for range 5000 {
		old, o := order(random), order(random)
		if random.IntN(2) == 0 {
			_ = json.Unmarshal(text(t, old), o)
		}
		for operation, programs := range programs {
			var err error
			if operation == "CREATE" {
				_, err = v.ValidateCreate(t.Context(), o)
			} else {
				_, err = v.ValidateUpdate(t.Context(), old, o)
			}
			var wrong []string
			for expression, p := range programs {
				out, _, err := p.ContextEval(context.Background(), map[string]any{"object": tree(t, o), "oldObject": tree(t, old)})
				if err != nil {
					t.Fatalf("%s: %v\n%s", expression, err, text(t, o))
				}
				if out.Value() == false {
					wrong = append(wrong, expression)
				}
			}
			if err != nil {
				denied++
			}
			if (err != nil) != (len(wrong) > 0) {
				t.Fatalf("%s: the validator says %v, and false are %q\n%s\n%s", operation, err, wrong, text(t, old), text(t, o))
			}
		}
	}
	if denied < 1000 || denied > 9500 {
		t.Errorf("%d of 10000 requests were denied: the objects show little", denied)
	}
}

func text(t *testing.T, o *shop.Order) []byte {
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func tree(t *testing.T, o *shop.Order) map[string]any {
	var u unstructured.Unstructured
	if err := u.UnmarshalJSON(text(t, o)); err != nil {
		t.Fatal(err)
	}
	return u.Object
}

// order makes an order in which every field may be missing, and whose checks that are not understood pass.
func order(r *rand.Rand) *shop.Order {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	o := &shop.Order{Spec: shop.OrderSpec{
		SKU: pick("tea", "tea", "tea", "", "Tea"), Quantity: int32(1 + r.IntN(102)), Priority: pick("", "low", "high", "odd"), Note: pick("", "short"),
		Paused: r.IntN(2) == 0,
	}}
	o.APIVersion, o.Kind, o.Name = "shop.example.com/v1", "Order", "o"
	if r.IntN(4) > 0 {
		o.Labels = map[string]string{"team": pick("a", "a", "a", "")}
	}
	if r.IntN(4) == 0 {
		limit := int32(r.IntN(150))
		o.Spec.Limit = &limit
	}
	for i := range r.IntN(3) {
		o.Spec.Items = append(o.Spec.Items, shop.Item{Name: fmt.Sprint(pick("x-", "a", "a", "a"), i), Count: int32(r.IntN(8) - 1)})
	}
	if r.IntN(2) == 0 {
		o.Spec.Delivery = &shop.Delivery{Address: pick("", "here", "there"), Carrier: pick("", "pigeon", "post")}
	}
	if r.IntN(3) == 0 {
		o.Spec.Tags = []string{pick("secret", "a", "b")}
	}
	if r.IntN(6) == 0 {
		o.Annotations = map[string]string{"a": "", "b": "", "c": ""}
	}
	return o
}

// TestErrors reads what cannot be read.
func TestErrors(t *testing.T) {
	if _, err := celcheck.Read(".", "Order", "./testdata/none"); err == nil {
		t.Error(errors.New("a folder that does not exist is read"))
	}
}
