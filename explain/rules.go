// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/webhook-gen/webhook-gen/explain/internal/condition"
	"github.com/webhook-gen/webhook-gen/explain/project"
)

// RuleFinding is a mistake in a validation rule of a schema (x-kubernetes-validations).
type RuleFinding struct {
	// Path leads from the schema of the object to the schema with the rule: the names of properties, * for the elements of
	// a list or map.
	Path []string
	// Rule is an index into the rules of that schema.
	Rule int
	condition.Problem
}

// The path of an error in a rule, the place of an error in an expression, and the name that CEL makes up for a type.
var (
	pathStep = regexp.MustCompile(`\.(?:properties\[([^\]]*)\]|(items|additionalProperties)|x-kubernetes-validations\[(\d+)\]\.(rule|messageExpression))`)
	inText   = regexp.MustCompile(`ERROR: <input>:(\d+):(\d+): ([^\n]*)`)
	typeName = regexp.MustCompile(`selfType\d+`)
)

// CheckRules returns the mistakes in the validation rules of a kind's schema that keep an API server from accepting its
// CustomResourceDefinition: rules that do not compile, and rules that may cost too much.
func CheckRules(t project.Type) ([]RuleFinding, error) {
	quiet()
	schema := t.Schema.DeepCopy()
	delete(schema.Properties, "metadata") // the API server has a schema of its own for it
	v1 := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "kinds." + t.Group}, Spec: apiextensionsv1.CustomResourceDefinitionSpec{
		Group: t.Group, Scope: apiextensionsv1.NamespaceScoped, Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "kinds", Kind: t.Kind},
		Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: t.Version, Served: true, Storage: true,
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: schema}}}}}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(v1)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&v1.Spec)
	var crd apiextensions.CustomResourceDefinition
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(v1, &crd, nil); err != nil {
		return nil, err
	}
	var found []RuleFinding
	for _, problem := range validation.ValidateCustomResourceDefinition(context.Background(), &crd) {
		f := RuleFinding{Rule: -1}
		name := ""
		for _, step := range pathStep.FindAllStringSubmatch(problem.Field, -1) {
			switch {
			case step[3] != "":
				f.Rule, _ = strconv.Atoi(step[3]) // digits
				name = step[4]
			case step[2] != "":
				f.Path = append(f.Path, "*")
			default:
				f.Path = append(f.Path, step[1])
			}
		}
		if f.Rule < 0 {
			continue // it is controller-gen's to write a valid schema
		}
		f.Message, _, _ = strings.Cut(problem.Detail, "\n")
		if at := inText.FindStringSubmatch(problem.Detail); at != nil {
			f.Message = at[3]
			if rule, ok := problem.BadValue.(apiextensions.ValidationRule); ok && name == "rule" {
				f.From = offset(rule.Rule, at[1], at[2])
			}
		}
		f.Message = typeName.ReplaceAllString(f.Message, "self")
		if same := func(o RuleFinding) bool { return o.Rule == f.Rule && slices.Equal(o.Path, f.Path) }; problem.Type == field.ErrorTypeForbidden && slices.ContainsFunc(found, same) {
			continue // a rule that costs too much by itself also counts for the sum of all
		}
		if name != "rule" {
			f.Message = name + ": " + f.Message
		}
		found = append(found, f)
	}
	return found, nil
}

// offset returns the byte of a text at a line and a column of characters, which count from 1.
func offset(text, line, column string) int {
	l, _ := strconv.Atoi(line) // digits
	c, _ := strconv.Atoi(column)
	at := 0
	for range l - 1 {
		at += strings.IndexByte(text[at:], '\n') + 1
	}
	for i := range text[at:] {
		if c--; c == 0 {
			return at + i
		}
	}
	return at
}
