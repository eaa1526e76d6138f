// SPDX-License-Identifier: Apache-2.0

package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Fleet is a number of ships.
//
// +webhook:conversion:spoke
type Fleet struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   FleetSpec   `json:"spec,omitempty"`
	Status FleetStatus `json:"status,omitempty"`
}

// FleetSpec is the desired state of a Fleet.
type FleetSpec struct {
	Replicas *int32   `json:"replicas,omitempty"`
	Cargo    Cargo    `json:"cargo,omitempty"`
	Owners   []string `json:"owners,omitempty"`
	// DockingTimeoutSeconds is how long a ship may wait for a berth.
	//
	// +webhook:conversion:to="docking.timeoutSeconds"
	DockingTimeoutSeconds *int64 `json:"dockingTimeoutSeconds,omitempty"`
	// Pilot reports that a pilot comes aboard.
	//
	// +webhook:conversion:to="docking.pilot"
	Pilot *bool `json:"pilot,omitempty"`
	// Ships lists the ships that have a name.
	//
	// +listType=map
	// +listMapKey=name
	Ships []Ship   `json:"ships,omitempty"`
	Pace  string   `json:"pace,omitempty"`
	Route []string `json:"route,omitempty"`
	// Cover is the insurance of the fleet.
	Cover *Cover `json:"cover,omitempty"`
}

// Cover is the insurance of a fleet.
type Cover struct {
	Company string `json:"company,omitempty"`
	Stolen  bool   `json:"stolen,omitempty"`
}

// Cargo is the cargo of the ships.
type Cargo string

// The cargoes there are.
const (
	CargoTea    Cargo = "Tea"
	CargoSpices Cargo = "Spices"
)

// Ship is a ship that has a name.
type Ship struct {
	Name string `json:"name"`
	Tons int64  `json:"tons,omitempty"`
	Flag string `json:"flag,omitempty"`
}

// FleetStatus is the observed state of a Fleet.
type FleetStatus struct {
	Replicas int32 `json:"replicas,omitempty"`
	// Conditions are the conditions of the fleet.
	//
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
