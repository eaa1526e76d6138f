// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/webhook-gen/webhook-gen/runtime/conversion"
)

// requestsFor has a policy judge Fleets of a namespace that are written in a version.
func requestsFor(namespace, version string, match admissionregistrationv1.MatchPolicyType, operations ...admissionregistrationv1.OperationType) *admissionregistrationv1.MatchResources {
	return &admissionregistrationv1.MatchResources{
		NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": namespace}},
		MatchPolicy:       &match,
		ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: admissionregistrationv1.RuleWithOperations{
			Operations: operations,
			Rule:       admissionregistrationv1.Rule{APIGroups: []string{"fleet.example.com"}, APIVersions: []string{version}, Resources: []string{"fleets"}},
		}}},
	}
}

// TestValidatingPolicyAsGuard has a ValidatingAdmissionPolicy forbid requests of v1alpha1 to change the annotation.
// With a webhook that defaults the hub, it denies requests that do not touch the annotation.
func TestValidatingPolicyAsGuard(t *testing.T) {
	e := onAPIServer(t)
	e.conversions.withoutKeys(t)
	namespace := e.namespace(t, quiet())
	deny, fail := []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny}, admissionregistrationv1.Fail
	name := "guard-" + namespace
	const annotation = `(%[1]s == null || !has(%[1]s.metadata.annotations) || !('%[2]s' in %[1]s.metadata.annotations) ? '' : %[1]s.metadata.annotations['%[2]s'])`
	e.installFor(t, &admissionregistrationv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
		FailurePolicy:    &fail,
		MatchConstraints: requestsFor(namespace, "v1alpha1", admissionregistrationv1.Exact, admissionregistrationv1.Create, admissionregistrationv1.Update),
		Validations: []admissionregistrationv1.Validation{{
			Expression: fmt.Sprintf(annotation, "object", conversion.Annotation) + " == " + fmt.Sprintf(annotation, "oldObject", conversion.Annotation),
			Message:    "the annotation changes",
		}},
	}})
	e.installFor(t, &admissionregistrationv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: name, ValidationActions: deny}})
	evil := forged(t, `{"at":["spec","docking","pilot"],"is":false}`)
	denied := func(err error) bool { return err != nil && strings.Contains(err.Error(), "the annotation changes") }
	eventually(t, "the policy denies", func() bool {
		fleet := newFleet("v1alpha1", namespace, "probe", first())
		fleet.SetAnnotations(evil)
		return denied(e.client.Create(t.Context(), fleet, client.DryRunAll))
	})

	e.create(t, newFleet("v1alpha1", namespace, "fleet", first()))
	create := func() error {
		return e.client.Create(t.Context(), newFleet("v1alpha1", namespace, "plain", first()), client.DryRunAll)
	}
	patch := func() error {
		fleet := e.getFleet(t, "v1alpha1", namespace, "fleet")
		return e.client.Patch(t.Context(), fleet, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"size":4}}`)), client.DryRunAll)
	}
	for what, request := range map[string]func() error{"create": create, "patch": patch} {
		if err := request(); err != nil {
			t.Errorf("without a default, %s: %v", what, err)
		}
	}
	e.create(t, newFleet("v1", namespace, "kept", hub()))
	for what, annotations := range map[string]map[string]string{"changed": evil, "removed": {}} {
		if err := writes["replace"](e, t, e.getFleet(t, "v1alpha1", namespace, "kept"), 4, annotations); !denied(err) {
			t.Errorf("an annotation that is %s: %v", what, err)
		}
	}
	backup := e.getFleet(t, "v1alpha1", namespace, "kept")
	backup.SetName("restored")
	backup.SetResourceVersion("")
	backup.SetUID("")
	if err := e.client.Create(t.Context(), backup); !denied(err) {
		t.Errorf("a backup is restored: %v", err)
	}
	defaultPilot(t, e, namespace)
	for what, request := range map[string]func() error{"create": create, "patch": patch} {
		if err := request(); !denied(err) {
			t.Errorf("with a default, %s: %v", what, err)
		}
	}
}

// TestMutatingPolicyAsGuard has a MutatingAdmissionPolicy undo what requests do to the annotation, without keys and
// with them.
func TestMutatingPolicyAsGuard(t *testing.T) {
	e := onAPIServer(t)
	known, err := discovery.NewDiscoveryClientForConfigOrDie(e.config).ServerResourcesForGroupVersion(admissionregistrationv1.SchemeGroupVersion.String())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(fmt.Sprint(known.APIResources), "mutatingadmissionpolicies") {
		t.Skip("this API server does not have MutatingAdmissionPolicy in admissionregistration.k8s.io/v1")
	}
	const create, update = admissionregistrationv1.Create, admissionregistrationv1.Update
	evil := forged(t, `{"at":["spec","docking","pilot"],"is":false}`)
	// guarded is a namespace with the policy and the default of the hub.
	guarded := func(t *testing.T, version string, match admissionregistrationv1.MatchPolicyType, operations ...admissionregistrationv1.OperationType) string {
		t.Helper()
		namespace := e.namespace(t, quiet())
		e.revertAnnotation(t, namespace, requestsFor(namespace, version, match, operations...))
		defaultPilot(t, e, namespace)
		return namespace
	}
	// rightly has a Fleet of v1 whose pilot is false, and returns what it has to be.
	rightly := func(t *testing.T, namespace, name string) object {
		t.Helper()
		want := hub()
		want["docking"].(object)["pilot"] = false
		spec := hub()
		spec["docking"].(object)["pilot"] = false
		e.create(t, newFleet("v1", namespace, name, spec))
		return want
	}
	restored := func(t *testing.T, namespace, name string) {
		t.Helper()
		backup := e.getFleet(t, "v1alpha1", namespace, name)
		if err := e.client.Delete(t.Context(), backup.DeepCopy()); err != nil {
			t.Fatal(err)
		}
		backup.SetResourceVersion("")
		backup.SetUID("")
		e.create(t, backup)
	}
	// updates writes in each way with each annotation, and wants none to count.
	updates := func(t *testing.T, namespace string, annotations map[string]map[string]string) {
		t.Helper()
		for kind, annotation := range annotations {
			for way, write := range writes {
				name := inName(kind + " " + way)
				e.create(t, newFleet("v1alpha1", namespace, name, first()))
				if err := write(e, t, e.getFleet(t, "v1alpha1", namespace, name), 4, annotation); err != nil {
					t.Fatal(err)
				}
				e.wantPilot(t, namespace, name, true)
				name += "-kept"
				want := rightly(t, namespace, name)
				if err := write(e, t, e.getFleet(t, "v1alpha1", namespace, name), 4, annotation); err != nil {
					t.Fatal(err)
				}
				want["replicas"] = int64(4)
				wantPart(t, e.getFleet(t, "v1", namespace, name), "spec", want)
			}
		}
	}

	t.Run("without keys", func(t *testing.T) {
		e.conversions.withoutKeys(t)
		namespace := guarded(t, "v1alpha1", admissionregistrationv1.Exact, create, update)
		fleet := newFleet("v1alpha1", namespace, "created", first())
		fleet.SetAnnotations(evil)
		e.create(t, fleet)
		e.wantPilot(t, namespace, "created", true)
		updates(t, namespace, map[string]map[string]string{"forged": evil, "removed": {}, "honest": nil})
		// It takes the annotation of a backup for a forged one.
		rightly(t, namespace, "saved")
		restored(t, namespace, "saved")
		e.wantPilot(t, namespace, "saved", true)
	})
	t.Run("in the version of the hub", func(t *testing.T) {
		// The annotation has been carried out by then.
		e.conversions.withoutKeys(t)
		namespace := guarded(t, "v1", admissionregistrationv1.Equivalent, create, update)
		fleet := newFleet("v1alpha1", namespace, "created", first())
		fleet.SetAnnotations(evil)
		e.create(t, fleet)
		e.wantPilot(t, namespace, "created", false)
	})
	t.Run("of updates, with keys", func(t *testing.T) {
		namespace := guarded(t, "v1alpha1", admissionregistrationv1.Exact, update)
		fleet := newFleet("v1alpha1", namespace, "created", first())
		fleet.SetAnnotations(evil)
		e.create(t, fleet)
		e.wantPilot(t, namespace, "created", true)
		updates(t, namespace, map[string]map[string]string{"forged": evil, "removed": {}, "honest": nil})
		want := rightly(t, namespace, "saved")
		restored(t, namespace, "saved")
		wantPart(t, e.getFleet(t, "v1", namespace, "saved"), "spec", want)
		// An old annotation of the same Fleet does not count either.
		old := annotationsOf(e.getFleet(t, "v1alpha1", namespace, "saved"))
		changed := e.getFleet(t, "v1", namespace, "saved")
		unstructured.SetNestedField(changed.Object, true, "spec", "docking", "pilot")
		if err := e.client.Update(t.Context(), changed); err != nil {
			t.Fatal(err)
		}
		if err := writes["merge patch"](e, t, e.getFleet(t, "v1alpha1", namespace, "saved"), 4, old); err != nil {
			t.Fatal(err)
		}
		e.wantPilot(t, namespace, "saved", true)
	})
}

// revertAnnotation has the MutatingAdmissionPolicy of docs/guides/security.md judge requests: objects get the
// annotations of the conversion back that they had before.
func (e *environment) revertAnnotation(t *testing.T, namespace string, requests *admissionregistrationv1.MatchResources) {
	t.Helper()
	page, err := os.ReadFile("../docs/guides/security.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "```yaml\napiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicy\n")
	text, _, closed := strings.Cut(rest, "```")
	first, second, both := strings.Cut(text, "\n---\n")
	if !found || !closed || !both {
		t.Fatal("docs/guides/security.md has no policy and binding")
	}
	policy, binding := &admissionregistrationv1.MutatingAdmissionPolicy{}, &admissionregistrationv1.MutatingAdmissionPolicyBinding{}
	if err := errors.Join(yaml.UnmarshalStrict([]byte(first), policy), yaml.UnmarshalStrict([]byte(second), binding)); err != nil {
		t.Fatal(err)
	}
	policy.Name, binding.Name = "revert-"+namespace, "revert-"+namespace
	binding.Spec.PolicyName = policy.Name
	policy.Spec.MatchConstraints = requests
	// The label shows that an API server has taken the policy up.
	policy.Spec.Mutations = append(policy.Spec.Mutations, admissionregistrationv1.Mutation{
		PatchType:          admissionregistrationv1.PatchTypeApplyConfiguration,
		ApplyConfiguration: &admissionregistrationv1.ApplyConfiguration{Expression: `Object{metadata: Object.metadata{labels: {"judged": "yes"}}}`},
	})
	e.installFor(t, policy)
	e.installFor(t, binding)
	eventually(t, "the policy marks objects", func() bool {
		probe := newFleet(requests.ResourceRules[0].APIVersions[0], namespace, "probe", object{})
		e.create(t, probe)
		probe.SetAnnotations(map[string]string{"probed": "yes"})
		if err := e.client.Update(t.Context(), probe); err != nil {
			t.Fatal(err)
		}
		if err := e.client.Delete(t.Context(), probe.DeepCopy()); err != nil {
			t.Fatal(err)
		}
		return probe.GetLabels()["judged"] == "yes"
	})
}
