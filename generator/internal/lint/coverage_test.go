// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// TestPathsOfVariables counts the names in the paths of variables of which each reads the one before.
func TestPathsOfVariables(t *testing.T) {
	const variables, most = 1000, 200_000
	p := &model.Policy{}
	for i := range variables {
		of := "object"
		if i > 0 {
			of = fmt.Sprint("variables.v", i-1)
		}
		p.Spec.Variables = append(p.Spec.Variables, admissionregistrationv1.Variable{Name: fmt.Sprint("v", i), Expression: of + ".next"})
	}
	names := 0
	for _, path := range readsOf(p) {
		names += len(path)
	}
	if names < variables || names > most {
		t.Errorf("%d names, want %d to %d", names, variables, most)
	}
}
