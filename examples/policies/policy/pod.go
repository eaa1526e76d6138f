package policy

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"example.com/policies/internal/webhook/admission"
)

// PodPolicy puts the team's label on pods, and wants their images to come from our registry. Containers that are added
// to a running pod for debugging are no exception.
//
// +webhook:mutating(for: "v1/Pod", operations: "create", order: -10) # before those that go by the label
// +webhook:validating(for: "v1/Pod", operations: "create;update")
// +webhook:rule(webhook: validating, subresource: ephemeralcontainers, operations: "update")
type PodPolicy struct {
	// Registry is what the names of images begin with, such as "registry.example.com/".
	Registry string
}
