// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// The ids under which this package reports.
const (
	RuleMissing  = "R1"
	RuleVersions = "R2"
	RuleByHand   = "R3"
	RuleText     = "R4"
)

// Rules documents the rules.
func Rules() []diag.Rule {
	return []diag.Rule{
		{ID: RuleMissing, Title: "a kind with a conversion has its definition in the files of crds",
			Doc: "The definition is the CustomResourceDefinition called `<plural>.<group>`. controller-gen crd writes it to config/crd/bases, and has to run before webhook-gen. " +
				"If you do not keep definitions in files, remove crds from webhook-gen.yaml: webhook-gen then writes a patch for kustomize."},
		{ID: RuleVersions, Title: "a definition has the versions that are converted, and serves no other",
			Doc: "An API server calls the webhook for every version that the definition serves, and strategy Webhook has no exceptions: " +
				"k8s.io/apiextensions-apiserver/pkg/apiserver/conversion, CRConverterFactory.NewConverter and webhookConverter.Convert. A version in which nothing has changed " +
				"is a spoke without further markers. A version that is not served may stay in the definition without a type, once no object is stored in it, as status.storedVersions shows. " +
				"Run controller-gen crd again, or mark the type of the version as a spoke."},
		{ID: RuleByHand, Title: "a hand-written spec.conversion agrees with the markers",
			Doc: "It is yours, and stays. The one that webhook-gen writes has the comment `" + output.YAMLHeader + "` after its key. A caBundle is left alone in both."},
		{ID: RuleText, Title: "a definition can be read and changed",
			Doc: "It is YAML of apiextensions.k8s.io/v1 with the spec in indented lines, as controller-gen writes it, and no anchor in it leads into or out of spec.conversion. " +
				"webhook-gen changes the lines of spec.conversion and leaves every other byte alone."},
	}
}
