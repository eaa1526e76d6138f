// SPDX-License-Identifier: Apache-2.0

package model

import (
	"slices"
	"strings"
)

// BuiltinResource is a resource of Kubernetes itself.
type BuiltinResource struct {
	Group, Name string
	Namespaced  bool
}

// BuiltinResources lists the resources that have clients in k8s.io/api, and bindings, which has none. A test
// compares it with that module.
func BuiltinResources() []BuiltinResource {
	var all []BuiltinResource
	for _, g := range builtinGroups() {
		for _, name := range strings.Fields(g.namespaced) {
			all = append(all, BuiltinResource{g.name, name, true})
		}
		for _, name := range strings.Fields(g.cluster) {
			all = append(all, BuiltinResource{g.name, name, false})
		}
	}
	return all
}

// BuiltinGroups are the API groups of k8s.io/api by the folder of their Go packages.
func BuiltinGroups() map[string]string {
	groups := map[string]string{}
	for _, g := range builtinGroups() {
		groups[g.folder] = g.name
	}
	return groups
}

// IsBuiltinGroup reports whether Kubernetes itself serves the group; other groups contain custom resources.
func IsBuiltinGroup(group string) bool {
	return slices.ContainsFunc(builtinGroups(), func(g builtinGroup) bool { return g.name == group })
}

// builtinGroup is an API group of k8s.io/api: the folder of its Go packages, its name, and its resources.
type builtinGroup struct{ folder, name, namespaced, cluster string }

func builtinGroups() []builtinGroup {
	return []builtinGroup{
		{"core", "", "bindings configmaps endpoints events limitranges persistentvolumeclaims pods podtemplates replicationcontrollers resourcequotas secrets serviceaccounts services",
			"componentstatuses namespaces nodes persistentvolumes"},
		{"admissionregistration", "admissionregistration.k8s.io", "",
			"mutatingadmissionpolicies mutatingadmissionpolicybindings mutatingwebhookconfigurations validatingadmissionpolicies validatingadmissionpolicybindings validatingwebhookconfigurations"},
		{"apps", "apps", "controllerrevisions daemonsets deployments replicasets statefulsets", ""},
		{"authentication", "authentication.k8s.io", "", "selfsubjectreviews tokenreviews"},
		{"authorization", "authorization.k8s.io", "localsubjectaccessreviews",
			"selfsubjectaccessreviews selfsubjectrulesreviews subjectaccessreviews"},
		{"autoscaling", "autoscaling", "horizontalpodautoscalers", ""},
		{"batch", "batch", "cronjobs jobs", ""},
		{"certificates", "certificates.k8s.io", "podcertificaterequests", "certificatesigningrequests clustertrustbundles"},
		{"coordination", "coordination.k8s.io", "leasecandidates leases", ""},
		{"discovery", "discovery.k8s.io", "endpointslices", ""},
		{"events", "events.k8s.io", "events", ""},
		{"extensions", "extensions", "daemonsets deployments ingresses networkpolicies replicasets", ""},
		{"flowcontrol", "flowcontrol.apiserver.k8s.io", "", "flowschemas prioritylevelconfigurations"},
		{"imagepolicy", "imagepolicy.k8s.io", "", ""},
		{"apiserverinternal", "internal.apiserver.k8s.io", "", "storageversions"},
		{"lifecycle", "lifecycle.k8s.io", "evictionrequests evictions", ""},
		{"networking", "networking.k8s.io", "ingresses networkpolicies", "ingressclasses ipaddresses servicecidrs"},
		{"node", "node.k8s.io", "", "runtimeclasses"},
		{"policy", "policy", "evictions poddisruptionbudgets", ""},
		{"rbac", "rbac.authorization.k8s.io", "rolebindings roles", "clusterrolebindings clusterroles"},
		{"resource", "resource.k8s.io", "resourceclaims resourceclaimtemplates",
			"deviceclasses devicetaintrules resourcepoolstatusrequests resourceslices"},
		{"scheduling", "scheduling.k8s.io", "compositepodgroups podgroups workloads", "priorityclasses"},
		{"storage", "storage.k8s.io", "csistoragecapacities", "csidrivers csinodes storageclasses volumeattachments volumeattributesclasses"},
		{"storagemigration", "storagemigration.k8s.io", "", "storageversionmigrations"},
	}
}
