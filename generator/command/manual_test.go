// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestEveryCommand checks the commands in README.md, CONTRIBUTING.md and the pages of docs: a test runs each block of
// commands, or the block is marked as one that no test runs. The opening fence of a block names its test:
//
//	console      TestPages, which also compares the output
//	sh           hack/delivery runs the section in a new project; or a script in testdata has the line
//	sh tree      TestEveryCommand, in this tree; of make it only looks for the target
//	sh exit N    as sh, with another exit code
//	sh dev       as sh, until its section ends
//	sh cluster   no test: it needs a container engine, or nodes
//
// No test runs commands within sentences, but the commands of webhook-gen and the targets of make have to exist.
func TestEveryCommand(t *testing.T) {
	if *update {
		t.Skip("other tests rewrite what this one reads")
	}
	followed, scripted := followedSections(t), scriptedCommands(t)
	for _, page := range manual(t) {
		said := map[string]bool{} // by section
		for _, c := range page.commands {
			switch c.fence {
			case "console": // TestPages takes every page that has one
			case "sh", "sh dev", "sh exit 1":
				section := c.sections[len(c.sections)-1]
				runs := scripted[c.line] || slices.ContainsFunc(c.sections, func(heading string) bool { return followed[page.name+" "+heading] })
				if !runs && !said[section] {
					said[section] = true
					t.Errorf("%s: no test runs %q. Any of these does:\n"+
						"- a block of console in place of sh, where a line that begins with \"$ \" is a command: go test ./generator/command -update writes what it prints\n"+
						"- follow(%q, %q) in a test of hack/delivery, which runs the section in a new project\n"+
						"- the same line in a script of generator/command/testdata\n"+
						"or say \"sh cluster\" behind the fence, if it needs a container engine or nodes", c.place, c.line, "../../"+page.name, section)
				}
			case "sh tree":
				runInTree(t, c)
			case "sh cluster":
			default:
				t.Errorf("%s: %q stands in a block of %q. Say console, sh, sh tree or sh cluster behind the fence: TestEveryCommand has what they mean", c.place, c.line, c.fence)
			}
		}
		for _, c := range page.mentioned {
			checkMentioned(t, c)
		}
	}
}

// page is a page of the manual.
type page struct {
	name                string // from the root: docs/guides/ci.md
	commands, mentioned []command
}

// command is one that a page has, in a block or within a sentence.
type command struct {
	place    string // file and line
	fence    string // the rest of the block's opening fence
	sections []string
	line     string
}

var (
	heading   = regexp.MustCompile(`^(#+) `)
	span      = regexp.MustCompile("`([^`]+)`")
	isCommand = regexp.MustCompile(`^(\$ )?(go|make|webhook-gen|kubectl|helm|kustomize|docker|git|curl) [a-z.-]`)
)

// manual reads all pages.
func manual(t *testing.T) []page {
	files, err := filepath.Glob("../../docs/*/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	var pages []page
	for _, file := range append(files, "../../README.md", "../../CONTRIBUTING.md", "../../docs/README.md", "../../integration/README.md", "../../hack/peers/figures.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, readPage(strings.TrimPrefix(filepath.ToSlash(file), "../../"), string(text)))
	}
	return pages
}

func readPage(name, text string) page {
	p := page{name: name}
	var sections []string // the headings that a line is below, the outermost first
	fence, inBlock := "", false
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSuffix(line, "\n")
		c := command{place: fmt.Sprintf("%s:%d", name, number), fence: fence, sections: slices.Clone(sections)}
		info, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence:
			fence, inBlock = info, !inBlock
		case inBlock:
			c.line, _, _ = strings.Cut(line, " # ")
			shell := fence == "sh" || strings.HasPrefix(fence, "sh ")
			if c.line != "" && (shell || isCommand.MatchString(c.line) && !strings.Contains(fence, " ")) {
				p.commands = append(p.commands, c)
			}
		case strings.HasPrefix(line, "    "):
			if c.line = strings.TrimSpace(line); isCommand.MatchString(c.line) {
				c.fence = "no language"
				p.commands = append(p.commands, c)
			}
		default:
			if m := heading.FindStringSubmatch(line); m != nil {
				sections = append(slices.DeleteFunc(sections, func(above string) bool { return strings.Index(above, " ") >= len(m[1]) }), line)
			}
			for _, m := range span.FindAllStringSubmatch(line, -1) {
				c.line = m[1]
				p.mentioned = append(p.mentioned, c)
			}
		}
	}
	return p
}

// followedSections are the sections that tests of hack/delivery follow, as the page's name and the heading.
func followedSections(t *testing.T) map[string]bool {
	files, err := filepath.Glob("../../hack/delivery/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	followed := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\bfollow\("\.\./\.\./([^"]+)", "(#+ [^"]+)"\)`).FindAllStringSubmatch(string(text), -1) {
			followed[m[1]+" "+m[2]] = true
		}
	}
	if len(followed) == 0 {
		t.Error("hack/delivery follows no section")
	}
	return followed
}

// scriptedCommands are the commands that scripts run, and that succeed.
func scriptedCommands(t *testing.T) map[string]bool {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	commands := map[string]bool{}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "transcript" })
		if i < 0 {
			continue
		}
		for _, printed := range strings.Split("\n"+string(archive.Files[i].Data), "\n$ ") {
			line, rest, _ := strings.Cut(printed, "\n")
			if !strings.Contains("\n"+rest, "\nexit code ") {
				commands[line] = true
			}
		}
	}
	return commands
}

// runInTree runs a command at the root of the tree, unless it is a target of make, which takes long.
func runInTree(t *testing.T, c command) {
	words := strings.Fields(c.line)
	if words[0] == "make" {
		checkMentioned(t, c)
		return
	}
	if testing.Short() {
		return // go run compiles and links
	}
	run := exec.Command(words[0], words[1:]...)
	run.Dir = "../.."
	run.Env = append(os.Environ(), "GOBIN="+t.TempDir())
	if out, err := run.CombinedOutput(); err != nil {
		t.Errorf("%s: %s: %v\n%s", c.place, c.line, err, out)
	}
}

// checkMentioned checks that a command of webhook-gen has its flags, and that a target of make exists.
func checkMentioned(t *testing.T, c command) {
	words := strings.Fields(strings.TrimPrefix(c.line, "go tool "))
	switch {
	case len(words) < 2:
	case words[0] == "webhook-gen":
		found, rest, err := rootCommand(streams{out: io.Discard, err: io.Discard}).Find(words[1:])
		if err == nil {
			err = found.ParseFlags(rest)
		}
		if err != nil {
			t.Errorf("%s: `%s`: %v", c.place, c.line, err)
		}
	case words[0] == "make":
		words = slices.DeleteFunc(words, func(word string) bool { return strings.Contains(word, "=") }) // variables
		var makefiles []byte
		// Our Makefile, and the Makefile of new projects.
		for _, file := range []string{"../../Makefile", "../../templates/project/module/Makefile.tmpl"} {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			makefiles = append(makefiles, text...)
		}
		target := words[len(words)-1]
		if !slices.ContainsFunc(regexp.MustCompile(`(?m)^([\w-]+)(%?):`).FindAllStringSubmatch(string(makefiles), -1), func(m []string) bool {
			return target == m[1] || m[2] != "" && strings.HasPrefix(target, m[1])
		}) {
			t.Errorf("%s: `%s`: no Makefile has such a target", c.place, c.line)
		}
	}
}
