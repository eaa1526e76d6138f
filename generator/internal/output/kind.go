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

// KindsOf returns the kinds of output that may have a generated file, which an earlier run wrote. An integration test
// has no kinds: it is in a module of its own, which no setting in its path marks as wanted.
func KindsOf(path string) []string {
	name, folder := filepath.Base(path), filepath.ToSlash(filepath.Dir(path))
	patch, _ := filepath.Match(CRDPatch, name) // the patterns are good ones
	inIntegration, _ := filepath.Match(IntegrationFiles, name)
	switch {
	case inIntegration:
		return nil
	case strings.HasSuffix(name, "_test.go"):
		return []string{Tests}
	case strings.HasSuffix(folder, "/wire"), strings.HasSuffix(folder, "/version"):
		return []string{Handlers, Conversions}
	case patch, name == ConversionsFile, strings.HasSuffix(folder, "/conversion"), strings.HasSuffix(folder, "/conversion/conversiontest"):
		return []string{Conversions}
	case filepath.Ext(name) == ".go":
		return []string{Handlers}
	}
	return []string{Manifests}
}
