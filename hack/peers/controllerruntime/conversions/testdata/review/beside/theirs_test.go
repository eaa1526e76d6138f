package beside

import (
	"net/http"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/log"
	peer "sigs.k8s.io/controller-runtime/pkg/webhook/conversion"

	"github.com/webhook-gen/webhook-gen/hack/peers/conversionreview/review"
	v1 "github.com/webhook-gen/webhook-gen/hack/peers/conversionreview/review/api/v1"
	"github.com/webhook-gen/webhook-gen/hack/peers/conversionreview/review/api/v1alpha1"
	"github.com/webhook-gen/webhook-gen/hack/peers/conversionreview/review/byhand"
)

// theirs is controller-runtime's handler with the functions by hand.
func theirs() http.Handler {
	log.SetLogger(logr.Discard())
	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(review.HubVersion, &v1.Server{}, &v1.Machine{})
	scheme.AddKnownTypes(review.SpokeVersion, &v1alpha1.Server{}, &v1alpha1.Machine{})
	registry := peer.NewRegistry()
	for kind, make := range map[string]func(*runtime.Scheme) (peer.Converter, error){
		"Server":  peer.NewHubSpokeConverter(&v1.Server{}, peer.NewSpokeConverter(&v1alpha1.Server{}, byhand.ServerFromHub, byhand.ServerToHub)),
		"Machine": peer.NewHubSpokeConverter(&v1.Machine{}, peer.NewSpokeConverter(&v1alpha1.Machine{}, byhand.MachineFromHub, byhand.MachineToHub)),
	} {
		converter, err := make(scheme)
		if err != nil {
			panic(err)
		}
		if err := registry.RegisterConverter(review.HubVersion.WithKind(kind).GroupKind(), converter); err != nil {
			panic(err)
		}
	}
	return peer.NewWebhookHandler(scheme, registry)
}
