// SPDX-License-Identifier: Apache-2.0

package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Fleet is a number of ships.
//
// +webhook:conversion:hub
type Fleet struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   FleetSpec   `json:"spec,omitempty"`
	Status FleetStatus `json:"status,omitempty"`
}

// FleetSpec is the desired state of a Fleet.
type FleetSpec struct {
	// Replicas is how many ships there shall be.
	Replicas *int32 `json:"replicas,omitempty"`
	// Cargo is the cargo of the ships.
	Cargo Cargo `json:"cargo,omitempty"`
	// Owners are who pays, the first of them most.
	Owners []string `json:"owners,omitempty"`
	// Docking is how ships come in.
	Docking *Docking `json:"docking,omitempty"`
	// Ships lists the ships that have a name.
	//
	// +listType=map
	// +listMapKey=name
	Ships []Ship `json:"ships,omitempty"`
	// Pace is the speed of the ships.
	Pace string `json:"pace,omitempty"`
	// Route is where they go, in order.
	Route []string `json:"route,omitempty"`
	// Cover is the insurance of the fleet.
	Cover *Cover `json:"cover,omitempty"`
	// Licences lists what the fleet may do.
	Licences []Licence `json:"licences,omitempty"`
	// Watches are who keeps watch, in order.
	Watches []string `json:"watches,omitempty"`
}

// Licence is a permission of an authority.
type Licence struct {
	Kind   string `json:"kind"`
	Number string `json:"number,omitempty"`
}

// Cover is the insurance of a fleet.
type Cover struct {
	// Company is who pays for losses.
	Company string `json:"company,omitempty"`
	// Stolen reports that theft is a loss.
	//
	// +kubebuilder:default:=true
	Stolen *bool `json:"stolen,omitempty"`
}

// Cargo is the cargo of the ships.
type Cargo string

// The cargoes there are.
const (
	CargoTea    Cargo = "Tea"
	CargoSpices Cargo = "Spices"
)

// Docking is how ships come in.
type Docking struct {
	// TimeoutSeconds is how long one may wait for a berth.
	TimeoutSeconds *int64 `json:"timeoutSeconds,omitempty"`
	// Pilot reports that a pilot comes aboard.
	Pilot *bool `json:"pilot,omitempty"`
}

// Ship is a ship that has a name.
type Ship struct {
	Name string `json:"name"`
	// Tons is how much it carries.
	Tons int64 `json:"tons,omitempty"`
	// Flag is under which it sails. Version v1alpha1 does not have it.
	Flag string `json:"flag,omitempty"`
}

// FleetStatus is the observed state of a Fleet.
type FleetStatus struct {
	// Replicas is how many ships there are.
	Replicas int32 `json:"replicas,omitempty"`
	// Conditions are the conditions of the fleet.
	//
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
