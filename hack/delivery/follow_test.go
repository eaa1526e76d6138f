// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// walk is what following a page took: commands and files of its reader, and the time.
type walk struct {
	commands, files int
	took            time.Duration
	printed         string
}

// path is the environment with the tools in PATH.
func (p project) path() []string {
	return append(slices.Clone(p.env), "PATH="+filepath.Dir(p.kustomize)+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// follow runs a section of a page of the manual, from its heading on, in order. The opening fence of a block says how
// to follow it:
//
//	sh            commands that succeed
//	sh exit N     one command that exits with N
//	sh dev        one command that runs until the section ends
//	sh cluster    nothing
//	sh tree       nothing: the commands are for a clone of this repository
//	text          the output of the command before has each line
//	LANGUAGE FILE write the file
//
// TestEveryCommand in generator/command reads the calls of it.
func (p project) follow(page, heading string) *walk {
	p.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		p.Fatal(err)
	}
	_, section, ok := strings.Cut("\n"+string(text), "\n"+heading+"\n")
	if !ok {
		p.Fatalf("%s has no section %q", page, heading)
	}
	// A comment in a block begins like a heading, but has no empty line above.
	next := regexp.MustCompile(fmt.Sprintf("\n\n#{1,%d} ", strings.Index(heading, " ")))
	if end := next.FindStringIndex(section); end != nil {
		section = section[:end[0]]
	}
	w, began := &walk{}, time.Now()
	var last func() string // what the last command has printed so far
	blocks := strings.Split(section, "```")
	for i := 1; i < len(blocks); i += 2 {
		info, content, _ := strings.Cut(blocks[i], "\n")
		language, file, _ := strings.Cut(info, " ")
		if language == "sh" && file != "cluster" && file != "tree" {
			w.commands += strings.Count(content, "\n")
		}
		switch {
		case info == "sh cluster", info == "sh tree":
		case info == "sh dev":
			last = p.background(strings.Fields(content))
		case language == "sh":
			last = p.exits(file, content)
			w.printed += last()
		case info == "text" && last != nil:
			p.prints(last, content)
		case file != "":
			w.files++
			p.write(file, content)
		}
	}
	w.took = time.Since(began)
	return w
}

// exits runs commands of a block of sh. Its fence has "exit N" if a command exits otherwise than with 0.
func (p project) exits(fence, commands string) (printed func() string) {
	p.Helper()
	c := exec.Command("bash", "-eo", "pipefail", "-c", commands)
	c.Dir, c.Env = p.dir, p.path()
	out, err := c.CombinedOutput()
	code := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		p.Fatal(err)
	}
	want := 0
	if fence != "" {
		if _, err := fmt.Sscanf(fence, "exit %d", &want); err != nil {
			p.Fatalf("sh %s: say dev, cluster or exit N", fence)
		}
	}
	if code != want {
		p.Fatalf("exit code %d, and the page states %d: %s\n%s", code, want, commands, out)
	}
	return func() string { return string(out) }
}

// background runs a command until the test ends, and ends it as Ctrl-C does.
func (p project) background(command []string) (printed func() string) {
	p.Helper()
	var log lockedBuffer
	c := exec.Command(filepath.Join(p.dir, command[0]), command[1:]...)
	c.Dir, c.Env, c.Stdout, c.Stderr = p.dir, p.path(), &log, &log
	if err := c.Start(); err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() {
		if err := c.Process.Signal(os.Interrupt); err != nil {
			p.Error(err)
		}
		if err := c.Wait(); err != nil {
			p.Errorf("%s: %v\n%s", strings.Join(command, " "), err, log.String())
		}
	})
	return log.String
}

// prints waits until each line has been printed. After that a reader needs a moment for the next step.
func (p project) prints(printed func() string, lines string) {
	p.Helper()
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		for deadline := time.Now().Add(time.Minute); !strings.Contains(printed(), line); time.Sleep(100 * time.Millisecond) {
			if time.Now().After(deadline) {
				p.Fatalf("the page states that this is printed: %s\nThis is printed:\n%s", line, printed())
			}
		}
	}
	time.Sleep(2 * time.Second)
}

// firstHour follows the tutorial as a reader does, and compares it with the figures in its first lines.
func (p project) firstHour(c cluster) {
	p.Helper()
	const page = "../../docs/start/tutorial.md"
	text, err := os.ReadFile(page)
	if err != nil {
		p.Fatal(err)
	}
	p.env = append(slices.Clone(p.env), c.env[len(c.env)-1])
	// The reader has installed webhook-gen: here the release, which go.mod then requires.
	bin := p.TempDir()
	output(p.T, bin, append(slices.Clone(p.env), "GOBIN="+bin), "go", "install", modulePath+"/cmd/webhook-gen@latest")
	if err := os.Symlink(p.kustomize, filepath.Join(bin, "kustomize")); err != nil {
		p.Fatal(err)
	}
	p.kustomize = filepath.Join(bin, "kustomize")
	var w *walk
	p.Run("the tutorial", func(t *testing.T) {
		w = p.in(t).follow("../../docs/start/tutorial.md", "# From an empty folder to an enforced rule")
	})
	if p.Failed() {
		p.FailNow()
	}
	p.Logf("the tutorial: %d commands, %d files, %v", w.commands, w.files, w.took.Round(time.Second))
	if figures := fmt.Sprintf("the page has %d commands to run and %d files to write.", w.commands, w.files); !strings.Contains(string(text), figures) {
		p.Errorf("%s lacks its figures: %s", page, figures)
	}
	if w.took > 10*time.Minute {
		p.Errorf("the tutorial takes %v, without the first build of an API server", w.took)
	}
}
