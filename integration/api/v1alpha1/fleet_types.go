// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Fleet is a number of ships.
//
// +webhook:conversion:spoke(reads: "fleet.example.com/v1")
// +webhook:conversion:to(field: "metadata.labels[owner]", path: "metadata.labels[fleet.example.com/owner]")
type Fleet struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   FleetSpec   `json:"spec,omitempty"`
	Status FleetStatus `json:"status,omitempty"`
}

// FleetSpec is the desired state of a Fleet.
type FleetSpec struct {
	// Size is how many ships there shall be.
	//
	// +webhook:conversion:to="replicas"
	Size *int32 `json:"size,omitempty"`
	// Cargo is the cargo of the ships, in small letters.
	//
	// +webhook:conversion:enum(from: "tea", to: "Tea")
	// +webhook:conversion:enum(from: "spices", to: "Spices")
	Cargo Cargo `json:"cargo,omitempty"`
	// Owner is who pays.
	//
	// +webhook:conversion:to(path: "owners", as: "first")
	Owner string `json:"owner,omitempty"`
	// DockingTimeout is how long a ship may wait for a berth.
	//
	// +webhook:conversion:to(path: "docking.timeoutSeconds", as: "seconds")
	DockingTimeout *metav1.Duration `json:"dockingTimeout,omitempty"`
	// Ships lists the ships that have a name.
	//
	// +listType=map
	// +listMapKey=name
	Ships []Ship `json:"ships,omitempty"`
	// Pace is the speed of the ships.
	//
	// +webhook:conversion:default="steady"
	Pace string `json:"pace,omitempty"`
	// Route is where they go, from port to port: "Canton/London".
	//
	// +webhook:conversion:custom
	Route string `json:"route,omitempty"`
	// Motto is on the sails.
	//
	// +webhook:conversion:stash
	Motto string `json:"motto,omitempty"`
	// Cover is the insurance of the fleet.
	Cover *Cover `json:"cover,omitempty"`
	// Licence is the number of the licence to trade.
	//
	// +webhook:conversion:to(path: "licences", as: "element:kind=Trade;wrap:number")
	Licence string `json:"licence,omitempty"`
	// Watch lists who keeps watch, with spaces between. The hub's list does not give it back.
	//
	// +webhook:conversion:custom(hub: "watches")
	Watch string `json:"watch,omitempty"`
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
	CargoTea    Cargo = "tea"
	CargoSpices Cargo = "spices"
)

// Ship is a ship that has a name.
type Ship struct {
	Name string `json:"name"`
	Tons int64  `json:"tons,omitempty"`
}

// FleetStatus is the observed state of a Fleet.
type FleetStatus struct {
	Replicas int32 `json:"replicas,omitempty"`
	// Phase sums up the state of the fleet.
	//
	// +webhook:conversion:drop="conditions say it better"
	Phase string `json:"phase,omitempty"`
}
