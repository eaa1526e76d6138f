// SPDX-License-Identifier: Apache-2.0

package project

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// withoutControllerGen warns of commands by which controller-gen writes the manifest: it does not know the imported
// webhooks, and drops them.
func (im *importer) withoutControllerGen() diag.List {
	var imported []*model.Webhook
	for _, w := range im.webhooks {
		if w.left == "" {
			imported = append(imported, w.Webhook.Webhook)
		}
	}
	return dropping(im.Run, imported)
}

// Dropping reports commands by which controller-gen drops webhooks of +webhook markers from the manifest. This happens
// as long as it writes the manifest for +kubebuilder markers. The webhooks are all that generate has found.
func Dropping(c engine.Config, all []*model.Webhook) diag.List {
	run := c.Resolve()
	if !run.Kubebuilder {
		return nil
	}
	ours := slices.DeleteFunc(slices.Clone(all), func(w *model.Webhook) bool { return w.Kubebuilder })
	if len(ours) == len(all) {
		return nil // controller-gen writes no manifest
	}
	found := dropping(run, ours)
	if run.Strict {
		found = found.Promote()
	}
	return found
}

// dropping returns a warning for each command by which controller-gen writes the manifest. The remedy is the lines for
// the place of the command. Where webhook-gen runs after it, the manifest is complete again.
func dropping(run engine.Run, ours []*model.Webhook) (found diag.List) {
	if len(ours) == 0 {
		return nil
	}
	for _, file := range load.Names(run.Root, "Makefile", "GNUmakefile", "makefile", "*.mk", "hack/*.mk", "hack/*.sh", "scripts/*.sh", "Taskfile.y*ml") {
		lines := strings.Split(string(load.ReadText(file).Content), "\n")
		for i := 0; i < len(lines); i++ {
			begin := i
			command := lines[i]
			for strings.HasSuffix(command, "\\") && i+1 < len(lines) {
				i++
				command = strings.TrimSuffix(command, "\\") + strings.TrimLeft(lines[i], " \t")
			}
			without, ok := withoutWebhooks(command)
			var names []string
			for _, w := range ours {
				p := &load.Package{Path: w.Package, Dir: filepath.Dir(w.Pos.File)}
				if writesTo(command, filepath.Dir(run.ManifestOf(p)), run.Root) {
					names = append(names, w.Spec.Name)
				}
			}
			if !ok || len(names) == 0 || strings.Contains(command, "webhook-gen") || repaired(lines[i+1:]) {
				continue
			}
			const most = 5
			if more := len(names) - most; more > 1 {
				names = append(names[:most:most], fmt.Sprintf("%d more", more))
			}
			at := diag.Range{Pos: diag.Position{File: file, Line: begin + 1, Column: 1}}
			found.Add(diag.Warningf(at, output.RuleOtherWriter, "controller-gen does not know +webhook markers: this command drops %s from the manifest", strings.Join(names, ", ")).
				WithHint("write in its place\n%s", without))
		}
	}
	return found
}

// writesTo reports whether a command of controller-gen writes its webhooks into a folder, as far as the command tells.
func writesTo(command, folder, root string) bool {
	for word := range strings.FieldsSeq(command) {
		if rest, ok := strings.CutPrefix(word, "output:webhook:"); ok {
			_, dir, _ := strings.Cut(rest, "=")
			return strings.Contains(dir, "$") || filepath.Join(root, filepath.FromSlash(strings.Trim(dir, `"';`))) == folder
		}
	}
	return true
}

// repaired reports whether webhook-gen runs in the rest of a recipe.
func repaired(rest []string) bool {
	for _, line := range rest {
		if strings.TrimLeft(line, " \t") == line {
			return false // the next target
		}
		if strings.Contains(line, "webhook-gen") {
			return true
		}
	}
	return false
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
