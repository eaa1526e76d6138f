// Package v1 is the new version of the API, and its hub.
//
// +groupName=infra.example.com
// +versionName=v1
// +kubebuilder:object:generate=true
package v1

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
	Image          string                        `json:"image,omitempty"`
	SSHKeyName     string                        `json:"sshKeyName,omitempty"`
	ProviderID     *string                       `json:"providerID,omitempty"`
	PowerState     string                        `json:"powerState,omitempty"`
	Trunk          bool                          `json:"trunk,omitempty"`
	Ports          []Port                        `json:"ports,omitempty"`
	SecurityGroups []string                      `json:"securityGroups,omitempty"`
	Tags           []string                      `json:"tags,omitempty"`
	Metadata       map[string]string             `json:"metadata,omitempty"`
	RootVolume     *RootVolume                   `json:"rootVolume,omitempty"`
	BootstrapRef   *corev1.LocalObjectReference  `json:"bootstrapRef,omitempty"`
	CloudsSecrets  []corev1.LocalObjectReference `json:"cloudsSecrets,omitempty"`
}

// Port is where a server is in a network.
type Port struct {
	Network string   `json:"network"`
	Address string   `json:"address,omitempty"`
	Tags    []string `json:"tags,omitempty"`
}

// RootVolume is a disk.
type RootVolume struct {
	SizeGiB          int32  `json:"sizeGiB,omitempty"`
	Type             string `json:"type,omitempty"`
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
	Version           string                  `json:"version,omitempty"`
	ProviderID        string                  `json:"providerID,omitempty"`
	FailureDomain     string                  `json:"failureDomain,omitempty"`
	Deletion          Deletion                `json:"deletion,omitempty"`
	Paused            *bool                   `json:"paused,omitempty"`
	Ports             []Port                  `json:"ports,omitempty"`
	ReadinessGates    []ReadinessGate         `json:"readinessGates,omitempty"`
	MinReadySeconds   *int32                  `json:"minReadySeconds,omitempty"`
}

// Deletion is how a machine goes.
type Deletion struct {
	NodeDrainTimeoutSeconds *int32 `json:"nodeDrainTimeoutSeconds,omitempty"`
	Order                   string `json:"order,omitempty"`
}

// ReadinessGate is a condition that counts.
type ReadinessGate struct {
	ConditionType string `json:"conditionType"`
	Polarity      string `json:"polarity,omitempty"`
}

// MachineStatus is what a machine is.
type MachineStatus struct {
	NodeRef        *corev1.ObjectReference `json:"nodeRef,omitempty"`
	Phase          string                  `json:"phase,omitempty"`
	Addresses      []corev1.NodeAddress    `json:"addresses,omitempty"`
	Conditions     []metav1.Condition      `json:"conditions,omitempty"`
	Initialization *Initialization         `json:"initialization,omitempty"`
}

// Initialization is what has been done once.
type Initialization struct {
	InfrastructureProvisioned  *bool `json:"infrastructureProvisioned,omitempty"`
	BootstrapDataSecretCreated *bool `json:"bootstrapDataSecretCreated,omitempty"`
}
