// SPDX-License-Identifier: Apache-2.0

package output

import (
	"path/filepath"
	"strings"
)

// The kinds of output: the words for outputs in webhook-gen.yaml.
const (
	Manifests   = "manifests"
	Handlers    = "handlers"
	Conversions = "conversions"
	Tests       = "tests"
	Deliveries  = "delivery"
)

// Names of generated files. Later runs infer the kind from them. CRDPatches is a folder with slashes; CRDPatch and
// IntegrationFiles are patterns.
const (
	HandlersFile     = "zz_generated.webhook.go"
	ConversionsFile  = "zz_generated.conversion.go"
	CRDPatches       = "config/crd/patches"
	CRDPatch         = "conversion_in_*.yaml"
	IntegrationFiles = "zz_generated.integration*_test.go"
)

// KindOf returns the kind of a generated file of an earlier run. It returns "" for an integration test, because the
// settings of a folder do not apply to the test's own module.
func KindOf(path string) string {
	name := filepath.Base(path)
	patch, _ := filepath.Match(CRDPatch, name) // the pattern is valid
	inIntegration, _ := filepath.Match(IntegrationFiles, name)
	switch {
	case inIntegration:
		return ""
	case strings.HasSuffix(name, "_test.go"):
		return Tests
	case patch, name == ConversionsFile:
		return Conversions
	case filepath.Ext(name) == ".go":
		return Handlers
	}
	return Manifests
}
