// SPDX-License-Identifier: Apache-2.0

package build

import (
	"strings"

	"github.com/gobuffalo/flect"
	"k8s.io/gengo/v2/namer"
	"k8s.io/gengo/v2/types"
)

// plurals are the resource names that the two generators of CRDs and clients derive from a kind:
// client-gen's, by k8s.io/gengo/v2/namer, and controller-gen's, by github.com/gobuffalo/flect.
// They differ for some words ("Index"), and a rule with the wrong one never matches.
func plurals(kind string) (gengo, controllerGen string) {
	n := namer.NewAllLowercasePluralNamer(map[string]string{"Endpoints": "endpoints"})
	return n.Name(&types.Type{Name: types.Name{Name: kind}}), flect.Pluralize(strings.ToLower(kind))
}
