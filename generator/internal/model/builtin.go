// SPDX-License-Identifier: Apache-2.0

package model

import (
	"slices"
	"strings"

	"k8s.io/gengo/v2/namer"
	"k8s.io/gengo/v2/types"
)

// BuiltinResource is a resource of Kubernetes itself.
type BuiltinResource struct {
	Group, Name string
	// Kind is the kind of its objects.
	Kind       string
	Namespaced bool
}

// BuiltinResources returns the resources with clients in k8s.io/api, and bindings, which has no client. A test
// compares the list with that module.
func BuiltinResources() (all []BuiltinResource) {
	names := namer.NewAllLowercasePluralNamer(map[string]string{"Endpoints": "endpoints"})
	add := func(group, kinds string, namespaced bool) {
		for kind := range strings.FieldsSeq(kinds) {
			all = append(all, BuiltinResource{group, names.Name(&types.Type{Name: types.Name{Name: kind}}), kind, namespaced})
		}
	}
	for _, g := range builtinGroups() {
		add(g.name, g.namespaced, true)
		add(g.name, g.cluster, false)
	}
	return all
}

// BuiltinGroups maps the folders of Go packages in k8s.io/api to their API groups.
func BuiltinGroups() map[string]string {
	groups := map[string]string{}
	for _, g := range builtinGroups() {
		groups[g.folder] = g.name
	}
	return groups
}

// IsBuiltinGroup reports whether Kubernetes itself serves the group. Other groups contain custom resources.
func IsBuiltinGroup(group string) bool {
	return slices.ContainsFunc(builtinGroups(), func(g builtinGroup) bool { return g.name == group })
}

// builtinGroup is an API group in k8s.io/api, with its folder, its name and the kinds of its resources.
type builtinGroup struct{ folder, name, namespaced, cluster string }

func builtinGroups() []builtinGroup {
	return []builtinGroup{
		{"core", "", "Binding ConfigMap Endpoints Event LimitRange PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret ServiceAccount Service",
			"ComponentStatus Namespace Node PersistentVolume"},
		{"admissionregistration", "admissionregistration.k8s.io", "",
			"MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration"},
		{"apps", "apps", "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet", ""},
		{"authentication", "authentication.k8s.io", "", "SelfSubjectReview TokenReview"},
		{"authorization", "authorization.k8s.io", "LocalSubjectAccessReview",
			"SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview"},
		{"autoscaling", "autoscaling", "HorizontalPodAutoscaler", ""},
		{"batch", "batch", "CronJob Job", ""},
		{"certificates", "certificates.k8s.io", "PodCertificateRequest", "CertificateSigningRequest ClusterTrustBundle"},
		{"coordination", "coordination.k8s.io", "LeaseCandidate Lease", ""},
		{"discovery", "discovery.k8s.io", "EndpointSlice", ""},
		{"events", "events.k8s.io", "Event", ""},
		{"extensions", "extensions", "DaemonSet Deployment Ingress NetworkPolicy ReplicaSet", ""},
		{"flowcontrol", "flowcontrol.apiserver.k8s.io", "", "FlowSchema PriorityLevelConfiguration"},
		{"imagepolicy", "imagepolicy.k8s.io", "", ""},
		{"apiserverinternal", "internal.apiserver.k8s.io", "", "StorageVersion"},
		{"lifecycle", "lifecycle.k8s.io", "EvictionRequest Eviction", ""},
		{"networking", "networking.k8s.io", "Ingress NetworkPolicy", "IngressClass IPAddress ServiceCIDR"},
		{"node", "node.k8s.io", "", "RuntimeClass"},
		{"policy", "policy", "Eviction PodDisruptionBudget", ""},
		{"rbac", "rbac.authorization.k8s.io", "RoleBinding Role", "ClusterRoleBinding ClusterRole"},
		{"resource", "resource.k8s.io", "ResourceClaim ResourceClaimTemplate",
			"DeviceClass DeviceTaintRule ResourcePoolStatusRequest ResourceSlice"},
		{"scheduling", "scheduling.k8s.io", "CompositePodGroup PodGroup Workload", "PriorityClass"},
		{"storage", "storage.k8s.io", "CSIStorageCapacity", "CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass"},
		{"storagemigration", "storagemigration.k8s.io", "", "StorageVersionMigration"},
	}
}
