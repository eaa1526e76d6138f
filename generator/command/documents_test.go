// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestCommandsPage compares docs/reference/commands.md with the commands' own help.
func TestCommandsPage(t *testing.T) {
	const path = "../../docs/reference/commands.md"
	want := commandsPage()
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/reference/commands.md is stale: go test ./generator/command -update")
	}
}

func commandsPage() []byte {
	var b bytes.Buffer
	b.WriteString("# Commands\n\n<!-- Made from the commands' help by `go test ./generator/command -update`. -->\n\n" +
		"Exit codes: 0 all is well, 1 mistakes or drift were found, 2 the command was called wrongly or could not do its\nwork. " +
		"Findings go to standard error, in the form that `--format` sets; file names, diffs and manifests to\nstandard output.\n")
	root := rootCommand(streams{out: io.Discard, err: io.Discard})
	for _, c := range append([]*cobra.Command{root}, leaves(root)...) {
		use := c.Use
		if c != root {
			use = c.Parent().CommandPath() + " " + use
		}
		about := c.Long
		if about == "" {
			about = c.Short + "."
		}
		fmt.Fprintf(&b, "\n## `%s`\n\n%s\n", use, about)
		if c.Example != "" {
			fence := "sh"
			if c.Name() == "dev" {
				fence = "sh cluster"
			}
			fmt.Fprintf(&b, "\n```%s\n%s\n```\n", fence, strings.ReplaceAll(strings.TrimSpace(c.Example), "\n  ", "\n"))
		}
		if flags := c.NonInheritedFlags().FlagUsages(); flags != "" {
			fmt.Fprintf(&b, "\n```\n%s```\n", flags)
		}
	}
	b.WriteString("\n## `webhook-gen completion [bash|zsh|fish|powershell]`\n\nPrints the completion script for a shell, words of flags and names of markers included.\n")
	return b.Bytes()
}

// leaves are the commands that do something: those below a command in its place.
func leaves(c *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, below := range c.Commands() {
		switch {
		case below.Hidden || below.Name() == "help" || below.Name() == "completion":
		case below.HasSubCommands():
			all = append(all, leaves(below)...)
		default:
			all = append(all, below)
		}
	}
	return all
}
