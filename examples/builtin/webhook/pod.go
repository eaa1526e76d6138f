// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// TeamLabel names the team that a pod belongs to.
const TeamLabel = "builtin.example.com/team"

// PodWebhook labels pods with their team, and wants images to come from one registry. Containers that are added to a
// running pod to debug it are no exception.
//
// +webhook:mutating(for: "v1/Pod", operations: "create", order: -10) # before those that go by the label
// +webhook:validating(for: "v1/Pod", operations: "create;update", deleting: unchangedSpec)
// +webhook:rule(webhook: validating, subresource: ephemeralcontainers, operations: "update")
type PodWebhook struct {
	// Registry is what the names of images begin with, such as "registry.example.com/".
	Registry string
}

// The compiler reports a missing method of a marker's operation at this line.
var _ interface {
	PodWebhookDefaulter
	PodWebhookValidator
} = (*PodWebhook)(nil)

// DefaultCreate labels the pod with the team of its namespace, whatever label it came with.
func (p *PodWebhook) DefaultCreate(_ context.Context, r *admission.CreateRequest[corev1.Pod]) error {
	team, _ := teamAndStage(r.Namespace)
	if r.Object.Labels == nil {
		r.Object.Labels = map[string]string{}
	}
	r.Object.Labels[TeamLabel] = team
	return nil
}

// ValidateCreate denies images from elsewhere, with a cause for each, and warns of containers without a limit of
// memory.
func (p *PodWebhook) ValidateCreate(_ context.Context, r *admission.CreateRequest[corev1.Pod]) error {
	for _, container := range r.Object.Spec.Containers {
		if container.Resources.Limits.Memory().IsZero() {
			r.Warn(fmt.Sprintf("container %s has no limit: it may take all the memory of its node", container.Name))
		}
	}
	return p.deny(p.elsewhere(images(&r.Object.Spec)))
}

// ValidateUpdate denies new images from elsewhere. Images that the pod had before pass: they may be older than this
// rule, and a pod that cannot be updated keeps its finalizers.
func (p *PodWebhook) ValidateUpdate(_ context.Context, r *admission.UpdateRequest[corev1.Pod]) error {
	wrong := p.elsewhere(images(&r.Object.Spec))
	if len(wrong) == 0 {
		return nil // Most updates end here, and the old object has not been decoded.
	}
	old, err := r.OldObject()
	if err != nil {
		return err
	}
	before := images(&old.Spec)
	return p.deny(slices.DeleteFunc(wrong, func(now image) bool {
		return slices.ContainsFunc(before, func(i image) bool { return i.name == now.name })
	}))
}

// elsewhere returns the images that are not from the registry.
func (p *PodWebhook) elsewhere(all []image) []image {
	return slices.DeleteFunc(all, func(i image) bool { return strings.HasPrefix(i.name, p.Registry) })
}

// deny returns an error with a cause for each image, and nil for none.
func (p *PodWebhook) deny(images []image) error {
	var wrong field.ErrorList
	for _, image := range images {
		wrong = append(wrong, field.Invalid(image.path, image.name, "must come from "+p.Registry))
	}
	return wrong.ToAggregate()
}

// image is an image of a pod, and where the pod names it.
type image struct {
	path *field.Path
	name string
}

// images returns the images of all kinds of containers.
func images(spec *corev1.PodSpec) []image {
	var all []image
	add := func(list string, i int, name string) {
		all = append(all, image{field.NewPath("spec", list).Index(i).Child("image"), name})
	}
	for i, c := range spec.InitContainers {
		add("initContainers", i, c.Image)
	}
	for i, c := range spec.Containers {
		add("containers", i, c.Image)
	}
	for i, c := range spec.EphemeralContainers {
		add("ephemeralContainers", i, c.Image)
	}
	return all
}
