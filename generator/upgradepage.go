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

const upgradeIntroduction = "`webhook-gen explain upgrade OLD [NEW]` compares two states of a project, and says what a cluster in which the old one runs notices of the " +
	"step to the new one. During a rollout, configurations, definitions and servers are not of one age: an old configuration calls a new server, a new one an old server. " +
	"Both are looked at.\n\n" +
	"| OLD, NEW | is |\n|---|---|\n" +
	"| `HEAD~1`, `v1.4.0` | the module around, in that revision: its files go to a temporary folder, which is removed; the repository is not touched |\n" +
	"| a folder with go.mod | a module: its markers as webhook-gen.yaml says, and the CustomResourceDefinitions of `crds`, or of config/crd and config/crd/bases |\n" +
	"| another folder (its *.yaml and *.yml), a file, `-` | manifests: webhook configurations of v1 and v1beta1, CustomResourceDefinitions, Lists of them; other objects are passed over |\n" +
	"| no NEW | the module around, in the work tree |\n\n" +
	"Compare what is alike: markers with markers, rendered manifests with what the cluster has. Markers know nothing of the names and namespaces that kustomize or helm put in, and manifests nothing of " +
	"what becomes of fields in conversions. What `kubectl get -o yaml` prints of definitions has their status, so that the versions in which objects are stored are known.\n\n" +
	"A finding has a severity, the place in NEW (or in OLD, where it is no longer in NEW), what changes, what happens in a cluster, and what to do in which order. With `--format json` these are " +
	"`severity`, `state` (`old` or `new`: whose file it is) with `file`, `line` and `column`, `rule`, `message`, `effect` and `steps`. `--format github` gives errors, warnings and notices.\n\n" +
	"| severity | |\n|---|---|\n" +
	"| breaking | requests are refused or data is lost, unless the steps are taken in their order |\n" +
	"| careful | something behaves otherwise than before |\n" +
	"| safe | nothing is to be done |\n\n" +
	"The command exits with 0 where nothing is breaking, with 1 where something is, and with 2 where a state cannot be read.\n\n" +
	"A step that is meant to break something says so in NEW's webhook-gen.yaml: the finding's line from its message on, a colon, and the reason.\n\n" +
	"```yaml\nupgrade:\n  accepted:\n  - \"version v1beta1 of orders.shop.example.com is gone [G17]: nobody has asked for it since May\"\n```\n\n" +
	"The finding is still printed, with the reason (`accepted` in json, a notice on GitHub), and does not count. An entry is about the step that adds it: once OLD has it too, it accepts nothing, " +
	"so that the same step is reported the next time, and it can be taken away whenever you like. One of which nothing is found is told on standard error. Manifests have no webhook-gen.yaml: " +
	"there nothing is accepted.\n\n" +
	"What is not seen: what your own code does, in handlers and in conversions; what validation of a schema refuses, other than by type; the types of other modules.\n\n" +
	"## Rules\n"
