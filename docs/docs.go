// SPDX-License-Identifier: Apache-2.0

// Package docs reads the pages of the manual from which the program prints.
package docs

import (
	_ "embed"
	"regexp"
	"strings"
)

//go:embed reference/rules.md
var rules string

var (
	heading = regexp.MustCompile(`^####? ([A-Z]+[0-9]+[a-z]?): `)
	// The tables in the code have these parts of a section: the severity and the fix of a rule, and who finds it.
	severity = regexp.MustCompile(`^(An error\.|A warning\.|Advice\.|\*[a-z, ]+\.\*) ?`)
	ofTable  = regexp.MustCompile(`^\*(Fix:|Found by)\*`)
)

// Rules returns the text of reference/rules.md on each rule, by its id. A paragraph is one line.
func Rules() map[string]string {
	texts := map[string]string{}
	id := ""
	for paragraph := range strings.SplitSeq(rules, "\n\n") {
		paragraph = strings.ReplaceAll(strings.TrimSpace(paragraph), "\n", " ")
		switch m := heading.FindStringSubmatch(paragraph); {
		case m != nil:
			id = m[1]
		case strings.HasPrefix(paragraph, "#") || strings.HasPrefix(paragraph, "<!--"):
			id = ""
		case id != "" && !ofTable.MatchString(paragraph):
			texts[id] = strings.TrimPrefix(texts[id]+"\n\n"+severity.ReplaceAllString(paragraph, ""), "\n\n")
		}
	}
	return texts
}
