// SPDX-License-Identifier: Apache-2.0

package condition

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
)

func newCompiler(t testing.TB) *Compiler {
	c, err := NewCompiler(nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func conditions(expressions ...string) []v1.MatchCondition {
	var all []v1.MatchCondition
	for i, e := range expressions {
		all = append(all, v1.MatchCondition{Name: fmt.Sprint("c", i), Expression: e})
	}
	return all
}

func on(resource string, operations ...v1.OperationType) []v1.RuleWithOperations {
	return []v1.RuleWithOperations{{Operations: operations, Rule: v1.Rule{APIGroups: []string{"g"}, APIVersions: []string{"v1"}, Resources: []string{resource}}}}
}

// TestCheck has findings as "rule at the text: message".
func TestCheck(t *testing.T) {
	for _, test := range []struct {
		expression string
		want       []string
	}{
		{"object.metadata.name == 'a'", nil},
		{"object.metadata.name = 'a'", []string{"E22 at =: the expression does not compile: Syntax error: token recognition error at: '= '",
			"E22 at ': the expression does not compile: Syntax error: extraneous input ''a'' expecting <EOF>"}},
		{"objekt.metadata.name == 'ä' && request.nane == ''", []string{"E22 at objekt: the expression does not compile: undeclared reference to 'objekt'",
			"E22 at nane: the expression does not compile: undefined field 'nane'"}},
		{"'a'", []string{"E22 at 'a': the expression must evaluate to bool but got string"}},
		{"object.metadata.name", []string{"E22 at object.metadata.name: the expression must evaluate to bool but got dyn"}},
		{"namespaceObject.metadata.name == 'a'", []string{"W1 at namespaceObject: namespaceObject is always null for webhooks"}},
		{"authorizer.path('/').check('get').allowed()", []string{"W26 at authorizer: the authorizer is asked within every request that comes here"}},
		{"authorizer.requestResource.check('get').allowed()", []string{"W26 at authorizer: the authorizer is asked within every request that comes here"}},
	} {
		got := texts(test.expression, newCompiler(t).Check(conditions(test.expression), on("ks", "UPDATE"), true))
		if !slices.Equal(got, test.want) {
			t.Errorf("%s\n got %q\nwant %q", test.expression, got, test.want)
		}
	}
}

func texts(expression string, found []Finding) []string {
	var all []string
	for _, f := range found {
		all = append(all, fmt.Sprintf("%s at %s: %s", f.Rule, expression[f.From:f.To], f.Message))
	}
	return all
}

// TestPresent compares the findings about expressions with their evaluation in requests. An expression that fails in a
// request has a finding for that operation, and an expression with a finding fails in some request. expected is the
// finding without its rule.
func TestPresent(t *testing.T) {
	c := newCompiler(t)
	for _, test := range []struct {
		expressions []string
		operations  []v1.OperationType
		want        []string
	}{
		{list("object.spec.a == 1"), ops("CREATE", "UPDATE"), nil},
		{list("object.spec.a == 1"), ops("CREATE", "DELETE"), list("object is null on DELETE")},
		{list("oldObject.spec.a == 1"), ops("*"), list("oldObject is null on CREATE")},
		{list("oldObject == null || oldObject.spec.a == 1"), ops("*"), nil},
		{list("oldObject.spec.a == 1 || oldObject == null"), ops("*"), nil},
		{list("object != null && object.spec.a == 1"), ops("*"), nil},
		{list("!(object == null || object.spec.a == 2)"), ops("*"), nil},
		{list("object == null ? oldObject.spec.a == 1 : object.spec.a == 1"), ops("*"), nil},
		{list("object == null ? object.spec.a == 1 : true"), ops("*"), list("object is null on DELETE")},
		{list("request.operation == 'DELETE' || object.spec.a == 1"), ops("*"), nil},
		{list("request.operation in ['CREATE', 'UPDATE'] && object.spec.a == 1"), ops("*"), nil},
		{list("request.operation != 'UPDATE' || oldObject.spec.a != object.spec.a"), ops("*"), nil},
		{list("request.operation != 'DELETE'", "object.spec.a == 1"), ops("*"), nil},
		{list("object.spec.a == 1", "request.operation != 'DELETE'"), ops("*"), nil},
		{list("has(object.metadata)"), ops("DELETE"), nil},
		{list("has(object.metadata.labels)"), ops("DELETE"), list("object is null on DELETE")},
		{list("object.metadata.labels.a == 'x'"), ops("UPDATE"), list("object.metadata.labels may be missing")},
		{list("object.metadata.labels['a'] == 'x'"), ops("UPDATE"), list("object.metadata.labels may be missing")},
		{list("has(object.metadata.labels) && object.metadata.labels['a'] == 'x'"), ops("UPDATE"), list("object.metadata.labels['a'] may be missing")},
		{list("has(object.metadata.labels) && 'a' in object.metadata.labels && object.metadata.labels['a'] == 'x'"), ops("UPDATE"), nil},
		{list("object.metadata.labels.a == 'x' && has(object.metadata.labels.a) && has(object.metadata.labels)"), ops("UPDATE"), nil},
		{list("has(object.metadata.labels) && has(object.metadata.labels.a) && object.metadata.labels.a == 'x'"), ops("UPDATE"), nil},
		{list("has(object.metadata.labels)", "has(object.metadata.labels.a)", "object.metadata.labels.a == 'x'"), ops("UPDATE"), nil},
		{list("!has(object.metadata.labels) || !('a' in object.metadata.labels) || object.metadata.labels.a == 'x'"), ops("UPDATE"), nil},
		{list("has(object.metadata.labels) ? object.metadata.labels.size() > 0 : false"), ops("UPDATE"), nil},
		{list("has(object.metadata.labels) || object.metadata.labels.size() > 0"), ops("UPDATE"), list("object.metadata.labels may be missing")},
		{list("object.metadata.labels.size() > 0 && object.metadata.labels.all(k, k != '')"), ops("UPDATE"),
			list("object.metadata.labels may be missing", "object.metadata.labels may be missing")},
		{list("object.metadata.?labels.?a.orValue('') == 'x'"), ops("UPDATE"), nil},
		{list("object.metadata.?labels['a'].orValue('') == 'x'"), ops("UPDATE"), nil},
		{list("object.metadata.?labels.a.orValue('') == 'x'"), ops("UPDATE"), nil},
		{list("object.?metadata.?labels.?a.orValue('') == 'x'"), ops("*"), nil},
		{list("object.metadata.?labels.?a.orValue('') == 'x'"), ops("*"), list("object is null on DELETE")},
		{list("object.metadata.?labels.?a.hasValue() && object.metadata.labels.a == 'x'"), ops("UPDATE"), nil},
		{list("has(object.metadata.annotations) && object.metadata.annotations.exists(k, object.metadata.annotations[k] == 'x')"), ops("UPDATE"), nil},
		{list("has(object.metadata.annotations) && object.metadata.annotations[object.spec.?key.orValue('k')] == 'x'"), ops("UPDATE"),
			list("object.metadata.annotations[object.spec.?key.orValue('k')] may have no such key")},
		{list("object.metadata.ownerReferences.exists(r, r.kind == 'x')"), ops("UPDATE"), list("object.metadata.ownerReferences may be missing")},
		{list("has(object.metadata.deletionTimestamp)"), ops("UPDATE"), nil},
		{list("object.metadata.uid != ''"), ops("CREATE", "UPDATE"), list("object.metadata.uid is missing on CREATE")},
		{list("object.metadata.name != ''"), ops("CREATE"), list("object.metadata.name is missing where generateName is given")},
		{list("request.name != ''"), ops("UPDATE"), nil},
		{list("request.name != ''"), ops("DELETE"), list("request.name is missing where a whole collection is deleted")},
		{list("request.subResource == ''"), ops("UPDATE"), list("request.subResource is missing where the request is not for a subresource")},
		{list("!has(request.subResource) || request.subResource == 'status'"), ops("UPDATE"), nil},
		{list("request.userInfo.username == 'a' || 'b' in request.userInfo.groups"), ops("*"), nil},
		{list("request.userInfo.extra['a'].size() > 0"), ops("UPDATE"), list("request.userInfo.extra may be missing")},
	} {
		t.Run(strings.Join(test.expressions, " AND "), func(t *testing.T) {
			all := conditions(test.expressions...)
			var got []string
			for _, f := range c.Check(all, on("ks", test.operations...), true) {
				if f.Rule != Present || f.To > len(all[f.Condition].Expression) {
					t.Errorf("unexpected %+v", f)
				}
				got = append(got, f.Message)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("\n got %q\nwant %q", got, test.want)
			}
			for _, operation := range operationsOf(on("ks", test.operations...)) {
				reported := len(c.Check(all, on("ks", v1.OperationType(operation)), true)) > 0
				if failing := failing(t, c, all, operation); (failing != "") != reported {
					t.Errorf("%s: reported %v, and the requests that fail: %s", operation, reported, failing)
				}
			}
		})
	}
}

// TestPresentValidating has validating webhooks read fields that an object gets after the mutating webhooks.
func TestPresentValidating(t *testing.T) {
	all := conditions("object.metadata.name != '' && object.metadata.uid != '' && request.name != ''")
	if found := newCompiler(t).Check(all, on("ks", "CREATE"), false); len(found) > 0 {
		t.Errorf("validating: %v", found)
	}
	if found := newCompiler(t).Check(all, on("ks", "CREATE"), true); len(found) != 3 {
		t.Errorf("mutating: %v", found)
	}
}

// failing names the first request of an operation for which the conditions come to an error.
func failing(t *testing.T, c *Compiler, all []v1.MatchCondition, operation string) string {
	kind := schema.GroupVersionKind{Group: "g", Version: "v1", Kind: "K"}
	for _, request := range requests() {
		object := func() runtime.Object {
			return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "g/v1", "kind": "K", "metadata": runtime.DeepCopyJSON(request.metadata), "spec": map[string]any{"a": int64(1)}}}
		}
		var now, old runtime.Object
		if operation != "DELETE" {
			now = object()
		}
		if operation != "CREATE" {
			old = object()
		}
		if (request.metadata["uid"] != nil) == (operation == "CREATE") || request.name == "" && operation == "UPDATE" {
			continue // which cannot be
		}
		attributes := admission.NewAttributesRecord(now, old, kind, "n", request.name, schema.GroupVersionResource{Group: "g", Version: "v1", Resource: "ks"}, "",
			admission.Operation(operation), nil, false, &user.DefaultInfo{Name: "a", Groups: []string{"b"}})
		versioned, err := admission.NewVersionedAttributes(attributes, kind, nil)
		if err != nil {
			t.Fatal(err)
		}
		no, failed := false, ""
		for _, r := range c.Evaluate(t.Context(), all, versioned, nil) {
			switch r.Result {
			case "true":
			case "false":
				no = true
			default:
				failed = r.Result
			}
		}
		if failed != "" && !no {
			return failed
		}
	}
	return ""
}

