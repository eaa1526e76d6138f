// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"regexp"
)

// kubeVersion returns the line of Chart.yaml with the oldest Kubernetes that has every field of the manifests. It is
// empty for the API v1beta1: Kubernetes 1.22 removed it, and the other manifests need a later one. It is empty for
// policies alone, too, which the chart leaves out in a cluster that does not serve them.
//
// The version ends with -0, so that versions of vendors match, such as 1.30.2-gke.100.
func (d *deliverer) kubeVersion() string {
	if d.project.API == "v1beta1" {
		return ""
	}
	// All other fields are older: policy/v1 is of 1.21, autoscaling/v2 of 1.23.
	minor, reason := 27, "1.27 has unhealthyPodEvictionPolicy of PodDisruptionBudgets"
	if d.alone() {
		minor = 0
	}
	for _, w := range d.project.Webhooks() {
		if len(w.Spec.MatchConditions) > 0 {
			// Where they are off, an API server drops them and calls the webhook for every request.
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

// hasSelectableFields reports whether a definition declares fields for field selectors.
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

// withKubeVersion returns the text of a Chart.yaml with the line. A kubeVersion without our comment is the user's.
func withKubeVersion(chart []byte, line string) []byte {
	if line == "" {
		return chart
	}
	return kubeVersionLine.ReplaceAllLiteral(chart, []byte(line))
}
