// SPDX-License-Identifier: Apache-2.0

package project

import (
	"regexp"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// withoutControllerGen warns of commands in which controller-gen writes the manifest, because it drops the imported
// webhooks. The hint is a replacement for the command.
func (im *importer) withoutControllerGen() (found diag.List) {
	var names []string
	for _, w := range im.webhooks {
		if w.left == "" {
			names = append(names, w.Spec.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	for _, file := range load.Names(im.Root, "Makefile", "GNUmakefile", "makefile", "*.mk", "hack/*.mk", "hack/*.sh", "scripts/*.sh", "Taskfile.y*ml") {
		lines := strings.Split(string(load.ReadText(file).Content), "\n")
		for i := 0; i < len(lines); i++ {
			begin := i
			command := lines[i]
			for strings.HasSuffix(command, "\\") && i+1 < len(lines) {
				i++
				command = strings.TrimSuffix(command, "\\") + strings.TrimLeft(lines[i], " \t")
			}
			if without, ok := withoutWebhooks(command); ok {
				at := diag.Range{Pos: diag.Position{File: file, Line: begin + 1, Column: 1}}
				found.Add(diag.Warningf(at, "", "controller-gen does not know +webhook markers: this command drops %s from the manifest", strings.Join(names, ", ")).
					WithHint("write in its place\n%s", without))
			}
		}
	}
	return found
}

// withoutWebhooks returns a controller-gen command without its webhook generator, and a line with webhook-gen.
func withoutWebhooks(command string) (lines string, ok bool) {
	if !controllerGenCommand.MatchString(command) {
		return "", false
	}
	indent := command[:len(command)-len(strings.TrimLeft(command, " \t@-"))]
	words := strings.Fields(command)
	without := slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		return w == "webhook" || strings.HasPrefix(w, "webhook:") || strings.HasPrefix(w, "output:webhook:")
	})
	if len(without) == len(words) {
		return "", false
	}
	blank := indent[:len(indent)-len(strings.TrimLeft(indent, " \t"))]
	lines = blank + "webhook-gen"
	if slices.ContainsFunc(without, isGenerator) {
		lines = blank + strings.Join(without, " ") + "\n" + lines
	}
	return lines, true
}

// controllerGenCommand matches controller-gen by its name or a variable's.
var controllerGenCommand = regexp.MustCompile(`(?i)controller[-_]gen\b`)

// isGenerator reports whether a word is another generator of controller-gen.
func isGenerator(word string) bool {
	name, _, _ := strings.Cut(word, ":")
	return slices.Contains([]string{"crd", "rbac", "object", "schemapatch", "applyconfiguration"}, name)
}
