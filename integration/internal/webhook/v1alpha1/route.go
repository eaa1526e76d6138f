// SPDX-License-Identifier: Apache-2.0

// Package v1alpha1 converts Fleets of v1alpha1.
package v1alpha1

import (
	"context"
	"strings"

	fleetv1 "github.com/webhook-gen/webhook-gen/integration/api/v1"
	fleetv1alpha1 "github.com/webhook-gen/webhook-gen/integration/api/v1alpha1"
)

// Route converts the route of a Fleet, which was one text with slashes, and its watch.
type Route struct{}

// If Route lacks a function of a marker, the compiler reports it at this line.
var _ Hooks = Route{}

// FleetSpecRouteToHub takes the text apart.
func (Route) FleetSpecRouteToHub(_ context.Context, src *fleetv1alpha1.FleetSpec, dst *fleetv1.FleetSpec) error {
	if src.Route != "" {
		dst.Route = strings.Split(src.Route, "/")
	}
	return nil
}

// FleetSpecRouteFromHub makes one text of it.
func (Route) FleetSpecRouteFromHub(_ context.Context, src *fleetv1.FleetSpec, dst *fleetv1alpha1.FleetSpec) error {
	dst.Route = strings.Join(src.Route, "/")
	return nil
}

// FleetSpecWatchToHub takes the text apart.
func (Route) FleetSpecWatchToHub(_ context.Context, src *fleetv1alpha1.FleetSpec, dst *fleetv1.FleetSpec) error {
	dst.Watches = strings.Fields(src.Watch)
	return nil
}

// FleetSpecWatchFromHub makes nothing of the list: the annotation keeps the text.
func (Route) FleetSpecWatchFromHub(context.Context, *fleetv1.FleetSpec, *fleetv1alpha1.FleetSpec) error {
	return nil
}
