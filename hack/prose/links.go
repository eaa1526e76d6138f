// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	span    = regexp.MustCompile("`[^`]*`")
	scheme  = regexp.MustCompile(`^[a-z]+:`)
	heading = regexp.MustCompile(`^#{1,6} +(.*)$`)
	unsaid  = regexp.MustCompile(`[^\p{L}\p{N}_ -]`) // what an anchor leaves out of its heading
)

// brokenLinks returns the links of a page that lead to no file or to no heading of this repository.
func brokenLinks(file, text string) []problem {
	var found []problem
	fenced := false
	number := 0
	for line := range strings.Lines(text) {
		number++
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if fenced {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(span.ReplaceAllString(line, ""), -1) {
			if scheme.MatchString(m[1]) {
				continue
			}
			path, anchor, _ := strings.Cut(m[1], "#")
			target := file
			if path != "" {
				target = filepath.Join(filepath.Dir(file), path)
			}
			if !leads(target, anchor) {
				found = append(found, problem{number, fmt.Sprintf("the link %s leads nowhere", m[1])})
			}
		}
	}
	return found
}

// leads reports whether there is a file or folder, and a heading with the anchor in it.
func leads(target, anchor string) bool {
	if anchor == "" {
		_, err := os.Stat(target)
		return err == nil
	}
	text, err := os.ReadFile(target)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		if m := heading.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			plain := unsaid.ReplaceAllString(strings.ToLower(m[1]), "")
			if strings.ReplaceAll(plain, " ", "-") == anchor {
				return true
			}
		}
	}
	return false
}
