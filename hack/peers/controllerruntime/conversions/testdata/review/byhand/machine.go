package byhand

import (
	"context"
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/webhook-gen/webhook-gen/hack/peers/conversionreview/review/api/v1"
	"github.com/webhook-gen/webhook-gen/hack/peers/conversionreview/review/api/v1alpha1"
)

// Annotation is where a machine of v1alpha1 carries all of what it was in v1, as Cluster API's objects do.
const Annotation = "infra.example.com/conversion-data"

// MachineToHub converts a Machine of v1alpha1 to v1, and takes from the annotation what v1alpha1 cannot say.
func MachineToHub(_ context.Context, src *v1alpha1.Machine, dst *v1.Machine) error {
	dst.ObjectMeta = src.ObjectMeta
	dst.Spec = v1.MachineSpec{
		ClusterName:       src.Spec.ClusterName,
		Bootstrap:         src.Spec.Bootstrap,
		InfrastructureRef: src.Spec.InfrastructureRef,
		Version:           value(src.Spec.Version),
		ProviderID:        value(src.Spec.ProviderID),
		FailureDomain:     value(src.Spec.FailureDomain),
		Ports:             portsOf(src.Spec.Networks),
	}
	if src.Spec.NodeDrainTimeout != nil {
		seconds := int32(src.Spec.NodeDrainTimeout.Duration / time.Second)
		dst.Spec.Deletion.NodeDrainTimeoutSeconds = &seconds
	}
	if src.Spec.Paused {
		dst.Spec.Paused = &src.Spec.Paused
	}
	dst.Status = v1.MachineStatus{NodeRef: src.Status.NodeRef, Phase: src.Status.Phase, Addresses: src.Status.Addresses, Conditions: src.Status.Conditions}
	data, ok := src.Annotations[Annotation]
	if !ok {
		return nil
	}
	var restored v1.Machine
	if err := json.Unmarshal([]byte(data), &restored); err != nil {
		return err
	}
	delete(dst.Annotations, Annotation)
	dst.Spec.Deletion.Order = restored.Spec.Deletion.Order
	dst.Spec.ReadinessGates = restored.Spec.ReadinessGates
	dst.Spec.MinReadySeconds = restored.Spec.MinReadySeconds
	dst.Status.Initialization = restored.Status.Initialization
	if dst.Spec.Paused == nil && restored.Spec.Paused != nil && !*restored.Spec.Paused {
		dst.Spec.Paused = restored.Spec.Paused
	}
	return nil
}

// MachineFromHub converts a Machine of v1 to v1alpha1, and keeps all of it in the annotation.
func MachineFromHub(_ context.Context, src *v1.Machine, dst *v1alpha1.Machine) error {
	dst.ObjectMeta = src.ObjectMeta
	dst.Spec = v1alpha1.MachineSpec{
		ClusterName:       src.Spec.ClusterName,
		Bootstrap:         src.Spec.Bootstrap,
		InfrastructureRef: src.Spec.InfrastructureRef,
		Version:           pointer(src.Spec.Version),
		ProviderID:        pointer(src.Spec.ProviderID),
		FailureDomain:     pointer(src.Spec.FailureDomain),
		Networks:          networksOf(src.Spec.Ports),
	}
	if seconds := src.Spec.Deletion.NodeDrainTimeoutSeconds; seconds != nil {
		dst.Spec.NodeDrainTimeout = &metav1.Duration{Duration: time.Duration(*seconds) * time.Second}
	}
	if src.Spec.Paused != nil {
		dst.Spec.Paused = *src.Spec.Paused
	}
	dst.Status = v1alpha1.MachineStatus{NodeRef: src.Status.NodeRef, Phase: src.Status.Phase, Addresses: src.Status.Addresses, Conditions: src.Status.Conditions}
	src.ObjectMeta = metav1.ObjectMeta{} // the source is not needed any more
	data, err := json.Marshal(src)
	if err != nil {
		return err
	}
	if dst.Annotations == nil {
		dst.Annotations = map[string]string{}
	}
	dst.Annotations[Annotation] = string(data)
	return nil
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func pointer(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
