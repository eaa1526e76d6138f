// SPDX-License-Identifier: Apache-2.0

package vet

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

// TestAnalyzers runs the rules on projects with the expected findings in their comments. The clients in testdata have
// the signatures of controller-runtime's and client-go's; TestGoVet has the real ones.
func TestAnalyzers(t *testing.T) {
	projects := map[string]string{"sideeffects": "shop/...", "ratelimit": "queue/...", "contextrequest": "desk/..."}
	for _, a := range Analyzers() {
		t.Run(a.Name, func(t *testing.T) { analysistest.Run(t, analysistest.TestData(), a, projects[a.Name]) })
	}
}
