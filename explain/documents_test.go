// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/webhook-gen/webhook-gen/explain/project"
)

var (
	documented = regexp.MustCompile(`\+webhook:(policy:)?(variable|matchCondition|validation|auditAnnotation|mutation)(?:\((.*)\))?=("(?:[^"\\]|\\.)*")\s*$`)
	message    = regexp.MustCompile(`messageExpression: ("(?:[^"\\]|\\.)*")`)
	named      = regexp.MustCompile(`name: "([^"]*)"`)
)

// TestDocumentedExpressions compiles every expression of the pages as an API server does that gets the policy.
func TestDocumentedExpressions(t *testing.T) {
	count := 0
	compile := func(at string, spec map[string]any, mutating bool) {
		count++
		kind := "ValidatingAdmissionPolicy"
		if mutating {
			kind = "MutatingAdmissionPolicy"
		}
		spec["paramKind"] = map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}
		object := unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": map[string]any{"name": "p"}, "spec": spec,
		}}
		found, err := Check(&project.Project{Policies: []project.Policy{{Object: object}}}, "")
		if err != nil {
			t.Fatal(at, err)
		}
		for _, f := range found {
			if f.Rule == "P20" {
				t.Errorf("%s: %s: %s", at, f.Field, f.Message)
			}
		}
	}
	page := func(path string) error {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, block := range strings.Split(string(text), "```") {
			ofPolicy(t, path, block, compile)
		}
		var variables []any
		for line := range strings.Lines(string(text)) {
			m := documented.FindStringSubmatch(strings.TrimSpace(line))
			if m == nil {
				continue
			}
			expression, err := strconv.Unquote(m[4])
			if err != nil {
				return err
			}
			spec := map[string]any{"variables": append([]any{}, variables...)}
			one := map[string]any{"expression": expression}
			switch m[2] {
			case "variable":
				one["name"] = named.FindStringSubmatch(m[3])[1]
				variables = append(variables, one)
				spec["variables"] = append([]any{}, variables...)
			case "matchCondition":
				one["name"], spec["matchConditions"] = "c", []any{one}
			case "validation":
				if text := message.FindStringSubmatch(m[3]); text != nil {
					if one["messageExpression"], err = strconv.Unquote(text[1]); err != nil {
						return err
					}
				}
				spec["validations"] = []any{one}
			case "auditAnnotation":
				spec["auditAnnotations"] = []any{map[string]any{"key": "k", "valueExpression": expression}}
			case "mutation":
				patch := map[string]any{"patchType": "JSONPatch", "jsonPatch": one}
				if strings.Contains(m[3], "applyConfiguration") {
					patch = map[string]any{"patchType": "ApplyConfiguration", "applyConfiguration": one}
				}
				spec["mutations"] = []any{patch}
			}
			compile(path+": "+m[0], spec, m[2] == "mutation")
		}
		return nil
	}
	err := filepath.WalkDir("../docs", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		return page(path)
	})
	if err == nil {
		err = page("../README.md")
	}
	if err != nil {
		t.Fatal(err)
	}
	if count < 20 {
		t.Errorf("the pages have %d expressions", count)
	}
}

// ofPolicy compiles the policies that a block of a page has as YAML.
func ofPolicy(t *testing.T, path, block string, compile func(at string, spec map[string]any, mutating bool)) {
	text, isYAML := strings.CutPrefix(block, "yaml\n")
	if !isYAML {
		return
	}
	for _, document := range strings.Split(text, "\n---\n") {
		if !strings.Contains(document, "AdmissionPolicy\n") {
			continue
		}
		var object map[string]any
		if err := yaml.Unmarshal([]byte(document), &object); err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		kind, _ := object["kind"].(string)
		if spec, ok := object["spec"].(map[string]any); ok && (spec["mutations"] != nil || spec["validations"] != nil) {
			compile(path+": a policy", spec, kind == "MutatingAdmissionPolicy")
		}
	}
}
