// SPDX-License-Identifier: Apache-2.0

package main

const (
	tests       = "hack/peers/ports/testdata/"
	conversions = "core/webhooks/conversion/"
)

// ports are all ports of this tree. The hooks that two pairs share are in one row with both.
func ports() []port {
	return []port{
		{
			// With the marker that TestAsTheTutorialDoes in hack/peers/conversion sets in the place of the one for hooks.
			name:     "kubebuilder v4.10.1's tutorial, CronJob v2",
			markers:  []string{"examples/cronjob/api/v2/cronjob_types.go"},
			require:  "v4.10.1",
			original: []files{{"sigs.k8s.io/kubebuilder/v4", []string{"hack/docs/internal/multiversion-tutorial/hub.go"}, []string{"hubV2CovertTo", "hubV2ConvertFromCode"}}},
			around:   18, // package, imports, signatures, assertions and logs, which kubebuilder scaffolds
		},
		certManager("v1alpha2", "pkg/internal/apis/*/v1alpha2/conversion.go"),
		certManager("v1alpha3", "pkg/internal/apis/*/v1alpha3/conversion.go"),
		certManager("v1beta1", ""),
		{
			name:     "Kubernetes v1.37.2, apps/v1beta1 (4 kinds) and apps/v1beta2 (6 kinds)",
			markers:  []string{"hack/peers/kubernetes/testdata/conversions/apps/*/doc.go"},
			hooks:    []string{"hack/peers/kubernetes/testdata/conversions/apps/*/hooks.go", "hack/peers/kubernetes/testdata/conversions/apps/selector/selector.go"},
			require:  "hack/peers/kubernetes/testdata/kubernetes.mod",
			original: []files{{"k8s.io/kubernetes", []string{"pkg/apis/apps/v1beta[12]/conversion.go"}, nil}},
			why:      "the selector of a Scale is in two fields of the old versions and in one of the new",
		},
		{
			name:     "Kubernetes v1.37.2, autoscaling/v1 (HorizontalPodAutoscaler)",
			markers:  []string{"hack/peers/kubernetes/testdata/conversions/autoscaling/v1/doc.go"},
			require:  "hack/peers/kubernetes/testdata/kubernetes.mod",
			original: []files{{"k8s.io/kubernetes", []string{"pkg/apis/autoscaling/v1/conversion.go"}, nil}},
		},
		{
			name:    "karpenter v1.0.8, v1beta1 (2 kinds)",
			markers: []string{"hack/peers/karpenter/testdata/karpenter/v1beta1/doc.go"}, hooks: []string{"hack/peers/karpenter/testdata/karpenter/v1beta1/cluster.go"},
			require:  "hack/peers/karpenter/go.mod",
			original: []files{{"sigs.k8s.io/karpenter", []string{"pkg/apis/v1*/*_conversion.go"}, nil}},
			why:      "the group of a node class comes from the cluster; `expireAfter` is read from the NodePool; `consolidateAfter` depends on another field",
		},
		{
			name:    "Cluster API v1.14.2, core v1beta1 (8 kinds)",
			markers: []string{"hack/peers/clusterapi/testdata/v1beta1/doc.go"}, hooks: []string{"hack/peers/clusterapi/testdata/v1beta1/hooks.go"},
			require: "hack/peers/go.mod",
			original: []files{
				{"sigs.k8s.io/cluster-api/api", []string{"core/v1beta1/conversion.go"}, nil},
				{"sigs.k8s.io/cluster-api", []string{conversions + "cluster.go", conversions + "clusterclass.go", conversions + "common.go", conversions + "machine*.go"}, nil},
			},
			why: "the version of a reference is looked up in the cluster; its namespace is the object's",
		},
		provider("Cluster API Provider AWS v2.13.0, infrastructure v1beta1 (7 kinds)", "aws", "infrastructure", "sigs.k8s.io/cluster-api-provider-aws/v2", "api/v1beta1"),
		provider("the same, bootstrap v1beta1 (2 kinds)", "aws", "bootstrap", "sigs.k8s.io/cluster-api-provider-aws/v2", "bootstrap/eks/api/v1beta1"),
		provider("the same, controlplane v1beta1 (1 kind)", "aws", "controlplane", "sigs.k8s.io/cluster-api-provider-aws/v2", "controlplane/eks/api/v1beta1"),
		provider("the same, exp v1beta1 (3 kinds)", "aws", "pools", "sigs.k8s.io/cluster-api-provider-aws/v2", "exp/api/v1beta1"),
		provider("Cluster API Provider vSphere v1.14.0, v1alpha3 (7 kinds)", "vsphere", "v1alpha3", "sigs.k8s.io/cluster-api-provider-vsphere", "apis/v1alpha3"),
		provider("the same, v1alpha4 (8 kinds)", "vsphere", "v1alpha4", "sigs.k8s.io/cluster-api-provider-vsphere", "apis/v1alpha4"),
		provider("Cluster API Provider RKE2 v0.21.0, bootstrap v1alpha1 (2 kinds)", "rke2", "bootstrap", "github.com/rancher/cluster-api-provider-rke2", "bootstrap/api/v1alpha1"),
		provider("the same, controlplane v1alpha1 (2 kinds)", "rke2", "controlplane", "github.com/rancher/cluster-api-provider-rke2", "controlplane/api/v1alpha1"),
		provider("Cluster API IPAM Provider In Cluster v1.0.3, v1alpha1 (2 kinds)", "ipam", "v1alpha1", "sigs.k8s.io/cluster-api-ipam-provider-in-cluster", "api/v1alpha1").
			with("a subnet or a range becomes an address"),
		provider("Tekton Pipelines v1.0.0, resolution v1alpha1 (1 kind)", "tekton", "v1alpha1", "github.com/tektoncd/pipeline", "pkg/apis/resolution/v1alpha1").
			with("a parameter that is text, list or map becomes text"),
	}
}

// certManager is a version of cert-manager without hooks. Its originals are in a pattern; v1beta1 has none by hand.
func certManager(version, original string) port {
	p := port{
		name:    "cert-manager v1.3.0, " + version + " (6 kinds)",
		markers: []string{"hack/peers/conversion/testdata/certmanager/" + version + "/doc.go"}, require: "hack/peers/conversion/testdata/certmanager.mod",
	}
	if original != "" {
		p.original = []files{{"github.com/jetstack/cert-manager", []string{original}, nil}}
	}
	return p
}

// provider is a pair of versions in hack/peers/ports without hooks.
func provider(name, project, pair, module, folder string) port {
	return port{
		name: name, markers: []string{tests + project + "/" + pair + "/doc.go"}, require: tests + project + ".mod",
		original: []files{{module, []string{folder + "/*conversion.go"}, nil}},
	}
}

// with adds the hooks of a pair in hack/peers/ports.
func (p port) with(why string) port {
	p.hooks, p.why = []string{p.markers[0][:len(p.markers[0])-len("doc.go")] + "hooks.go"}, why
	return p
}
