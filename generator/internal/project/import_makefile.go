// SPDX-License-Identifier: Apache-2.0

package project

import (
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
	var names []string
	for _, w := range im.webhooks {
		if w.left == "" {
			names = append(names, w.Spec.Name)
		}
	}
	return dropping(im.Run, names)
}

// Dropping reports commands by which controller-gen drops webhooks of +webhook markers from the manifest. This happens
// as long as it writes the manifest for +kubebuilder markers. The webhooks are all that generate has found.
func Dropping(c engine.Config, all []*model.Webhook) diag.List {
	run := c.Resolve()
	if !run.Kubebuilder {
		return nil
	}
	var names []string
	for _, w := range all {
		if !w.Kubebuilder {
			names = append(names, w.Spec.Name)
		}
	}
	if len(names) == len(all) {
		return nil // controller-gen writes no manifest
	}
	found := dropping(run, names)
	if run.Strict {
		found = found.Promote()
	}
	return found
}

// dropping returns a warning for each command by which controller-gen writes the manifest. The remedy is the lines for
// the place of the command. Where webhook-gen runs after it, the manifest is complete again.
func dropping(run engine.Run, names []string) (found diag.List) {
	if len(names) == 0 {
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
			if !ok || !writesOne(command, run) || strings.Contains(command, "webhook-gen") || repaired(lines[i+1:]) {
				continue
			}
			at := diag.Range{Pos: diag.Position{File: file, Line: begin + 1, Column: 1}}
			found.Add(diag.Warningf(at, output.RuleOtherWriter, "controller-gen does not know +webhook markers: this command drops %s from the manifest", strings.Join(names, ", ")).
				WithHint("write in its place\n%s", without))
		}
	}
	return found
}

// writesOne reports whether a command of controller-gen writes its webhooks into the folder of a manifest, as far as
// the command tells.
func writesOne(command string, run engine.Run) bool {
	for word := range strings.FieldsSeq(command) {
		if rest, ok := strings.CutPrefix(word, "output:webhook:"); ok {
			_, dir, _ := strings.Cut(rest, "=")
			dir = filepath.Join(run.Root, filepath.FromSlash(strings.Trim(dir, `"';`)))
			return strings.Contains(dir, "$") ||
				slices.ContainsFunc(run.AllManifests(), func(manifest string) bool { return filepath.Dir(manifest) == dir })
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
