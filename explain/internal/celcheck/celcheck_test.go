// SPDX-License-Identifier: Apache-2.0

package celcheck_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/google/cel-go/cel"
	"golang.org/x/tools/go/packages"
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
	var validators []string
	for _, v := range result.Validators {
		if v.Type != of {
			t.Errorf("%s is for %s", v.Method, v.Type)
		}
		validators = append(validators, v.Method)
	}
	if got := strings.Join(validators, " "); got != "Forms.ValidateCreate Forms.ValidateDelete Forms.ValidateUpdate OrderValidator.ValidateCreate OrderValidator.ValidateDelete OrderValidator.ValidateUpdate" {
		t.Errorf("validators %s", got)
	}
	want := map[string]string{}
	for _, name := range []string{"order.go", "forms.go"} {
		text, err := os.ReadFile("testdata/shop/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if _, text, ok := strings.Cut(line, "// want: "); ok {
				want[fmt.Sprintf("%s:%d", name, i+1)] = text
			}
		}
	}
	for _, c := range result.Checks {
		got := c.Expression
		if c.Reason != "" {
			got = "no: " + c.Reason
		}
		at := fmt.Sprintf("%s:%d", filepath.Base(c.Position.Filename), c.Position.Line)
		if got != want[at] {
			t.Errorf("%s: got %s\nwant %s", at, got, want[at])
		}
		delete(want, at)
	}
	for at, text := range want {
		t.Errorf("%s is not read, want %s", at, text)
	}
}

