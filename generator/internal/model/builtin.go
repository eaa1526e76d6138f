// SPDX-License-Identifier: Apache-2.0

package model

import "strings"

// BuiltinResource is a resource of Kubernetes itself.
type BuiltinResource struct {
	Group, Name string
	Namespaced  bool
}

// BuiltinResources lists the resources that have clients in k8s.io/api, and bindings, which has none. A test
// compares it with that module.
func BuiltinResources() []BuiltinResource {
	var all []BuiltinResource
	add := func(group, namespaced, cluster string) {
		for _, name := range strings.Fields(namespaced) {
			all = append(all, BuiltinResource{group, name, true})
		}
		for _, name := range strings.Fields(cluster) {
			all = append(all, BuiltinResource{group, name, false})
		}
	}
	add("", "bindings configmaps endpoints events limitranges persistentvolumeclaims pods podtemplates replicationcontrollers resourcequotas secrets serviceaccounts services",
		"componentstatuses namespaces nodes persistentvolumes")
	add("admissionregistration.k8s.io", "",
		"mutatingadmissionpolicies mutatingadmissionpolicybindings mutatingwebhookconfigurations validatingadmissionpolicies validatingadmissionpolicybindings validatingwebhookconfigurations")
	add("apps", "controllerrevisions daemonsets deployments replicasets statefulsets", "")
	add("authentication.k8s.io", "", "selfsubjectreviews tokenreviews")
	add("authorization.k8s.io", "localsubjectaccessreviews", "selfsubjectaccessreviews selfsubjectrulesreviews subjectaccessreviews")
	add("autoscaling", "horizontalpodautoscalers", "")
	add("batch", "cronjobs jobs", "")
	add("certificates.k8s.io", "podcertificaterequests", "certificatesigningrequests clustertrustbundles")
	add("coordination.k8s.io", "leasecandidates leases", "")
	add("discovery.k8s.io", "endpointslices", "")
	add("events.k8s.io", "events", "")
	add("extensions", "daemonsets deployments ingresses networkpolicies replicasets", "")
	add("flowcontrol.apiserver.k8s.io", "", "flowschemas prioritylevelconfigurations")
	add("internal.apiserver.k8s.io", "", "storageversions")
	add("lifecycle.k8s.io", "evictionrequests evictions", "")
	add("networking.k8s.io", "ingresses networkpolicies", "ingressclasses ipaddresses servicecidrs")
	add("node.k8s.io", "", "runtimeclasses")
	add("policy", "evictions poddisruptionbudgets", "")
	add("rbac.authorization.k8s.io", "rolebindings roles", "clusterrolebindings clusterroles")
	add("resource.k8s.io", "resourceclaims resourceclaimtemplates", "deviceclasses devicetaintrules resourcepoolstatusrequests resourceslices")
	add("scheduling.k8s.io", "compositepodgroups podgroups workloads", "priorityclasses")
	add("storage.k8s.io", "csistoragecapacities", "csidrivers csinodes storageclasses volumeattachments volumeattributesclasses")
	add("storagemigration.k8s.io", "", "storageversionmigrations")
	return all
}
