// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"regexp"
)

// kubeVersion returns the kubeVersion line of Chart.yaml, with the oldest Kubernetes that has every field of the
// manifests. It returns "" for the API v1beta1, because Kubernetes 1.22 removed it and the other manifests need a
// later version. It also returns "" for policies alone, because the chart omits them in clusters that do not serve
// them.
//
// The version ends in -0 so that vendors' versions match, such as 1.30.2-gke.100.
func (d *deliverer) kubeVersion() string {
	if d.project.API == "v1beta1" {
		return ""
	}
	// All other fields are older: policy/v1 is from 1.21, autoscaling/v2 from 1.23.
	minor, reason := 27, "1.27 has unhealthyPodEvictionPolicy of PodDisruptionBudgets"
	if d.hasOnlyPolicies() {
		minor = 0
	}
	for _, w := range d.project.Webhooks() {
		if len(w.Spec.MatchConditions) > 0 {
			// An API server without this feature drops the conditions and calls the webhook for every request.
			minor, reason = 30, "1.30 has matchConditions of webhooks, and nobody can turn them off"
		}
	}
	for _, c := range d.crds {
		if hasSelectableFields(c.content) {
			minor, reason = 32, "1.32 has selectableFields of definitions, and nobody can turn them off"
		}
	}
	if d.project.MinKubernetes.IsSet() && d.project.OldestKubernetes() > minor {
		minor, reason = d.project.OldestKubernetes(), "minKubernetesVersion in webhook-gen.yaml"
	}
	if minor == 0 {
		return ""
	}
	return fmt.Sprintf("kubeVersion: \">=1.%d.0-0\" # webhook-gen: %s", minor, reason)
}

func hasSelectableFields(definition map[string]any) bool {
	specification, _ := definition["spec"].(map[string]any)
	versions, _ := specification["versions"].([]any)
	for _, v := range versions {
		version, _ := v.(map[string]any)
		if fields, _ := version["selectableFields"].([]any); len(fields) > 0 {
			return true
		}
	}
	return false
}

var kubeVersionLine = regexp.MustCompile(`(?m)^kubeVersion:[^\r\n]* # webhook-gen: [^\r\n]*`)

// withKubeVersion returns the text of Chart.yaml with the line. A kubeVersion without our comment belongs to the user
// and is kept.
func withKubeVersion(chart []byte, line string) []byte {
	if line == "" {
		return chart
	}
	return kubeVersionLine.ReplaceAllLiteral(chart, []byte(line))
}