// TestOptionalPackage reads a validator of a type whose package has a marker that makes fields optional.
func TestOptionalPackage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "orders[1]") // means something else as a pattern
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"../../go.mod", "../../go.sum", "testdata/loose/loose.go"} {
		text, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(name)), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	result, err := celcheck.Read(dir, "Order", ".")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range result.Checks {
		got = append(got, c.Expression+c.Reason)
	}
	if want := []string{`object.?note.orValue("") != 'rude'`, "object.sku != 'none'"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// expressions compiles the expressions that were read from a validator, by operation.
func expressions(t *testing.T, validator string) map[string]map[string]cel.Program {
	t.Helper()
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
		if c.Expression == "" || !strings.HasPrefix(c.Validator, validator+".") {
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
	return programs
}

// wrong returns the expressions that are false.
func wrong(t *testing.T, programs map[string]cel.Program, old, o *shop.Order) (wrong []string) {
	t.Helper()
	for expression, p := range programs {
		out, _, err := p.ContextEval(context.Background(), map[string]any{"object": tree(t, o), "oldObject": tree(t, old)})
		if err != nil {
			t.Fatalf("%s: %v\n%s", expression, err, text(t, o))
		}
		if out.Value() == false {
			wrong = append(wrong, expression)
		}
	}
	return wrong
}

// TestSameVerdict compares the expressions with the validator on random objects: an expression is false if and only if
// the validator denies with a message of a check that is understood.
func TestSameVerdict(t *testing.T) {
	programs := expressions(t, "OrderValidator")
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
			wrong := wrong(t, programs, old, o)
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

// always is a client that finds everything.
type always struct{}

func (always) Get(context.Context, string) error { return nil }

// TestNeverStricter compares the expressions of a validator with checks of both kinds. Where an expression is false,
// the validator denies. Every expression is false for one object at least.
func TestNeverStricter(t *testing.T) {
	programs := expressions(t, "Forms")
	v := shop.Forms{Ask: func(string) error { return nil }, Client: always{}}
	random := rand.New(rand.NewPCG(3, 4))
	used := map[string]bool{}
	for range 3000 {
		o := order(random)
		if random.IntN(2) == 0 {
			o.Spec.Quantity = []int32{7, 8, 9, 10, 20, 22, 23}[random.IntN(7)]
		}
		if random.IntN(8) == 0 {
			o.Spec.SKU = []string{"free", "none"}[random.IntN(2)]
		}
		for operation, programs := range programs {
			var err error
			if operation == "CREATE" {
				err = v.ValidateCreate(t.Context(), o)
			} else {
				err = v.ValidateUpdate(t.Context(), o, o)
			}
			for _, expression := range wrong(t, programs, o, o) {
				used[expression] = true
				if err == nil {
					t.Fatalf("%s: the validator allows what %s denies\n%s", operation, expression, text(t, o))
				}
			}
		}
	}
	for _, programs := range programs {
		for expression := range programs {
			if !used[expression] {
				t.Errorf("%s is true for every object", expression)
			}
		}
	}
}

// TestEveryReturn follows each error that a function of the validators returns to a check at its position, without the
// code that finds checks. An error is one that is made, that another function of the package returns, or a variable
// with one of both. Lines with the word plumbing are about the types of objects, which a policy does not need.
func TestEveryReturn(t *testing.T) {
	for dir, kinds := range map[string][]string{
		"testdata/shop": {"Order"}, "../../../examples/orders": {"Order", "Shipment"}, "../../../examples/kubebuilder": {"Job"},
	} {
		for _, kind := range kinds {
			t.Run(filepath.Base(dir)+"/"+kind, func(t *testing.T) {
				result, err := celcheck.Read(dir, kind, "./...")
				if err != nil {
					t.Fatal(err)
				}
				if len(result.Checks) == 0 {
					t.Fatal("no check is read")
				}
				loaded, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Dir: dir}, "./...")
				if err != nil {
					t.Fatal(err)
				}
				returns := 0
				for _, p := range loaded {
					f := follower{t: t, pkg: p, checks: result.Checks, done: map[*ast.FuncDecl]bool{}}
					for _, file := range p.Syntax {
						for _, d := range file.Decls {
							fn, ok := d.(*ast.FuncDecl)
							if ok && fn.Recv != nil && slices.ContainsFunc(result.Validators, func(v celcheck.Validator) bool {
								return v.Method == receiver(fn)+"."+fn.Name.Name
							}) && !ast.IsGenerated(file) {
								f.function(fn)
							}
						}
					}
					returns += f.returns
				}
				if returns == 0 {
					t.Error("no return is followed")
				}
			})
		}
	}
}

func receiver(fn *ast.FuncDecl) string {
	e := fn.Recv.List[0].Type
	if p, ok := e.(*ast.StarExpr); ok {
		e = p.X
	}
	return types.ExprString(e)
}

// follower follows the errors of one package.
type follower struct {
	t       *testing.T
	pkg     *packages.Package
	checks  []celcheck.Check
	done    map[*ast.FuncDecl]bool
	returns int
}

// function follows the returns of a function.
func (f *follower) function(fn *ast.FuncDecl) {
	if fn == nil || f.done[fn] {
		return
	}
	f.done[fn] = true
	var around []ast.Node
	ast.Inspect(fn, func(n ast.Node) bool {
		if n == nil {
			around = around[:len(around)-1]
			return true
		}
		around = append(around, n)
		r, ok := n.(*ast.ReturnStmt)
		if !ok {
			return true
		}
		for _, e := range r.Results {
			if !f.isError(e) {
				continue
			}
			f.returns++
			if !f.found(e, fn, 0) && !f.follows(around, fn) {
				f.t.Errorf("%s: the error %s is in no check", f.pkg.Fset.Position(e.Pos()), types.ExprString(e))
			}
		}
		return true
	})
}

// follows reports whether the innermost statement around is about an error that is in a check: if err != nil.
func (f *follower) follows(around []ast.Node, fn *ast.FuncDecl) bool {
	for _, n := range slices.Backward(around) {
		if s, ok := n.(*ast.IfStmt); ok {
			c, ok := s.Cond.(*ast.BinaryExpr)
			return ok && c.Op == token.NEQ && f.isError(c.X) && f.found(c.X, fn, 0)
		}
	}
	return false
}

// isError reports whether an expression is an error, or several.
func (f *follower) isError(e ast.Expr) bool {
	typed := f.pkg.TypesInfo.Types[e]
	return typed.Type != nil && !typed.IsNil() && !typed.IsType() && strings.Contains(strings.ToLower(typed.Type.String()), "err") || f.implements(typed)
}

func (f *follower) implements(typed types.TypeAndValue) bool {
	of := types.Universe.Lookup("error").Type().Underlying().(*types.Interface)
	return typed.Type != nil && !typed.IsNil() && !typed.IsType() && types.Implements(typed.Type, of)
}

// found reports whether an error of a function is in a check.
func (f *follower) found(e ast.Node, fn *ast.FuncDecl, depth int) (found bool) {
	from, to := f.pkg.Fset.Position(e.Pos()), f.pkg.Fset.Position(e.End())
	source, err := os.ReadFile(from.Filename)
	if err != nil {
		f.t.Fatal(err)
	}
	if strings.Contains(strings.Split(string(source), "\n")[from.Line-1], "plumbing") || depth > 5 {
		return depth <= 5
	}
	for _, c := range f.checks {
		if c.Position.Filename == from.Filename && c.Position.Offset >= from.Offset && c.Position.Offset < to.Offset {
			return true
		}
	}
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if n.Sel.Name == "OldObject" {
				found = true // which a policy has
			}
		case *ast.Ident:
			switch object := f.pkg.TypesInfo.Uses[n].(type) {
			case *types.Func:
				if body := f.body(object); body != nil {
					f.function(body)
					found = true
				}
			case *types.Var:
				found = found || f.isError(n) && object.Parent() != f.pkg.Types.Scope() && f.assigned(object, fn, depth)
			}
		}
		return !found
	})
	return found
}

