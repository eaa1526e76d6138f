// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"errors"
	"net/http"
	"os"
	"testing"

	"github.com/webhook-gen/webhook-gen/integration/internal/apiserver"
	"github.com/webhook-gen/webhook-gen/integration/platform"
	"github.com/webhook-gen/webhook-gen/integration/policies"
	"github.com/webhook-gen/webhook-gen/integration/sealed"
	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// shared is the environment of all tests, which TestMain starts. It is nil where there is no API server to start.
var shared *environment

func TestMain(m *testing.M) {
	os.Exit(apiserver.Run(m, func() (stop func(), err error) {
		if shared, err = start(); err != nil {
			return nil, err
		}
		return shared.stop, nil
	}))
}

// onAPIServer returns the environment, and skips the test if there is no API server.
func onAPIServer(t *testing.T) *environment {
	t.Helper()
	if shared == nil {
		t.Skip(apiserver.Missing)
	}
	return shared
}

// register registers every webhook that the manifest names.
func register(handle func(path string, handler http.Handler)) error {
	handle(policies.EventsPath, admission.Validating("events.policies.integration.example.com",
		admission.On(admission.Create, policies.Everything{}.ValidateCreate)))
	return errors.Join(
		policies.Webhooks{
			Again:         policies.Again{},
			Ancient:       policies.Ancient{},
			Anywhere:      policies.Anywhere{},
			Avocet:        policies.Avocet{},
			Bittern:       policies.Bittern{},
			Careful:       policies.Careful{},
			Closed:        policies.Closed{},
			Clusterwide:   policies.Clusterwide{},
			Conditions:    policies.Conditions{},
			Curlew:        policies.Curlew{},
			Distrusted:    policies.Distrusted{},
			Elsewhere:     policies.Elsewhere{},
			Equivalent:    policies.Equivalent{},
			Everything:    policies.Everything{},
			Exact:         policies.Exact{},
			Exec:          policies.Exec{},
			FailingClosed: policies.FailingClosed{},
			FailingOpen:   policies.FailingOpen{},
			Hurried:       policies.Hurried{},
			InNamespaces:  policies.InNamespaces{},
			Later:         policies.Later{},
			Modern:        policies.Modern{},
			Namespaced:    policies.Namespaced{},
			Older:         policies.Older{},
			Once:          policies.Once{},
			Open:          policies.Open{},
			Outside:       policies.Outside{},
			Patched:       policies.Patched{},
			Patient:       policies.Patient{},
			Pure:          policies.Pure{},
			Scale:         policies.Scale{},
			Status:        policies.Status{},
			Strict:        policies.Strict{},
			Unsure:        policies.Unsure{},
			Updates:       policies.Updates{},
			Whole:         policies.Whole{},
			Wide:          policies.Wide{},
			WithLabels:    policies.WithLabels{},
		}.Register(handle),
		platform.Webhooks{
			Early:    platform.Early{},
			Late:     platform.Late{},
			Lost:     platform.Lost{},
			Ordinary: platform.Ordinary{},
			Precise:  platform.Precise{},
			Special:  platform.Special{},
		}.Register(handle),
		sealed.Webhooks{Seal: sealed.Seal{}}.Register(handle),
	)
}
