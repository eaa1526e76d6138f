// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/webhook-gen/webhook-gen/integration/arguments"
	"github.com/webhook-gen/webhook-gen/integration/deprecations"
	"github.com/webhook-gen/webhook-gen/integration/internal/apiserver"
	"github.com/webhook-gen/webhook-gen/integration/platform"
	"github.com/webhook-gen/webhook-gen/integration/sealed"
	"github.com/webhook-gen/webhook-gen/runtime/admission"
	"github.com/webhook-gen/webhook-gen/runtime/program"
)

// shared is the environment of all tests, which TestMain starts. It is nil where there is no API server to start.
var shared *environment

func TestMain(m *testing.M) {
	if args := os.Getenv(crateProgram); args != "" { // a test runs this binary as the program of its webhooks
		code, _ := program.Run(context.Background(), strings.Fields(args), registerCrates)
		os.Exit(code)
	}
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
	handle(arguments.EventsPath, admission.Validating("events.arguments.integration.example.com",
		admission.On(admission.Create, arguments.Everything{}.ValidateCreate)))
	return errors.Join(
		arguments.Webhooks{
			Again:             arguments.Again{},
			Ancient:           arguments.Ancient{},
			Anywhere:          arguments.Anywhere{},
			Avocet:            arguments.Avocet{},
			Bittern:           arguments.Bittern{},
			Careful:           arguments.Careful{},
			Closed:            arguments.Closed{},
			Clusterwide:       arguments.Clusterwide{},
			Conditions:        arguments.Conditions{},
			Curlew:            arguments.Curlew{},
			DeletingCheck:     arguments.DeletingCheck{},
			DeletingGuarded:   arguments.DeletingGuarded{},
			DeletingSkip:      arguments.DeletingSkip{},
			DeletingUnchanged: arguments.DeletingUnchanged{},
			Distrusted:        arguments.Distrusted{},
			Elsewhere:         arguments.Elsewhere{},
			EnforcementAudit:  arguments.EnforcementAudit{},
			EnforcementDeny:   arguments.EnforcementDeny{},
			EnforcementWarn:   arguments.EnforcementWarn{},
			Equivalent:        arguments.Equivalent{},
			Everything:        arguments.Everything{},
			Exact:             arguments.Exact{},
			Exec:              arguments.Exec{},
			FailingClosed:     arguments.FailingClosed{},
			FailingOpen:       arguments.FailingOpen{},
			Hurried:           arguments.Hurried{},
			InNamespaces:      arguments.InNamespaces{},
			Later:             arguments.Later{},
			Modern:            arguments.Modern{},
			Namespaced:        arguments.Namespaced{},
			Older:             arguments.Older{},
			Once:              arguments.Once{},
			Open:              arguments.Open{},
			Outside:           arguments.Outside{},
			Patched:           arguments.Patched{},
			Patient:           arguments.Patient{},
			Pure:              arguments.Pure{},
			Ratcheting:        arguments.Ratcheting{},
			Rigid:             arguments.Rigid{},
			Scale:             arguments.Scale{},
			Status:            arguments.Status{},
			Strict:            arguments.Strict{},
			Unsure:            arguments.Unsure{},
			Updates:           arguments.Updates{},
			Whole:             arguments.Whole{},
			Wide:              arguments.Wide{},
			WithLabels:        arguments.WithLabels{},
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
		deprecations.Webhooks{LetterCheck: deprecations.LetterCheck{}}.Register(handle),
	)
}