func (f *follower) body(of *types.Func) *ast.FuncDecl {
	for _, file := range f.pkg.Syntax {
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && f.pkg.TypesInfo.Defs[fn.Name] == of {
				return fn
			}
		}
	}
	return nil
}

// assigned reports whether every error that a function assigns to a variable is in a check. A parameter is, because its
// value is an error of the caller.
func (f *follower) assigned(v *types.Var, fn *ast.FuncDecl, depth int) bool {
	all := v.Kind() == types.LocalVar || v.Kind() == types.ParamVar || v.Kind() == types.ResultVar
	ast.Inspect(fn, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		for i, l := range a.Lhs {
			name, ok := l.(*ast.Ident)
			if !ok || f.pkg.TypesInfo.Defs[name] != v && f.pkg.TypesInfo.Uses[name] != v {
				continue
			}
			right := a.Rhs[min(i, len(a.Rhs)-1)]
			if _, ok := right.(*ast.FuncLit); !ok && !f.found(right, fn, depth+1) {
				all = false
			}
		}
		return true
	})
	return all
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
	// As YAML may have it: a Go client sends every field without omitempty.
	if o.Spec.Comment == "" {
		unstructured.RemoveNestedField(u.Object, "spec", "comment")
	}
	if o.Spec.Weight == nil && o.Spec.Paused {
		unstructured.RemoveNestedField(u.Object, "spec", "weight")
	}
	if o.Spec.Delivery != nil && o.Spec.Delivery.Hour == nil && o.Spec.Quantity%2 == 0 {
		if err := unstructured.SetNestedField(u.Object, nil, "spec", "delivery", "hour"); err != nil {
			t.Fatal(err)
		}
	}
	return u.Object
}

// order makes an order in which every field may be missing, and whose checks that are not understood pass.
func order(r *rand.Rand) *shop.Order {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	o := &shop.Order{Spec: shop.OrderSpec{
		SKU: pick("tea", "tea", "tea", "tea", "tea", "tea", "", "Tea"), Quantity: int32(1 + r.IntN(102)), Priority: pick("", "low", "high", "odd"), Note: pick("", "short"),
		Paused: r.IntN(2) == 0, Comment: pick("", "", "kind", "kind", "kind", "kind", "kind", "kind", "kind", "kind", "rude"),
	}}
	o.APIVersion, o.Kind, o.Name = "shop.example.com/v1", "Order", "o"
	if r.IntN(4) > 0 {
		o.Labels = map[string]string{"team": pick("a", "a", "a", "")}
	}
	if r.IntN(4) == 0 {
		limit := int32(r.IntN(150))
		o.Spec.Limit = &limit
	}
	if r.IntN(3) == 0 {
		weight := int32(r.IntN(53))
		o.Spec.Weight = &weight
	}
	for i := range r.IntN(3) {
		o.Spec.Items = append(o.Spec.Items, shop.Item{Name: fmt.Sprint(pick("x-", "a", "a", "a"), i), Count: int32(r.IntN(8) - 1)})
	}
	if r.IntN(2) == 0 {
		o.Spec.Delivery = &shop.Delivery{Address: pick("", "here", "there"), Carrier: pick("", "pigeon", "post")}
	}
	if d := o.Spec.Delivery; d != nil && r.IntN(2) == 0 {
		hour := int32(r.IntN(24))
		d.Hour = &hour
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
