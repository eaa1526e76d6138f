package webhook

import (
	"errors"
	"net/http"
	"testing"

	"example.com/policies/internal/webhook/admission"
	"example.com/policies/policy"
)

// register registers the webhooks with the policies that the API server is to ask.
func register(t testing.TB, handle func(path string, handler http.Handler), options ...admission.Option) error {
	t.Helper()
	return errors.Join(
		policy.Webhooks{
			NamespacePolicy: &policy.NamespacePolicy{Administrators: "platform-admins"},
			PodPolicy:       &policy.PodPolicy{Registry: "registry.example.com/"},
			ReplicasPolicy:  &policy.ReplicasPolicy{Max: 20},
			ShellPolicy:     &policy.ShellPolicy{},
			Workload:        &policy.WorkloadWebhook{MaxReplicas: 20},
		}.Register(handle, options...),
	)
}
