// SPDX-License-Identifier: Apache-2.0

package render

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/dave/jennifer/jen"
	"sigs.k8s.io/yaml"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// ReplacementFiles returns patterns for the kustomize components that replace webhooks by policies. They are relative
// to the manifest's folder.
func ReplacementFiles() []string {
	return []string{"policies-1.*/kustomization.yaml", "policies-1.*/" + PoliciesFile}
}

// replacements adds a kustomize component for each version of Kubernetes in which policies replace webhooks. The
// component adds the policies and removes their webhooks from the configurations.
func replacements(files *fileList, p *model.Project, o Options) {
	for _, r := range p.Replacements() {
		name := fmt.Sprintf("policies-1.%d", r.Since)
		folder := filepath.Join(filepath.Dir(o.Manifest), name)
		text := fmt.Appendf(nil, `%s
# Policies in place of webhooks, for clusters from Kubernetes 1.%d on. A kustomization.yaml with the manifest adds
#
#   components:
#     - ../%s/%s
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
resources:
  - %s
patches:
`, output.YAMLHeader, r.Since, oneLine(filepath.Base(filepath.Dir(o.Manifest))), name, PoliciesFile)
		for _, c := range p.Configurations {
			patch, err := withoutReplaced(c, p.API, r.Policies)
			files.err = cmp.Or(files.err, err)
			text = append(text, patch...)
		}
		files.put(output.File{Path: filepath.Join(folder, "kustomization.yaml"), Content: text, Owner: output.Generated}, nil)
		files.put(policies(filepath.Join(folder, PoliciesFile), r.Policies))
	}
}

// withoutReplaced returns a patch that removes the replaced webhooks from a configuration, or nil if it has none.
func withoutReplaced(c *model.Configuration, api string, policies []*model.Policy) ([]byte, error) {
	var gone []any
	for _, w := range c.Webhooks {
		for _, p := range policies {
			if p.InsteadOf == w {
				gone = append(gone, map[string]any{"name": w.Spec.Name, "$patch": "delete"})
			}
		}
	}
	if len(gone) == 0 {
		return nil, nil
	}
	patch, err := yaml.Marshal(map[string]any{
		"apiVersion": "admissionregistration.k8s.io/" + api, "kind": kindOf(c.Mutating, "WebhookConfiguration").Kind,
		"metadata": map[string]any{"name": c.Name}, "webhooks": gone,
	})
	indented := strings.ReplaceAll(strings.TrimSuffix(string(patch), "\n"), "\n", "\n      ")
	return fmt.Appendf(nil, "  - patch: |\n      %s\n", indented), err
}

// settings moves the fields of a policy or binding that the replaced webhook's values set out of the specification:
// the selectors and, in a binding that denies, the actions.
func (d *deliverer) settings(o *chartPolicyObject, p *model.Policy, specification map[string]any) {
	o.Webhook = p.InsteadOf.Spec.Name
	if actions, _ := specification["validationActions"].([]any); len(actions) == 1 && actions[0] == "Deny" {
		delete(specification, "validationActions")
		o.Enforced = true
	}
	match, ok := specification["matchConstraints"].(map[string]any)
	if !ok {
		return
	}
	o.chartSelectors = d.selectors(p.InsteadOf, p.Spec.MatchConstraints.NamespaceSelector, p.Spec.MatchConstraints.ObjectSelector)
	delete(specification, "matchConstraints")
	delete(match, "namespaceSelector")
	delete(match, "objectSelector")
	o.Match = d.block("    ", match)
}

// replacement returns the facts that a test compares with the replaced webhook.
func (w testWriter) replacement(p *model.Policy) *jen.Statement {
	return jen.Op("&").Qual(admissiontestPackage, "Replacement").ValuesFunc(func(g *jen.Group) {
		g.Line().Id("Policy").Op(":").Lit(p.Name)
		if len(p.Numbers) > 0 {
			numbers := codes(p.Numbers, func(n int64) *jen.Statement { return jen.Lit(int(n)) })
			g.Line().Id("Numbers").Op(":").Index().Int64().Values(numbers...)
		}
		if len(p.Texts) > 0 {
			g.Line().Id("Texts").Op(":").Add(textList(p.Texts))
		}
		g.Line()
	})
}
