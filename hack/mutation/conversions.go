// SPDX-License-Identifier: Apache-2.0

package mutation

import (
	"go/ast"
	"regexp"
	"strings"
)

// conversionFaults are the faults of generated conversions.
func conversionFaults(s *seeder, in *ast.FuncDecl, statement ast.Stmt) []variant {
	if !strings.HasSuffix(in.Name.Name, "ToHub") && !strings.HasSuffix(in.Name.Name, "FromHub") {
		return nil
	}
	text := s.text(statement)
	switch statement := statement.(type) {
	case *ast.AssignStmt:
		return assignmentFaults(text)
	case *ast.ExprStmt:
		return append([]variant{{kind: "a field is lost"}}, aliased(text)...)
	case *ast.IfStmt:
		return conditionFaults(s, statement)
	case *ast.ReturnStmt:
		if strings.Contains(text, "conversion.Exchange(") {
			return []variant{{kind: "nothing is kept and restored", text: "return nil"}}
		}
	}
	return nil
}

func assignmentFaults(text string) []variant {
	switch {
	case strings.HasPrefix(text, "*dst = ") && strings.Contains(text, "TypeMeta"):
		return []variant{
			{kind: "no kind and version", text: "dst.TypeMeta = metav1.TypeMeta{}"},
			{kind: "another version", text: strings.Replace(text, `APIVersion: "`, `APIVersion: "other.`, 1)},
		}
	case strings.HasPrefix(text, "dst."):
		return append([]variant{{kind: "a field is lost"}}, aliased(text)...)
	}
	return nil
}

var (
	cloned = regexp.MustCompile(`^(dst\S*) = (?:slices\.Clone|maps\.Clone|conversion\.CopyPointer)\((src\S*)\)$`)
	copied = regexp.MustCompile(`^(src\S*)\.DeepCopyInto\(&(dst\S*)\)$`)
)

// aliased is a statement that shares memory of the input in place of copying it.
func aliased(text string) []variant {
	if m := cloned.FindStringSubmatch(text); m != nil {
		return []variant{{kind: "the input is aliased", text: m[1] + " = " + m[2]}}
	}
	if m := copied.FindStringSubmatch(text); m != nil {
		return []variant{{kind: "the input is aliased", text: m[2] + " = " + m[1]}}
	}
	return nil
}

func conditionFaults(s *seeder, statement *ast.IfStmt) []variant {
	if statement.Init == nil {
		return []variant{{kind: "a field is lost"}}
	}
	assigned, ok := statement.Init.(*ast.AssignStmt)
	if !ok {
		return nil
	}
	call := s.text(assigned.Rhs[0])
	faults := []variant{{kind: "a field is lost"}}
	if strings.Contains(call, "&returned") {
		faults = nil // the annotation then keeps more than needed, and nothing is lost
	}
	if strings.HasPrefix(call, "c.") { // there are hooks in it, which may fail
		faults = append(faults, variant{kind: "an error is swallowed", text: "_ = " + call})
	}
	return faults
}
