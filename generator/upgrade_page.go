// SPDX-License-Identifier: Apache-2.0

package generator

import (
	"fmt"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/upgrade"
)

// upgradePage is docs/upgrade.md.
func upgradePage() []byte {
	var b strings.Builder
	b.WriteString("# Upgrades of a running cluster\n\n" + madeFrom("the rule table in generator/internal/upgrade") + upgradeIntroduction)
	for _, r := range upgrade.Rules() {
		var words []string
		for _, s := range r.Severities {
			words = append(words, s.String())
		}
		fmt.Fprintf(&b, "\n### %s: %s\n\n*%s.* %s\n", r.ID, r.Title, strings.Join(words, ", "), r.Doc)
	}
	return []byte(b.String())
}

const upgradeIntroduction = "`webhook-gen explain upgrade OLD [NEW]` compares two states of a project, and shows what a cluster that runs the old one notices when it moves " +
	"to the new one. During a rollout, configurations, definitions and servers differ in age: an old configuration calls a new server, and a new one an old server. " +
	"The command considers both.\n\n" +
	"| OLD or NEW | meaning |\n|---|---|\n" +
	"| `HEAD~1`, `v1.4.0` | the enclosing module, in that revision: its files go to a temporary folder, which is removed; the repository is not touched |\n" +
	"| a folder with go.mod | a module: its markers, read as webhook-gen.yaml says, and the CustomResourceDefinitions of `crds`, or of config/crd and config/crd/bases |\n" +
	"| another folder (its *.yaml and *.yml), a file, `-` | manifests: webhook configurations of v1 and v1beta1, CustomResourceDefinitions, Lists of them; other objects are ignored |\n" +
	"| no NEW | the enclosing module, in the work tree |\n\n" +
	"Compare like with like: markers with markers, rendered manifests with those of the cluster. Markers do not know the names and namespaces that kustomize or helm insert, and manifests do not know " +
	"how conversions treat fields. Definitions from `kubectl get -o yaml` include their status, which tells the versions in which objects are stored.\n\n" +
	"A finding has a severity, a place in NEW (or in OLD, if it is gone from NEW), the change, its effect in a cluster, and the steps to take, in order. With `--format json` these are " +
	"`severity`, `state` (`old` or `new`: whose file it is) with `file`, `line` and `column`, `rule`, `message`, `effect` and `steps`. `--format github` prints errors, warnings and notices.\n\n" +
	"| severity | |\n|---|---|\n" +
	"| breaking | requests are refused or data is lost, unless the steps are taken in their order |\n" +
	"| careful | something behaves differently |\n" +
	"| safe | nothing to do |\n\n" +
	"The exit code is 0 if nothing breaks, 1 if something does, and 2 if a state cannot be read.\n\n" +
	"If a step is meant to break something, accept it in NEW's webhook-gen.yaml: the line of the finding from its message on, a colon, and the reason.\n\n" +
	"```yaml\nupgrade:\n  accepted:\n  - \"version v1beta1 of orders.shop.example.com is gone [G17]: nobody has asked for it since May\"\n```\n\n" +
	"The finding is still printed, with the reason (`accepted` in json, a notice on GitHub), and does not count. An entry applies to the step that adds it: once OLD has it too, it accepts nothing. " +
	"The same step is then reported the next time, and you can remove the entry whenever you like. Entries without a finding are reported on standard error. Manifests have no webhook-gen.yaml, " +
	"so nothing in them can be accepted.\n\n" +
	"Not considered: your own code, in handlers and in conversions; what validation of a schema refuses, other than by type; the types of other modules.\n\n" +
	"## Rules\n"
