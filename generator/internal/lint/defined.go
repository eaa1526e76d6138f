// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// undefined reports resources and versions in rules that the definition of the kind lacks.
func undefined(p webhookPass) {
	for i, rule := range p.Spec.Rules {
		for _, group := range rule.APIGroups {
			for j, r := range rule.Resources {
				resource, _, _ := strings.Cut(r, "/")
				name := resource + "." + group
				versions, known := p.Defined[name]
				if !known {
					if defined := p.definedIn(group); resource != "*" && defined != nil {
						near, isNear := diag.Nearest(resource, defined)
						report := p.at
						if isNear { // else the definitions may be older than the kind
							report = p.never
						}
						d := report(fmt.Sprintf("rules[%d].resources[%d]", i, j), "no definition here is called %s, so that %s for it", name, p.unused())
						if isNear {
							d.Hint = "did you mean " + near + "?"
						}
					}
					continue
				}
				for k, version := range rule.APIVersions {
					at := fmt.Sprintf("rules[%d].apiVersions[%d]", i, k)
					switch {
					case version == "*":
					case !slices.Contains(versions, version):
						p.at(at, "the definition %s has no version %s, so that %s for it", name, version, p.unused())
					case p.isExact() && !slices.Contains(p.Served[name], version):
						p.at(at, "the definition %s does not serve %s, so that %s for it with matchPolicy Exact", name, version, p.unused())
					}
				}
			}
		}
	}
}

// definedIn returns the resources of the group whose definitions are known, sorted.
func (p pass) definedIn(group string) (resources []string) {
	for name := range p.Defined {
		if resource, of, ok := strings.Cut(name, "."); ok && of == group { // a fixture may have a name without group
			resources = append(resources, resource)
		}
	}
	slices.Sort(resources)
	return resources
}
