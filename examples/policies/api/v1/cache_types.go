// SPDX-License-Identifier: Apache-2.0

package v1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Cache is a cache of some replicas.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced
//
// A cache without a number of replicas gets one replica.
//
// +webhook:policy:mutating(operations: "create")
// +webhook:policy:matchCondition(policy: mutating, name: "no-replicas")="!has(object.spec.replicas)"
// +webhook:policy:mutation(type: applyConfiguration)="Object{spec: Object.spec{replicas: 1}}"
//
// The limits are an object of the cluster. Without it nothing is allowed. An object that is being deleted is not
// checked, so that its finalizers can go.
//
// +webhook:policy:validating(operations: "create;update", params: "example.com/policies/api/v1.Limits")
// +webhook:policy:matchCondition(policy: validating, name: "not-deleted")="oldObject == null || !has(oldObject.metadata.deletionTimestamp)"
// +webhook:policy:variable(policy: validating, name: "replicas")="object.spec.?replicas.orValue(1)"
// +webhook:policy:validation(messageExpression: "'spec.replicas: at most ' + string(params.spec.replicas) + ', not ' + string(variables.replicas)",
// reason: requestEntityTooLarge)="variables.replicas <= params.spec.replicas"
// +webhook:policy:validation(message: "spec.tier: a cache keeps its tier", reason: forbidden)="oldObject == null || object.spec.tier == oldObject.spec.tier"
// +webhook:policy:validation(message: "spec.size: at most 64Gi in the tier small")="object.spec.tier != 'small' || !quantity(object.spec.size).isGreaterThan(quantity('64Gi'))"
// +webhook:policy:validation(message: "spec.peers: a zone has one peer")="!has(object.spec.peers) || object.spec.peers.all(p, object.spec.peers.exists_one(q, q.zone == p.zone))"
// +webhook:policy:auditAnnotation(policy: validating, key: "replicas")="string(variables.replicas)"
// +webhook:policy:binding(policy: validating, params: "caches")
type Cache struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec CacheSpec `json:"spec"`
}

// CacheSpec is what a cache is to be.
type CacheSpec struct {
	// Tier is small or large.
	//
	// +kubebuilder:validation:Enum=small;large
	Tier string `json:"tier"`
	// Size is the size of each replica.
	Size resource.Quantity `json:"size"`
	// Replicas is their number.
	//
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`
	// Peers are caches that know each other.
	//
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Peers []Peer `json:"peers,omitempty"`
}

// Peer is another cache.
type Peer struct {
	// +kubebuilder:validation:MaxLength=63
	Zone string `json:"zone"`
	// +kubebuilder:validation:MaxLength=253
	Address string `json:"address"`
}

// Limits are parameters of the policies for caches.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=limits,scope=Cluster
type Limits struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec LimitsSpec `json:"spec"`
}

// LimitsSpec are the limits.
type LimitsSpec struct {
	// Replicas is the most that a cache may have.
	Replicas int32 `json:"replicas"`
}
