// SPDX-License-Identifier: Apache-2.0

package output

import (
	"path/filepath"
	"strings"
)

// The kinds of output, by the words of outputs in webhook-gen.yaml.
const (
	Manifests   = "manifests"
	Handlers    = "handlers"
	Conversions = "conversions"
	Tests       = "tests"
	Deliveries  = "delivery"
)

// Names of generated files, by which a later run knows their kind. CRDPatches is a folder, slash-separated; CRDPatch
// and IntegrationFiles are patterns.
const (
	HandlersFile     = "zz_generated.webhook.go"
	ConversionsFile  = "zz_generated.conversion.go"
	CRDPatches       = "config/crd/patches"
	CRDPatch         = "conversion_in_*.yaml"
	IntegrationFiles = "zz_generated.integration*_test.go"
)

// KindOf returns the kind of output of a generated file, which an earlier run wrote. An integration test has none: it
// is in a module of its own, which no setting in its path marks as wanted.
func KindOf(path string) string {
	name := filepath.Base(path)
	patch, _ := filepath.Match(CRDPatch, name) // the patterns are good ones
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
