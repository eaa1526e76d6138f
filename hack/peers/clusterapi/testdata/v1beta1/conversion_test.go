package v1beta1

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/webhook-gen/webhook-gen/hack/peers/clusterapi/internal/webhook/conversion/conversiontest"
)

// served is a cluster that serves v1beta1 of everything.
func served(_ context.Context, kind schema.GroupKind) (string, error) {
	return kind.WithVersion("v1beta1").GroupVersion().String(), nil
}

func check[S, H any](t *testing.T, name string, toHub func(context.Context, *S, *H) error, fromHub func(context.Context, *H, *S) error, dropped ...string) {
	t.Run(name, func(t *testing.T) {
		conversiontest.Check(t, conversiontest.Kind[S, H]{ToHub: toHub, FromHub: fromHub, Dropped: dropped})
	})
}

func TestInvariants(t *testing.T) {
	c := NewConverter(References{served})
	check(t, "Cluster", c.ClusterToHub, c.ClusterFromHub, "spec.topology.rolloutAfter",
		"spec.topology.variables.definitionFrom", "spec.topology.controlPlane.variables.overrides.definitionFrom",
		"spec.topology.workers.machineDeployments.variables.overrides.definitionFrom", "spec.topology.workers.machinePools.variables.overrides.definitionFrom")
	check(t, "ClusterClass", c.ClusterClassToHub, c.ClusterClassFromHub)
	check(t, "Machine", c.MachineToHub, c.MachineFromHub)
	check(t, "MachineSet", c.MachineSetToHub, c.MachineSetFromHub)
	check(t, "MachineDeployment", c.MachineDeploymentToHub, c.MachineDeploymentFromHub, "spec.progressDeadlineSeconds", "spec.revisionHistoryLimit")
	check(t, "MachinePool", c.MachinePoolToHub, c.MachinePoolFromHub)
	check(t, "MachineHealthCheck", c.MachineHealthCheckToHub, c.MachineHealthCheckFromHub)
	check(t, "MachineDrainRule", MachineDrainRuleToHub, MachineDrainRuleFromHub)
}
