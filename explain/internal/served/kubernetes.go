// SPDX-License-Identifier: Apache-2.0

package served

import _ "embed"

// kubernetesTable lists the resources of a kube-apiserver by default. A test of the module integration compares it with
// a running one, and writes it.
//
//go:embed kubernetes.txt
var kubernetesTable string

// Kubernetes returns the resources of a kube-apiserver without any CustomResourceDefinition.
func Kubernetes() (*API, error) {
	resources, err := parse(kubernetesTable)
	if err != nil {
		return nil, err
	}
	api := New()
	for _, r := range resources {
		api.Add(r)
	}
	return api, nil
}
