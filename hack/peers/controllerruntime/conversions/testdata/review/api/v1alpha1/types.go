// Package v1alpha1 is the old version of an API in the manner of Cluster API's infrastructure providers.
//
// +groupName=infra.example.com
// +versionName=v1alpha1
// +kubebuilder:object:generate=true
package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Server is a kind of which both versions can say the same.
//
// +kubebuilder:object:root=true
type Server struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ServerSpec   `json:"spec,omitempty"`
	Status ServerStatus `json:"status,omitempty"`
}

// ServerSpec is what a server shall be.
type ServerSpec struct {
	Flavor         string                        `json:"flavor"`
	ImageName      string                        `json:"imageName,omitempty"`
	SSHKeyName     string                        `json:"sshKeyName,omitempty"`
	ProviderID     *string                       `json:"providerID,omitempty"`
	PowerState     string                        `json:"powerState,omitempty"`
	Trunk          bool                          `json:"trunk,omitempty"`
	Networks       []Network                     `json:"networks,omitempty"`
	SecurityGroups []string                      `json:"securityGroups,omitempty"`
	Tags           []string                      `json:"tags,omitempty"`
	ServerMetadata map[string]string             `json:"serverMetadata,omitempty"`
	RootVolume     *RootVolume                   `json:"rootVolume,omitempty"`
	BootstrapRef   *corev1.LocalObjectReference  `json:"bootstrapRef,omitempty"`
	CloudsSecrets  []corev1.LocalObjectReference `json:"cloudsSecrets,omitempty"`
}

// Network is one that a server is in.
type Network struct {
	Name    string   `json:"name"`
	FixedIP string   `json:"fixedIP,omitempty"`
	Tags    []string `json:"tags,omitempty"`
}

// RootVolume is a disk.
type RootVolume struct {
	DiskSize         int    `json:"diskSize,omitempty"`
	VolumeType       string `json:"volumeType,omitempty"`
	AvailabilityZone string `json:"availabilityZone,omitempty"`
}

// ServerStatus is what a server is.
type ServerStatus struct {
	Ready         bool                 `json:"ready,omitempty"`
	InstanceState string               `json:"instanceState,omitempty"`
	Addresses     []corev1.NodeAddress `json:"addresses,omitempty"`
	Conditions    []metav1.Condition   `json:"conditions,omitempty"`
}

// Machine is a kind of which each version can say what the other cannot.
//
// +kubebuilder:object:root=true
type Machine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   MachineSpec   `json:"spec,omitempty"`
	Status MachineStatus `json:"status,omitempty"`
}

// MachineSpec is what a machine shall be.
type MachineSpec struct {
	ClusterName       string                  `json:"clusterName"`
	Bootstrap         corev1.ObjectReference  `json:"bootstrap"`
	InfrastructureRef *corev1.ObjectReference `json:"infrastructureRef,omitempty"`
	Version           *string                 `json:"version,omitempty"`
	ProviderID        *string                 `json:"providerID,omitempty"`
	FailureDomain     *string                 `json:"failureDomain,omitempty"`
	NodeDrainTimeout  *metav1.Duration        `json:"nodeDrainTimeout,omitempty"`
	Paused            bool                    `json:"paused,omitempty"`
	Networks          []Network               `json:"networks,omitempty"`
}

// MachineStatus is what a machine is.
type MachineStatus struct {
	NodeRef    *corev1.ObjectReference `json:"nodeRef,omitempty"`
	Phase      string                  `json:"phase,omitempty"`
	Addresses  []corev1.NodeAddress    `json:"addresses,omitempty"`
	Conditions []metav1.Condition      `json:"conditions,omitempty"`
}
