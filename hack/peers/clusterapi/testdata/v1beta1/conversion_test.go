package v1beta1

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1beta1 "sigs.k8s.io/cluster-api/api/core/v1beta1"
	clusterv1beta2 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/webhook-gen/webhook-gen/runtime/conversion/conversiontest"
)

// served is a cluster that serves v1beta1 of everything.
func served(_ context.Context, kind schema.GroupKind) (string, error) {
	return kind.WithVersion("v1beta1").GroupVersion().String(), nil
}

var converter = NewConverter(References{served})

// kind makes a Kind with objects as Cluster API's controllers write them. It has no schemas: the markers of v1beta2
// refuse many values that v1beta1 accepts, and Cluster API converts them as they are.
func kind[S, H any](toHub func(context.Context, *S, *H) error, fromHub func(context.Context, *H, *S) error) conversiontest.Kind[S, H] {
	return conversiontest.Kind[S, H]{ToHub: toHub, FromHub: fromHub, Spoke: spoke[S], Hub: hub[H], Schemas: map[string]conversiontest.Schema{}}
}

func newClusterConversion(testing.TB) conversiontest.Kind[clusterv1beta1.Cluster, clusterv1beta2.Cluster] {
	return kind(converter.ClusterToHub, converter.ClusterFromHub)
}

func newClusterClassConversion(testing.TB) conversiontest.Kind[clusterv1beta1.ClusterClass, clusterv1beta2.ClusterClass] {
	return kind(converter.ClusterClassToHub, converter.ClusterClassFromHub)
}

func newMachineConversion(testing.TB) conversiontest.Kind[clusterv1beta1.Machine, clusterv1beta2.Machine] {
	return kind(converter.MachineToHub, converter.MachineFromHub)
}

func newMachineSetConversion(testing.TB) conversiontest.Kind[clusterv1beta1.MachineSet, clusterv1beta2.MachineSet] {
	return kind(converter.MachineSetToHub, converter.MachineSetFromHub)
}

func newMachineDeploymentConversion(testing.TB) conversiontest.Kind[clusterv1beta1.MachineDeployment, clusterv1beta2.MachineDeployment] {
	return kind(converter.MachineDeploymentToHub, converter.MachineDeploymentFromHub)
}

func newMachinePoolConversion(testing.TB) conversiontest.Kind[clusterv1beta1.MachinePool, clusterv1beta2.MachinePool] {
	return kind(converter.MachinePoolToHub, converter.MachinePoolFromHub)
}

func newMachineHealthCheckConversion(testing.TB) conversiontest.Kind[clusterv1beta1.MachineHealthCheck, clusterv1beta2.MachineHealthCheck] {
	return kind(converter.MachineHealthCheckToHub, converter.MachineHealthCheckFromHub)
}

func newMachineDrainRuleConversion(testing.TB) conversiontest.Kind[clusterv1beta1.MachineDrainRule, clusterv1beta2.MachineDrainRule] {
	return kind(MachineDrainRuleToHub, MachineDrainRuleFromHub)
}

// spoke gives an object of v1beta1 references as its controllers write them, and timeouts of whole seconds: Cluster
// API's own fuzz tests are about such objects, too.
func spoke[S any](o *S, _ *rand.Rand) {
	each(o, func(r *corev1.ObjectReference) {
		*r = corev1.ObjectReference{APIVersion: "group.example.com/v1beta1", Kind: "Kind" + r.Kind, Name: r.Name, Namespace: any(o).(metav1.Object).GetNamespace()}
	})
	each(o, func(d *metav1.Duration) { d.Duration = d.Truncate(time.Second) })
	if m, ok := any(o).(*clusterv1beta1.Machine); ok && m.Status.NodeRef != nil {
		m.Status.NodeRef = &corev1.ObjectReference{APIVersion: "v1", Kind: "Node", Name: "node" + m.Status.NodeRef.Name}
	}
}

// hub does the same for v1beta2, whose references have a group and a kind, and whose failure domains have names, and are in order.
func hub[H any](o *H, _ *rand.Rand) {
	each(o, func(r *clusterv1beta2.ContractVersionedObjectReference) {
		if r.IsDefined() {
			r.APIGroup, r.Kind = "group.example.com", "Kind"+r.Kind
		}
	})
	if c, ok := any(o).(*clusterv1beta2.Cluster); ok {
		for i := range c.Status.FailureDomains {
			c.Status.FailureDomains[i].Name += fmt.Sprint(i)
		}
		slices.SortFunc(c.Status.FailureDomains, func(a, b clusterv1beta2.FailureDomain) int { return strings.Compare(a.Name, b.Name) })
	}
}

// each visits all values of a type in an object.
func each[T any](o any, visit func(*T)) {
	var walk func(reflect.Value)
	walk = func(v reflect.Value) {
		if v.CanAddr() && v.Addr().CanInterface() {
			if found, ok := v.Addr().Interface().(*T); ok {
				visit(found)
				return
			}
		}
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i))
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		}
	}
	walk(reflect.ValueOf(o))
}
