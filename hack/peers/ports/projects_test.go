// SPDX-License-Identifier: Apache-2.0

package ports

import "testing"

// capi is the annotation of Cluster API's tests.
const capi = "cluster.x-k8s.io/conversion-data"

func TestAWS(t *testing.T) {
	project{
		name: "aws", module: "sigs.k8s.io/cluster-api-provider-aws/v2", left: `v1beta1/.*conversion\.go$`, annotation: capi,
		pairs: []pair{
			{"infrastructure", "api", "v1beta1", "v1beta2", "^TestFuzzyConversion$", 1 + 3*6},
			{"bootstrap", "bootstrap/eks/api", "v1beta1", "v1beta2", "^TestFuzzyConversion$", 1 + 3*2},
			{"controlplane", "controlplane/eks/api", "v1beta1", "v1beta2", "^TestFuzzyConversion$", 1 + 3*1},
			{"pools", "exp/api", "v1beta1", "v1beta2", "^TestFuzzyConversion$", 1 + 3*3},
		},
	}.run(t)
}

func TestRKE2(t *testing.T) {
	project{
		name: "rke2", module: "github.com/rancher/cluster-api-provider-rke2", annotation: capi,
		folders: []string{"bootstrap/api", "controlplane/api"}, left: `v1alpha1/.*conversion\.go$|webhook|doc\.go$`,
		pairs: []pair{
			{"bootstrap", "bootstrap/api", "v1alpha1", "v1beta1", "^TestFuzzyConversion$", 1 + 3*2},
			{"controlplane", "controlplane/api", "v1alpha1", "v1beta1", "^TestFuzzyConversion$", 1 + 3*2},
		},
	}.run(t)
}

func TestVSphere(t *testing.T) {
	project{
		name: "vsphere", module: "sigs.k8s.io/cluster-api-provider-vsphere", annotation: capi,
		folders: []string{"apis/v1alpha3", "apis/v1alpha4", "apis/v1beta1"}, left: `v1alpha./.*conversion\.go$`,
		pairs: []pair{
			{"v1alpha3", "apis", "v1alpha3", "v1beta1", "^TestFuzzyConversion$", 1 + 3*4},
			{"v1alpha4", "apis", "v1alpha4", "v1beta1", "^TestFuzzyConversion$", 1 + 3*4},
		},
	}.run(t)
}
