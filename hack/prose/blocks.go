// SPDX-License-Identifier: Apache-2.0

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// block is a paragraph or an item of a list, of whole lines.
type block struct {
	line   int    // of its first line in the file
	indent string // before the text of each line: white space and the slashes of a comment
	lines  []string
}

// sentence is a sentence and the line on which it begins.
type sentence struct {
	line int
	text string
}

var (
	directive = regexp.MustCompile(`^(\+|[a-z]+:[a-z]|nolint|line |export |SPDX-|Code generated )`)
	emitted   = regexp.MustCompile(`^\s*(?://|#) (\S.*)`)
	output    = regexp.MustCompile(`^(?i:(unordered )?output:)`)
	item      = regexp.MustCompile(`^\s*([-*]|\d+[.)]) `)
	word      = regexp.MustCompile("(?:`[^`]*`|[^ `])+") // with code in one piece
	inline    = regexp.MustCompile("`[^`]*`|\\[[^\\]]*\\]\\([^)]*\\)|\"[^\"]*\"")
	// A sentence ends with a mark before a space, unless an abbreviation has the mark.
	ending      = regexp.MustCompile(`[.!?:;]["')\]]*(\s|$)`)
	abbreviated = regexp.MustCompile(`\b(e\.g|i\.e|etc|vs|cf|resp)\.$`)
)

func parse(file string, text []byte) (*ast.File, *token.FileSet, error) {
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, file, text, parser.ParseComments|parser.SkipObjectResolution)
	return tree, files, err
}

// commentBlocks returns the paragraphs of the comments of a Go file. Directives, markers and indented code are left
// out.
func commentBlocks(tree *ast.File, files *token.FileSet) []block {
	var all []block
	for _, group := range tree.Comments {
		var current block
		end := func() {
			if len(current.lines) > 0 {
				all = append(all, current)
			}
			current = block{}
		}
		for _, comment := range group.List {
			line, isLine := strings.CutPrefix(comment.Text, "//")
			bare := strings.TrimPrefix(line, " ")
			if output.MatchString(bare) {
				break // an example's output is no prose
			}
			if !isLine || directive.MatchString(bare) || strings.TrimSpace(line) == "" || strings.HasPrefix(line, "\t") ||
				strings.HasPrefix(line, "  ") && !item.MatchString(line) && len(current.lines) == 0 || strings.HasPrefix(bare, "# ") {
				end()
				continue
			}
			if item.MatchString(line) {
				end()
			}
			position := files.Position(comment.Pos())
			if len(current.lines) == 0 {
				current.line, current.indent = position.Line, strings.Repeat(" ", position.Column-1)+"//"
			}
			current.lines = append(current.lines, line)
		}
		end()
	}
	return all
}

// literalBlocks returns the string literals of a Go file, one block each: messages, help and emitted comments are among
// them. Regular expressions are left out, and so are the strings of tests, which are their input.
func literalBlocks(tree *ast.File, files *token.FileSet) []block {
	if strings.HasSuffix(files.File(tree.Pos()).Name(), "_test.go") {
		return nil
	}
	var all []block
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			called, ok := n.Fun.(*ast.SelectorExpr)
			return !ok || !strings.HasSuffix(called.Sel.Name, "Compile")
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
				all = append(all, block{line: files.Position(n.Pos()).Line, lines: strings.Split(text, "\n")})
			}
		}
		return true
	})
	return all
}

// templateBlocks returns the paragraphs of the comments in a template.
func templateBlocks(text string) []block {
	var all []block
	var current block
	number := 0
	for line := range strings.Lines(text) {
		number++
		if m := emitted.FindStringSubmatch(line); m != nil && !directive.MatchString(m[1]) {
			if len(current.lines) == 0 {
				current.line = number
			}
			current.lines = append(current.lines, m[1])
			continue
		}
		if len(current.lines) > 0 {
			all = append(all, current)
		}
		current = block{}
	}
	return all
}

// pageBlocks returns the paragraphs of a Markdown page without its headings, tables, code and comments.
func pageBlocks(text string) []block {
	var all []block
	var current block
	end := func() {
		if len(current.lines) > 0 {
			all = append(all, current)
		}
		current = block{}
	}
	fenced, number := false, 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		bare := strings.TrimSpace(line)
		fence := strings.HasPrefix(bare, "```")
		switch {
		case fence:
			fenced = !fenced
			end()
		case fenced || bare == "" || strings.HasPrefix(bare, "#") || strings.HasPrefix(bare, "|") || strings.HasPrefix(bare, "<") ||
			strings.HasPrefix(line, "    ") && len(current.lines) == 0:
			end()
		default:
			if item.MatchString(line) {
				end()
			}
			if len(current.lines) == 0 {
				current.line = number
			}
			current.lines = append(current.lines, line)
		}
	}
	end()
	return all
}

// sentences splits a block. Code, links and quotations become the word "code", because their words are not ours.
func (b block) sentences() []sentence {
	var found []sentence
	text, starts := "", []int(nil) // where each line starts in the text
	for _, line := range b.lines {
		starts = append(starts, len(text))
		text += strings.TrimSpace(item.ReplaceAllString(line, "")) + " "
	}
	lineOf := func(at int) int {
		i, exact := slices.BinarySearch(starts, at)
		if !exact {
			i--
		}
		return b.line + max(i, 0)
	}
	for begin := 0; begin < len(text); {
		end := len(text)
		for at := begin; at < len(text); {
			m := ending.FindStringIndex(text[at:])
			if m == nil {
				break
			}
			at += m[1]
			if !abbreviated.MatchString(strings.TrimSpace(text[begin:at])) {
				end = at
				break
			}
		}
		if s := strings.TrimSpace(inline.ReplaceAllString(text[begin:end], "code")); s != "" {
			found = append(found, sentence{lineOf(begin), s})
		}
		begin = end
	}
	return found
}
