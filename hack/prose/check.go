// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	columns = 120 // of a line
	words   = 20  // of a sentence, in the mean of a file
	phrase  = 3   // words that are no heading and no word in a list
)

// problem is a sentence or line that breaks a rule.
type problem struct {
	line int
	text string
}

// check returns the problems of a file, in the order of their lines.
func check(file string, text []byte) ([]problem, error) {
	var blocks, texts []block
	var found []problem
	switch {
	case strings.HasSuffix(file, ".md"):
		blocks, found = pageBlocks(string(text)), brokenLinks(file, string(text))
	case strings.HasSuffix(file, ".md.tmpl"):
		blocks = pageBlocks(string(text))
	case strings.HasSuffix(file, ".tmpl"):
		blocks = templateBlocks(string(text))
	default:
		tree, files, err := parse(file, text)
		if err != nil || ast.IsGenerated(tree) {
			return nil, err
		}
		blocks, texts = commentBlocks(tree, files), literalBlocks(tree, files)
	}
	count, total := 0, 0
	for _, b := range blocks {
		for i, line := range b.lines {
			if length := utf8.RuneCountInString(b.indent + line); length > columns && !strings.Contains(line, "://") && len(word.FindAllString(line, 4)) > 3 {
				found = append(found, problem{b.line + i, fmt.Sprintf("%d columns, at most %d", length, columns)})
			}
		}
		for _, s := range b.sentences() {
			if n := len(strings.Fields(s.text)); n >= phrase {
				count, total = count+1, total+n
			}
		}
	}
	for _, b := range slices.Concat(blocks, texts) {
		for _, s := range b.sentences() {
			if len(strings.Fields(s.text)) < phrase || strings.HasSuffix(s.text, "?") {
				continue
			}
			for _, r := range rules() {
				if m := r.pattern.FindString(s.text); m != "" {
					found = append(found, problem{s.line, fmt.Sprintf("%q: %s", strings.TrimSpace(m), r.advice)})
				}
			}
		}
	}
	if mean := float64(total) / float64(max(count, 1)); mean > words {
		found = append(found, problem{1, fmt.Sprintf("%.1f words a sentence in the mean, at most %d", mean, words)})
	}
	slices.SortStableFunc(found, func(a, b problem) int { return cmp.Compare(a.line, b.line) })
	return found, nil
}

// rule is a pattern that no sentence has, in which code is replaced by the word "code".
type rule struct {
	pattern *regexp.Regexp
	advice  string
}

// things are subjects that have no mind. A marker sets, a file contains, a field has.
const things = `annotation|API|argument|array|body|branch|cache|call|certificate|chart|code|column|command|comment|condition|` +
	`configuration|context|conversion|copy|default|digest|document|element|entry|enum|error|example|expression|field|file|finding|` +
	`flag|folder|function|golden|handler|hint|hub|import|index|interface|key|kind|label|layout|line|list|log|manifest|map|` +
	`marker|member|message|method|module|name|note|number|object|operation|option|package|page|parameter|patch|path|pattern|` +
	`place|plan|pointer|program|project|recipe|registry|replacement|request|resource|response|review|rule|scenario|schema|scope|` +
	`script|section|selector|sentence|service|slice|source|spoke|stack|status|step|string|struct|stub|suite|table|tag|template|` +
	`test|text|token|tree|type|URL|value|variable|version|webhook|word`

// rules are the patterns of rules 1 to 3 of the section Words in CONTRIBUTING.md.
func rules() []rule {
	return []rule{
		{regexp.MustCompile(`(?i)\b(` + things + `)(s|es)?( (has|have|had|been|never|only|also|already|still|alone|always|again))* ` +
			`(asks?|asked|begs?|believes?|cares?|feels?|hears?|heard|hopes?|knows?|knew|likes?|minds?|remembers?|said|says?|stands?|stood|tells?|thinks?|told|wants?|wishes)\b`),
			"things do not speak, stand or know: a marker sets, a file contains, a field has"},
		{regexp.MustCompile(`^(What|Whatever|Who|Whoever|Whom|Whose|Which|That which|All that|Those (that|who|of|in|whose)|That of)\b`),
			"begin with a noun: the thing that acts"},
		{regexp.MustCompile(`(?i)\b(that of|those of|of those|those that|those which|that which|of which|all that (is|are|was|were|has|have|it|they|the|a)|(of|to|for|by|with|from) whom)\b`),
			"name the thing instead of pointing at it"},
		{regexp.MustCompile(`(?i)\bwhat (is|are|was|were|be|been|has|have|had|comes|goes|belongs|stands|takes|makes|gets|can|may|must|does|did|will|would)\b`),
			"use a noun in place of the clause"},
		{regexp.MustCompile(`\b(is|are|was|were) none\b`), "name the absent thing"},
	}
}
