// SPDX-License-Identifier: Apache-2.0

package condition

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// Rule is the id of a rule of webhook-gen, which documents it.
type Rule string

const (
	// Compiles is broken by an expression that an API server refuses.
	Compiles Rule = "E22"
	// NoNamespaceObject is broken by one that reads the variable which webhooks do not have.
	NoNamespaceObject Rule = "W1"
	// Present is broken by a condition that reads a field that a request may lack.
	Present Rule = "W2"
	// NoAuthorizer is broken by a condition that calls the authorizer.
	NoAuthorizer Rule = "W26"
)

// Finding is something wrong with a condition of a webhook, or with an expression of a policy.
type Finding struct {
	Rule Rule
	// Condition is the index of the condition.
	Condition int
	// Field is the path of the expression in the policy; empty for a webhook.
	Field string
	Problem
}

// Problem is something wrong at a place of an expression.
type Problem struct {
	// From and To are the bytes of the expression that are wrong.
	From int `json:"from"`
	To   int `json:"to"`
	// Message describes the problem, without a full stop.
	Message string `json:"message"`
}

// Check returns the problems in the conditions of a mutating or validating webhook with these rules.
func (c *Compiler) Check(conditions []v1.MatchCondition, rules []v1.RuleWithOperations, mutating bool) []Finding {
	var found []Finding
	var trees []*Tree
	at := map[*Tree]int{} // the condition of each
	for i, m := range conditions {
		if strings.TrimSpace(m.Expression) == "" {
			continue // which is reported already
		}
		accessor := matchconditions.MatchCondition(m)
		if result := c.compiler.CompileCELExpression(&accessor, variables(), environment.NewExpressions); result.Error != nil {
			for _, p := range Problems(m.Expression, result.Error) {
				found = append(found, Finding{Rule: Compiles, Condition: i, Problem: p})
			}
			continue
		}
		checked, _ := c.environment.NewExpressionsEnv().Compile(m.Expression) // it has been compiled
		t := NewTree(checked, m.Expression)
		trees = append(trees, t)
		at[t] = i
		found = append(found, t.variables(i)...)
	}
	for _, a := range Absences(trees, nil, Situation{Rules: rules, Mutating: mutating}) {
		found = append(found, Finding{Rule: Present, Condition: at[a.Tree], Problem: a.Problem})
	}
	return found
}

// Problems returns the places of the errors with which an API server refuses an expression.
func Problems(expression string, err *apiservercel.Error) []Problem {
	compilation, ok := errors.AsType[*apiservercel.CompilationError](err)
	if !ok {
		return []Problem{{To: len(expression), Message: "the expression " + err.Detail}}
	}
	return IssueProblems(expression, compilation.Issues, "the expression does not compile: ")
}

// IssueProblems returns the places of a compiler's issues. Each message begins with the prefix.
func IssueProblems(expression string, issues *celgo.Issues, prefix string) []Problem {
	var found []Problem
	source := common.NewTextSource(expression)
	for _, e := range issues.Errors() {
		offset, _ := source.LocationOffset(e.Location) // -1, and so the end, without a place
		from := len(characters(expression, int(offset)))
		if from < len(expression) && expression[from] == '.' {
			from++ // to the field behind it
			if strings.HasPrefix(e.Message, "undefined field") && strings.HasPrefix(expression[from:], "?") {
				from++
			}
		}
		found = append(found, Problem{From: from, To: wordEnd(expression, from), Message: prefix + brief(e.Message)})
	}
	return found
}

// characters is the beginning of a text that has so many characters; the whole text if the number is negative.
func characters(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

// wordEnd returns the end of the word that begins at a byte; without a word, the end of the character.
func wordEnd(text string, from int) int {
	if from >= len(text) {
		return len(text)
	}
	end := len(text) - len(strings.TrimLeftFunc(text[from:], isWord))
	if end == from {
		_, size := utf8.DecodeRuneInString(text[from:])
		return from + size
	}
	return end
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// brief removes the parts of a message that concern the parser's authors.
func brief(message string) string {
	message, _, _ = strings.Cut(message, "\n")
	message, _, _ = strings.Cut(message, " expecting {")
	return strings.TrimSuffix(message, " (in container '')")
}

// Tree is a checked expression.
type Tree struct {
	*ast.AST
	text string
}

// NewTree returns the tree of an expression with this text.
func NewTree(checked *celgo.Ast, text string) *Tree {
	return &Tree{AST: checked.NativeRep(), text: text}
}

// At is where an expression begins in the text, in bytes. Of a field, that is its dot, and of an index its bracket.
func (t *Tree) At(e ast.Expr) int {
	r, _ := t.SourceInfo().GetOffsetRange(e.ID()) // 0 where no place is known
	return len(characters(t.text, int(r.Start)))
}

// Field returns the bytes of the name of a field in an object that the expression makes.
func (t *Tree) Field(f ast.EntryExpr) (from, to int) {
	name := f.AsStructField().Name()
	if colon, ok := t.SourceInfo().GetOffsetRange(f.ID()); ok {
		from = max(0, strings.LastIndex(t.text[:len(characters(t.text, int(colon.Start)))], name))
	}
	return from, from + len(name)
}

// Text is the text of the expression.
func (t *Tree) Text() string { return t.text }

// variables reports the variables that are better left alone, each at its first position.
func (t *Tree) variables(condition int) []Finding {
	var found []Finding
	report := func(e ast.Expr, rule Rule, message string) {
		if !slices.ContainsFunc(found, func(f Finding) bool { return f.Rule == rule }) {
			from := t.At(e)
			if from < len(t.text) && t.text[from] == '.' { // of a variable with a dot in its name
				from = strings.LastIndex(t.text[:from], cel.AuthorizerVarName)
			}
			found = append(found, Finding{Rule: rule, Condition: condition, Problem: Problem{from, wordEnd(t.text, from), message}})
		}
	}
	ast.PreOrderVisit(t.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.IdentKind {
			switch name, _, _ := strings.Cut(e.AsIdent(), "."); name {
			case cel.NamespaceVarName:
				report(e, NoNamespaceObject, fmt.Sprintf("%s is always null for webhooks", cel.NamespaceVarName))
			case cel.AuthorizerVarName:
				report(e, NoAuthorizer, "the authorizer is asked within every request that comes here")
			}
		}
	}))
	return found
}