type sample struct {
	name     string
	metadata map[string]any
}

// requests returns requests with different fields.
func requests() []sample {
	named := func(more map[string]any) map[string]any {
		more["name"], more["namespace"] = "n", "n"
		return more
	}
	full := func() map[string]any {
		return map[string]any{
			"labels": map[string]any{"a": "y", "": ""}, "annotations": map[string]any{"b": "x"}, "uid": "u",
			"ownerReferences": []any{map[string]any{"kind": "y"}},
		}
	}
	withoutUID := named(full())
	delete(withoutUID, "uid")
	return []sample{
		{"n", named(full())}, {"n", withoutUID},
		{"n", named(map[string]any{"uid": "u"})}, {"n", named(map[string]any{})},
		{"n", named(map[string]any{"uid": "u", "labels": map[string]any{"c": "z"}, "annotations": map[string]any{"c": "z"}})},
		{"n", named(map[string]any{"labels": map[string]any{"c": "z"}, "annotations": map[string]any{"c": "z"}})},
		{"", map[string]any{"generateName": "n", "namespace": "n"}}, {"", named(map[string]any{"uid": "u"})},
	}
}

func list(words ...string) []string { return words }

func ops(words ...v1.OperationType) []v1.OperationType { return words }

// TestOlderVersion has an expression refused that an older API server does not know.
func TestOlderVersion(t *testing.T) {
	const expression = "isSemver('1.2.3')"
	if found := newCompiler(t).Check(conditions(expression), on("ks", "UPDATE"), true); len(found) > 0 {
		t.Errorf("the newest: %v", found)
	}
	older, err := NewCompiler(version.MajorMinor(1, 30))
	if err != nil {
		t.Fatal(err)
	}
	got := texts(expression, older.Check(conditions(expression), on("ks", "UPDATE"), true))
	if want := list("E22 at (: the expression does not compile: undeclared reference to 'isSemver'"); !slices.Equal(got, want) {
		t.Errorf("1.30: got %q", got)
	}
}
