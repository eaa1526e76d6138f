package integration

import (
	"net/http"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"

	fleetv1 "github.com/webhook-gen/webhook-gen/integration/api/v1"
	fleetv1alpha1 "github.com/webhook-gen/webhook-gen/integration/api/v1alpha1"
	fleetv1beta1 "github.com/webhook-gen/webhook-gen/integration/api/v1beta1"
	webhookv1alpha1 "github.com/webhook-gen/webhook-gen/integration/internal/webhook/v1alpha1"
	webhookv1beta1 "github.com/webhook-gen/webhook-gen/integration/internal/webhook/v1beta1"
)

// conversions serves the generated conversions of Fleet.
func conversions() (http.Handler, error) {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: "fleet.example.com", Version: "v1", Kind: "Fleet"}, &fleetv1.Fleet{})
	scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: "fleet.example.com", Version: "v1beta1", Kind: "Fleet"}, &fleetv1beta1.Fleet{})
	scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: "fleet.example.com", Version: "v1alpha1", Kind: "Fleet"}, &fleetv1alpha1.Fleet{})
	first := webhookv1alpha1.NewConverter(webhookv1alpha1.Route{})
	converter, err := conversion.NewHubSpokeConverter(&fleetv1.Fleet{},
		conversion.NewSpokeConverter(&fleetv1alpha1.Fleet{}, first.FleetFromHub, first.FleetToHub),
		conversion.NewSpokeConverter(&fleetv1beta1.Fleet{}, webhookv1beta1.FleetFromHub, webhookv1beta1.FleetToHub),
	)(scheme)
	if err != nil {
		return nil, err
	}
	registry := conversion.NewRegistry()
	if err := registry.RegisterConverter(schema.GroupKind{Group: "fleet.example.com", Kind: "Fleet"}, converter); err != nil {
		return nil, err
	}
	return conversion.NewWebhookHandler(scheme, registry), nil
}
