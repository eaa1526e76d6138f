// SPDX-License-Identifier: Apache-2.0

package mutation

import (
	"fmt"
	"go/ast"
	"strings"
)

// handlerFaults are the faults of the generated method Register: one statement hands over each handler.
func handlerFaults(methods map[string]string) func(*seeder, *ast.FuncDecl, ast.Stmt) []variant {
	return func(s *seeder, in *ast.FuncDecl, statement ast.Stmt) []variant {
		if in.Name.Name != "Register" {
			return nil
		}
		if _, ok := statement.(*ast.IfStmt); ok {
			return []variant{{kind: "nobody misses a validator or defaulter"}}
		}
		call, ok := statement.(*ast.ExprStmt)
		if !ok {
			return nil
		}
		return registrationFaults(s.text(call), methods)
	}
}

// registrationFaults are the faulty forms of
//
//	handle(Path, admission.Mutating(
//		"name",
//		admission.ForKind("example.com/v1", "Kind"),
//		admission.OnCreate(w.Kind.DefaultCreate),
//	).With(options...))
func registrationFaults(text string, methods map[string]string) []variant {
	var faults []variant
	add := func(kind, text string) { faults = append(faults, variant{kind: kind, text: text}) }
	edit := func(kind, old, now string) {
		if strings.Contains(text, old) {
			add(kind, strings.Replace(text, old, now, 1))
		}
	}
	add("the handler is not registered", "")
	edit("another path", "handle(", `handle("/elsewhere"+`)
	edit("no patch", "admission.Mutating(", "admission.Validating(")
	if !strings.Contains(text, "admission.On(") { // where nothing is decoded there is nothing to patch
		edit("a patch of a validating webhook", "admission.Validating(", "admission.Mutating(")
	}
	edit("options are dropped", ".With(options...)", "")
	lines := strings.Split(text, "\n")
	without := func(i int) string { return strings.Join(append(lines[:i:i], lines[i+1:]...), "\n") }
	with := func(i int, line string) string {
		return strings.Join(append(append(lines[:i:i], line), lines[i+1:]...), "\n")
	}
	for i, line := range lines {
		option := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(option, `"`):
			add("another name", with(i, `"other."+`+option))
			add("bodies are too large soon", with(i, option+" admission.BodyLimit(100),"))
			for _, o := range []string{"Create", "Update", "Delete", "Connect"} {
				if !strings.Contains(text, "admission.On"+o+"(") && !strings.Contains(text, "admission."+o+",") {
					add("an operation too many", with(i, option+" admission.On(admission."+o+", func(context.Context, *admission.RawRequest) error { return nil }),"))
				}
			}
		case strings.HasPrefix(option, "admission.ForKind("):
			add("any kind is taken", without(i))
			add("another kind is taken", with(i, strings.Replace(option, `", "`, `", "Other`, 1)))
			add("another version is taken", with(i, strings.Replace(option, `", "`, `beta1", "`, 1)))
		case strings.HasPrefix(option, "admission.SkipDeletingUnchanged("):
			add("objects being deleted are checked", without(i))
			add("objects being deleted are never checked", with(i, "admission.SkipDeleting(),"))
		case strings.HasPrefix(option, "admission.Ratchet("):
			add("errors of the stored object deny", without(i))
		case strings.HasPrefix(option, "admission.ListKeys["):
			if strings.Contains(text, "admission.Mutating(") {
				add("keys of a list are not known", without(i))
			}
		case strings.HasPrefix(option, "admission.On"):
			add("an operation is dropped", without(i))
			function := strings.TrimSuffix(option[strings.LastIndexAny(option, "( ")+1:], "),")
			for _, w := range wrappers() {
				if !w.edits || strings.Contains(text, "admission.Mutating(") && editable(option) {
					add(w.kind, with(i, strings.Replace(option, function, fmt.Sprintf("%s(%s)", w.function, function), 1)))
				}
			}
			if other := sameSignature(methods, function); other != "" {
				add("another function is asked", with(i, strings.Replace(option, function, other, 1)))
			}
		}
	}
	return faults
}

// editable reports whether a function for the operation gets an object that it may edit.
func editable(option string) bool {
	return strings.HasPrefix(option, "admission.OnCreate(") || strings.HasPrefix(option, "admission.OnUpdate(")
}

// sameSignature returns another function with the parameters of the given one; empty without such a function. Both are
// written as w.Kind.Method, and methods has their parameters.
func sameSignature(methods map[string]string, function string) string {
	best := ""
	for other, parameters := range methods {
		if other != function && parameters == methods[function] && (best == "" || other < best) {
			best = other
		}
	}
	return best
}

// wrapper is a function in helpers that makes a faulty function from a validator's or defaulter's function.
type wrapper struct {
	kind, function string
	edits          bool // is about edits, which only mutating webhooks make
}

func wrappers() []wrapper {
	return []wrapper{
		{"an error is swallowed", "seededSwallow", false},
		{"an error loses its type", "seededRetype", false},
		{"nobody is asked", "seededIgnore", false},
		{"asked twice", "seededTwice", false},
		{"the context has no end", "seededForever", false},
		{"a panic is swallowed", "seededRecover", false},
		{"a warning too many", "seededWarn", false},
		{"an edit is lost", "seededUndo", true},
		{"an edit is added", "seededEdit", true},
	}
}

// helpers is a file with the functions that the faults need.
const helpers = `package %s

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"reflect"
)

var seededFault = os.Getenv("` + Variable + `")

func seededSwallow[R any](f func(context.Context, R) error) func(context.Context, R) error {
	return func(ctx context.Context, r R) error { _ = f(ctx, r); return nil }
}

func seededRetype[R any](f func(context.Context, R) error) func(context.Context, R) error {
	return func(ctx context.Context, r R) error {
		if err := f(ctx, r); err != nil {
			return errors.New(err.Error())
		}
		return nil
	}
}

func seededIgnore[R any](func(context.Context, R) error) func(context.Context, R) error {
	return func(context.Context, R) error { return nil }
}

func seededTwice[R any](f func(context.Context, R) error) func(context.Context, R) error {
	return func(ctx context.Context, r R) error { return errors.Join(f(ctx, r), f(ctx, r)) }
}

func seededForever[R any](f func(context.Context, R) error) func(context.Context, R) error {
	return func(_ context.Context, r R) error { return f(context.Background(), r) }
}

func seededRecover[R any](f func(context.Context, R) error) func(context.Context, R) error {
	return func(ctx context.Context, r R) (err error) {
		defer func() { _ = recover() }()
		return f(ctx, r)
	}
}

func seededWarn[R interface{ Warn(...string) }](f func(context.Context, R) error) func(context.Context, R) error {
	return func(ctx context.Context, r R) error { r.Warn("seeded"); return f(ctx, r) }
}

func seededUndo[R any](f func(context.Context, R) error) func(context.Context, R) error {
	return func(ctx context.Context, r R) error {
		object := reflect.ValueOf(r).Elem().FieldByName("Object")
		before, _ := json.Marshal(object.Interface())
		err := f(ctx, r)
		object.Elem().SetZero()
		_ = json.Unmarshal(before, object.Interface())
		return err
	}
}

func seededEdit[R any](f func(context.Context, R) error) func(context.Context, R) error {
	return func(ctx context.Context, r R) error {
		err := f(ctx, r)
		reflect.ValueOf(r).Elem().FieldByName("Object").Interface().(interface{ SetGenerateName(string) }).SetGenerateName("seeded")
		return err
	}
}
`
