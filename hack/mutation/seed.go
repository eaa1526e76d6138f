// SPDX-License-Identifier: Apache-2.0

package mutation

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// Variable is the environment variable that names the active fault; without it no fault is active.
const Variable = "SEEDED_FAULT"

// Fault is a fault that has been seeded.
type Fault struct {
	// ID is unique in the package.
	ID string
	// Kind describes the fault.
	Kind string
	// Place is the statement that it is in, and text all of it.
	Place, text string
}

// likely returns the subtests that are likely to find a fault: for a registration the subtests of its webhook, for a
// fault in a validator or defaulter those on random objects; nil for other statements.
func (f Fault) likely() []string {
	if strings.HasPrefix(f.ID, "implementation") {
		return []string{".", "^random$"}
	}
	name := regexp.MustCompile(`(?:Mutating|Validating)\(\s*"([^"]+)"`).FindStringSubmatch(f.text)
	if name == nil {
		return nil
	}
	return []string{"^(paths|" + regexp.QuoteMeta(name[1]) + ")$"}
}

// variant is a faulty form of a statement, which is empty where the statement is missing.
type variant struct {
	kind, text string
	before     bool // the text is put before the statement and not in its place
}

// seeder seeds faults into a file.
type seeder struct {
	source []byte
	file   *token.File
	prefix string // of the ids
	faults []Fault
	// variants returns the faulty forms of a statement, and texts to put before it.
	variants func(s *seeder, in *ast.FuncDecl, statement ast.Stmt) []variant
}

// seed returns the file with faults beside its statements, and the faults.
func seed(source []byte, prefix string, variants func(*seeder, *ast.FuncDecl, ast.Stmt) []variant) ([]byte, []Fault, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	s := &seeder{source: source, file: set.File(tree.Pos()), prefix: prefix, variants: variants}
	var out strings.Builder
	at := 0
	for _, d := range tree.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		out.Write(s.source[at:s.offset(f.Body.Lbrace)])
		out.WriteString(s.seeded(f, f.Body))
		at = s.offset(f.Body.End())
	}
	out.Write(s.source[at:])
	return []byte(out.String()), s.faults, nil
}

func (s *seeder) offset(p token.Pos) int { return s.file.Offset(p) }

// text is the source of a node.
func (s *seeder) text(n ast.Node) string {
	return string(s.source[s.offset(n.Pos()):s.offset(n.End())])
}

// seeded is the source of a node with faults beside the statements in it.
func (s *seeder) seeded(in *ast.FuncDecl, n ast.Node) string {
	var out strings.Builder
	at := s.offset(n.Pos())
	for _, statement := range statementsIn(n) {
		out.Write(s.source[at:s.offset(statement.Pos())])
		variants := s.variants(s, in, statement)
		inner := s.seeded(in, statement)
		if len(variants) > 0 {
			out.WriteString("switch seededFault {\n")
			for _, v := range variants {
				fault := Fault{ID: fmt.Sprintf("%s%d", s.prefix, len(s.faults)+1), Kind: v.kind, Place: in.Name.Name + ": " + firstLine(s.text(statement)), text: s.text(statement)}
				s.faults = append(s.faults, fault)
				fmt.Fprintf(&out, "case %q:\n%s\n", fault.ID, v.text)
			}
			if variants[0].before {
				out.WriteString("}\n")
			} else {
				inner = "default:\n" + inner + "\n}"
			}
		}
		out.WriteString(inner)
		at = s.offset(statement.End())
	}
	out.Write(s.source[at:s.offset(n.End())])
	return out.String()
}

// statementsIn are the statements of the nearest blocks and cases below a node, in their order.
func statementsIn(n ast.Node) []ast.Stmt {
	var found []ast.Stmt
	ast.Inspect(n, func(m ast.Node) bool {
		block, ok := m.(*ast.BlockStmt)
		if !ok {
			return true
		}
		for _, statement := range block.List {
			switch s := statement.(type) {
			case *ast.CaseClause:
				found = append(found, s.Body...)
			case *ast.CommClause:
				found = append(found, s.Body...)
			default:
				found = append(found, s)
			}
		}
		return false
	})
	slices.SortFunc(found, func(a, b ast.Stmt) int { return int(a.Pos() - b.Pos()) })
	return found
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
