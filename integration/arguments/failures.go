// SPDX-License-Identifier: Apache-2.0

package arguments

import (
	"context"
	"errors"
	"time"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// Closed cannot be reached, and so its objects are denied.
//
// +webhook:validating(for: "v1/ConfigMap", name: closed, operations: "create", decode: none, objectSelector: "topic=closed",
// failurePolicy: Fail, service: "integration-system/nobody:8443")
type Closed struct{ bystander }

// Open cannot be reached either, but its objects pass.
//
// +webhook:validating(for: "v1/ConfigMap", name: open, operations: "create", decode: none, objectSelector: "topic=open",
// failurePolicy: Ignore, service: "integration-system/nobody:8443")
type Open struct{ bystander }

// errLookup is the error of a validator that could not decide.
var errLookup = errors.New("the lookup failed")

// FailingClosed is reached, but comes to no verdict.
//
// +webhook:validating(for: "v1/ConfigMap", name: failingclosed, operations: "create", decode: none, objectSelector: "topic=failing-closed",
// failurePolicy: Fail)
type FailingClosed struct{}

// ValidateCreate fails.
func (FailingClosed) ValidateCreate(context.Context, *admission.RawRequest) error {
	return admission.Failure(errLookup)
}

// FailingOpen comes to no verdict, and is passed.
//
// +webhook:validating(for: "v1/ConfigMap", name: failingopen, operations: "create", decode: none, objectSelector: "topic=failing-open",
// failurePolicy: Ignore)
type FailingOpen struct{}

// ValidateCreate fails.
func (FailingOpen) ValidateCreate(context.Context, *admission.RawRequest) error {
	return admission.Failure(errLookup)
}

// Thought is how long Hurried and Patient take. It is more than the one has, and less than the other.
const Thought = 1500 * time.Millisecond

// think takes its time, if it is given that.
func think(ctx context.Context) error {
	select {
	case <-time.After(Thought):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Hurried has less time than it needs.
//
// +webhook:validating(for: "v1/ConfigMap", name: hurried, operations: "create", decode: none, objectSelector: "topic=hurried",
// timeoutSeconds: 1)
type Hurried struct{}

// ValidateCreate takes Thought.
func (Hurried) ValidateCreate(ctx context.Context, _ *admission.RawRequest) error { return think(ctx) }

// Patient has the time that it needs.
//
// +webhook:validating(for: "v1/ConfigMap", name: patient, operations: "create", decode: none, objectSelector: "topic=patient",
// timeoutSeconds: 20)
type Patient struct{}

// ValidateCreate takes Thought.
func (Patient) ValidateCreate(ctx context.Context, _ *admission.RawRequest) error { return think(ctx) }
