// SPDX-License-Identifier: Apache-2.0

package ports

import "testing"

// capi is the annotation of Cluster API's tests.
const capi = "cluster.x-k8s.io/conversion-data"

func TestAWS(t *testing.T) {
	project{
		name: "aws", module: "sigs.k8s.io/cluster-api-provider-aws/v2", annotation: capi, copied: true,
		pairs: []pair{
			{ours: "infrastructure", theirs: "api", spoke: "v1beta1", hub: "v1beta2", tests: "^TestFuzzyConversion$", passed: 1 + 3*6},
			{ours: "bootstrap", theirs: "bootstrap/eks/api", spoke: "v1beta1", hub: "v1beta2", tests: "^TestFuzzyConversion$", passed: 1 + 3*2},
			{ours: "controlplane", theirs: "controlplane/eks/api", spoke: "v1beta1", hub: "v1beta2", tests: "^TestFuzzyConversion$", passed: 1 + 3*1},
			{ours: "pools", theirs: "exp/api", spoke: "v1beta1", hub: "v1beta2", tests: "^TestFuzzyConversion$", passed: 1 + 3*3},
		},
	}.run(t)
}

func TestRKE2(t *testing.T) {
	project{
		name: "rke2", module: "github.com/rancher/cluster-api-provider-rke2", annotation: capi,
		folders: []string{"bootstrap/api", "controlplane/api"}, left: "webhook",
		pairs: []pair{
			{ours: "bootstrap", theirs: "bootstrap/api", spoke: "v1alpha1", hub: "v1beta1", tests: "^TestFuzzyConversion$", passed: 1 + 3*2},
			{ours: "controlplane", theirs: "controlplane/api", spoke: "v1alpha1", hub: "v1beta1", tests: "^TestFuzzyConversion$", passed: 1 + 3*2},
		},
	}.run(t)
}

func TestVSphere(t *testing.T) {
	project{
		name: "vsphere", module: "sigs.k8s.io/cluster-api-provider-vsphere", annotation: capi, copied: true,
		folders: []string{"apis/v1alpha3", "apis/v1alpha4", "apis/v1beta1"},
		pairs: []pair{
			{ours: "v1alpha3", theirs: "apis", spoke: "v1alpha3", hub: "v1beta1", tests: "^TestFuzzyConversion$", passed: 1 + 3*4},
			{ours: "v1alpha4", theirs: "apis", spoke: "v1alpha4", hub: "v1beta1", tests: "^TestFuzzyConversion$", passed: 1 + 3*4},
		},
	}.run(t)
}

func TestIPAM(t *testing.T) {
	project{
		name: "ipam", module: "sigs.k8s.io/cluster-api-ipam-provider-in-cluster", annotation: capi, folders: []string{"api"},
		pairs: []pair{{ours: "v1alpha1", theirs: "api", spoke: "v1alpha1", hub: "v1alpha2", tests: ".", passed: 10, not: []string{"-ginkgo.v", "-ginkgo.no-color", "-ginkgo.skip=defaulted when applied"}}},
	}.run(t)
}

func TestTekton(t *testing.T) {
	project{
		name: "tekton", module: "github.com/tektoncd/pipeline", knative: true,
		folders: []string{"pkg", "internal", "test/diff"},
		pairs:   []pair{{ours: "v1alpha1", theirs: "pkg/apis/resolution", spoke: "v1alpha1", hub: "v1beta1", tests: "^TestResolutionRequestConver", passed: 7, not: []string{"-skip=/with_non-string_params$"}}},
	}.run(t)
}
