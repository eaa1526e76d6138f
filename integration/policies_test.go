// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// policies are created once, by the first test that needs them.
type policies struct {
	once     sync.Once
	mutating bool // served
	err      error
}

// withPolicies returns the environment with the policies of package policies in effect.
func withPolicies(t *testing.T) *environment {
	t.Helper()
	e := onAPIServer(t)
	e.policies.once.Do(func() { e.policies.mutating, e.policies.err = e.installPolicies() })
	if e.policies.err != nil {
		t.Fatal(e.policies.err)
	}
	return e
}

// installPolicies applies the generated file as it is.
func (e *environment) installPolicies() (mutating bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	text, err := os.ReadFile("config/webhook/policies.yaml")
	if err != nil {
		return false, err
	}
	mutating = true
	documents := utilyaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(text)))
	for buffer := make([]byte, len(text)); ; {
		n, err := documents.Read(buffer)
		if errors.Is(err, io.EOF) {
			return mutating, nil
		} else if err != nil {
			return false, err
		}
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(buffer[:n], &object.Object); err != nil {
			return false, err
		}
		switch err := e.client.Create(ctx, object, client.FieldValidation("Strict")); {
		case object.GetKind() == "":
		case meta.IsNoMatchError(err) && strings.HasPrefix(object.GetKind(), "Mutating"):
			mutating = false
		case err != nil:
			return false, err
		}
	}
}

// becomes repeats a dry run until its outcome is as wanted. API servers take up policies, bindings and parameters
// after a moment, without notice. An empty text means success.
func becomes(t *testing.T, what, want string, try func() error) error {
	t.Helper()
	var err error
	for range 300 {
		if err = try(); err == nil && want == "" || err != nil && want != "" && strings.Contains(err.Error(), want) {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%s: wanted %q, got %v", what, want, err)
	return err
}

func (e *environment) dryRun(t *testing.T, object client.Object) error {
	return e.client.Create(t.Context(), object.DeepCopyObject().(client.Object), client.DryRunAll)
}

// sized is a ConfigMap with a size.
func sized(namespace, name, size string) *corev1.ConfigMap {
	c := configMap(namespace, name, nil)
	c.Data = map[string]string{"size": size}
	return c
}

func secret(namespace, name string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

func deployment(namespace, name string) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "a", Image: "a"}}}},
	}}
}

// scaleTo sets the replicas of a Deployment in a dry run.
func (e *environment) scaleTo(t *testing.T, namespace, name string, replicas int32) func() error {
	return func() error {
		scale := &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: autoscalingv1.ScaleSpec{Replicas: replicas}}
		return e.client.SubResource("scale").Update(t.Context(), deployment(namespace, name), client.WithSubResourceBody(scale), &client.SubResourceUpdateOptions{UpdateOptions: client.UpdateOptions{DryRun: []string{metav1.DryRunAll}}})
	}
}

// TestPolicyVerdicts has a policy that denies, with its message, reason and audit annotation.
func TestPolicyVerdicts(t *testing.T) {
	e := withPolicies(t)
	namespace := e.namespace(t, map[string]string{"policies": "verdict"})
	err := becomes(t, "too large", "ValidatingAdmissionPolicy 'validate.configmaps.v1.integration.example.com' with binding 'validate.configmaps.v1.integration.example.com' denied request: too large",
		func() error { return e.dryRun(t, sized(namespace, "six", "6")) })
	if !apierrors.IsRequestEntityTooLargeError(err) {
		t.Errorf("the reason is %v", apierrors.ReasonForError(err))
	}
	becomes(t, "message by expression", "denied request: seven is too large", func() error { return e.dryRun(t, sized(namespace, "seven", "7")) })
	becomes(t, "match condition", "", func() error { return e.dryRun(t, sized(namespace, "exempt", "9")) })
	becomes(t, "another namespace", "", func() error { return e.dryRun(t, sized(e.namespace(t, nil), "six", "6")) })
	small := sized(namespace, "small", "1")
	e.create(t, small)
	if got := e.auditAnnotations(t, namespace, "small")["validate.configmaps.v1.integration.example.com/size"]; got != "size 1" {
		t.Errorf("the audit annotation is %q", got)
	}
	small.Data["size"] = "6"
	if err := e.client.Update(t.Context(), small, client.DryRunAll); err == nil {
		t.Error("the update is not denied")
	}
	if err := e.client.Delete(t.Context(), small); err != nil {
		t.Errorf("operations has no delete: %v", err)
	}
}

// TestPolicyMembers has two policies of one type, and members that name one of them.
func TestPolicyMembers(t *testing.T) {
	e := withPolicies(t)
	both := e.namespace(t, map[string]string{"policies": "members", "first": "yes"})
	alone := e.namespace(t, map[string]string{"policies": "members"})
	for _, c := range []struct {
		what, want string
		object     client.Object
	}{
		{"the first", "the first", configMap(both, "any", nil)},
		{"its exclusion", "", configMap(both, "kept", nil)},
		{"its condition", "", configMap(both, "skipped", nil)},
		{"its rule", "the first", secret(both, "secret")},
		{"another name than the rule's", "", secret(both, "another")},
		{"its binding", "", configMap(alone, "any", nil)},
		{"the binding's namespaces, for a secret", "", secret(alone, "secret")},
		{"the other", "the other", configMap(alone, "other", nil)},
	} {
		becomes(t, c.what, c.want, func() error { return e.dryRun(t, c.object) })
	}
	e.create(t, configMap(alone, "audited", nil))
	if got := e.auditAnnotations(t, alone, "audited"); got["other.validate.configmaps.v1.integration.example.com/seen"] != "yes" {
		t.Errorf("the audit annotations are %v", got)
	}
	e.create(t, deployment(both, "a"))
	becomes(t, "its rule for a subresource", "the first", e.scaleTo(t, both, "a", 2))
}

// TestPolicyRules has policies for other resources than their type's.
func TestPolicyRules(t *testing.T) {
	e := withPolicies(t)
	everything := e.namespace(t, map[string]string{"policies": "everything"})
	becomes(t, "a secret", "everything is refused", func() error { return e.dryRun(t, secret(everything, "a")) })
	for _, name := range []string{"scaled", "free"} {
		e.create(t, deployment(everything, name))
	}
	kept := configMap(everything, "excluded", nil)
	e.create(t, kept)
	becomes(t, "an update of an excluded resource", "everything is refused", func() error { return e.client.Update(t.Context(), kept.DeepCopy(), client.DryRunAll) })
	becomes(t, "an excluded subresource and name", "", e.scaleTo(t, everything, "scaled", 5))
	becomes(t, "another name", "everything is refused", e.scaleTo(t, everything, "free", 5))
	becomes(t, "a kind without namespaces", "", func() error {
		return e.dryRun(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "everything", Labels: map[string]string{"policies": "everything"}}})
	})

	scaled := e.namespace(t, map[string]string{"policies": "scaled"})
	for _, name := range []string{"scaled", "free"} {
		e.create(t, deployment(scaled, name))
	}
	becomes(t, "five", "three at most", e.scaleTo(t, scaled, "scaled", 5))
	becomes(t, "three", "", e.scaleTo(t, scaled, "scaled", 3))
	becomes(t, "another name", "", e.scaleTo(t, scaled, "free", 5))
}

// TestPolicySettings has policies that fail open and closed, for one version or any, and for labelled objects.
func TestPolicySettings(t *testing.T) {
	e := withPolicies(t)
	becomes(t, "Fail", "type conversion error", func() error {
		return e.dryRun(t, configMap(e.namespace(t, map[string]string{"policies": "closed"}), "a", nil))
	})
	becomes(t, "Ignore", "", func() error {
		return e.dryRun(t, configMap(e.namespace(t, map[string]string{"policies": "open"}), "a", nil))
	})
	for _, match := range []struct{ policies, v1 string }{{"exact", ""}, {"equivalent", "no autoscaler"}} {
		namespace := e.namespace(t, map[string]string{"policies": match.policies})
		becomes(t, match.policies+" v2", "no autoscaler", func() error { return e.dryRun(t, autoscalerV2(namespace)) })
		becomes(t, match.policies+" v1", match.v1, func() error { return e.dryRun(t, autoscalerV1(namespace)) })
	}
	namespace := e.namespace(t, map[string]string{"policies": "labelled"})
	becomes(t, "a label", "guarded", func() error { return e.dryRun(t, configMap(namespace, "a", map[string]string{"guarded": "yes"})) })
	becomes(t, "no label", "", func() error { return e.dryRun(t, configMap(namespace, "a", nil)) })
}

func autoscalerV1(namespace string) client.Object {
	return &autoscalingv1.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "a"},
		Spec: autoscalingv1.HorizontalPodAutoscalerSpec{MaxReplicas: 2, ScaleTargetRef: autoscalingv1.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "a"}}}
}

func autoscalerV2(namespace string) client.Object {
	return &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "a"},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{MaxReplicas: 2, ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "a"}}}
}

// TestPolicyParameters has a policy with two bindings: one names the parameters in the namespace of the request, the
// other selects parameters of a namespace.
func TestPolicyParameters(t *testing.T) {
	e := withPolicies(t)
	named := e.namespace(t, map[string]string{"policies": "parameters", "parameters": "named"})
	selected := e.namespace(t, map[string]string{"policies": "parameters", "parameters": "selected"})
	becomes(t, "selected, and none there", "no params found", func() error { return e.dryRun(t, secret(selected, "bad")) })
	becomes(t, "named, and none there", "", func() error { return e.dryRun(t, secret(named, "bad")) })

	limits := configMap(named, "limits", nil)
	limits.Data = map[string]string{"refused": "bad"}
	e.create(t, limits)
	becomes(t, "named", "refused by parameters", func() error { return e.dryRun(t, secret(named, "bad")) })
	becomes(t, "named, allowed", "", func() error { return e.dryRun(t, secret(named, "good")) })

	e.create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "policies-parameters"}})
	unlabelled := configMap("policies-parameters", "unlabelled", nil)
	unlabelled.Data = map[string]string{"refused": "good"}
	e.create(t, unlabelled)
	chosen := configMap("policies-parameters", "chosen", map[string]string{"limits": "yes"})
	chosen.Data = map[string]string{"refused": "bad"}
	e.create(t, chosen)
	becomes(t, "selected", "refused by parameters", func() error { return e.dryRun(t, secret(selected, "bad")) })
	becomes(t, "selected, allowed", "", func() error { return e.dryRun(t, secret(selected, "good")) })
}

// warned collects the warnings of a client.
type warned struct{ texts []string }

func (w *warned) HandleWarningHeader(_ int, _, text string) { w.texts = append(w.texts, text) }

// TestPolicyBindings has a policy for everything, and bindings that narrow it.
func TestPolicyBindings(t *testing.T) {
	e := withPolicies(t)
	namespace := e.namespace(t, map[string]string{"policies": "bound"})
	becomes(t, "the name of one binding", "with binding 'named.bound", func() error { return e.dryRun(t, configMap(namespace, "named", nil)) })
	becomes(t, "another name", "", func() error { return e.dryRun(t, configMap(namespace, "other", nil)) })
	becomes(t, "another resource", "", func() error { return e.dryRun(t, secret(namespace, "named")) })
	e.create(t, deployment(namespace, "a"))
	becomes(t, "a subresource", "with binding 'scaling.bound", e.scaleTo(t, namespace, "a", 2))
	becomes(t, "the exact version", "with binding 'exact.bound", func() error { return e.dryRun(t, autoscalerV2(namespace)) })
	becomes(t, "another version", "", func() error { return e.dryRun(t, autoscalerV1(namespace)) })

	var warnings warned
	config := rest.CopyConfig(e.config)
	config.WarningHandlerWithContext, config.WarningHandler = nil, &warnings
	user, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := user.Create(t.Context(), configMap(namespace, "warned", map[string]string{"warn": "yes"})); err != nil {
		t.Fatal(err)
	}
	if len(warnings.texts) != 1 || !strings.Contains(warnings.texts[0], "with binding 'warned.bound") {
		t.Errorf("the warnings are %q", warnings.texts)
	}
	if got := e.auditAnnotations(t, namespace, "warned")["validation.policy.admission.k8s.io/validation_failure"]; !strings.Contains(got, "warned.bound") {
		t.Errorf("the audit annotation is %q", got)
	}
}

// TestPolicyMutations has three policies. One adds a label, which another one sees, if need be when it is evaluated
// again. API servers have no certain order of policies, so the third one may see it or not. The object has labels: JSON
// Patch adds to no map that is absent.
func TestPolicyMutations(t *testing.T) {
	e := withPolicies(t)
	if !e.policies.mutating {
		t.Skip("this API server does not serve admissionregistration.k8s.io/v1 MutatingAdmissionPolicy")
	}
	namespace := e.namespace(t, map[string]string{"policies": "changes"})
	var labels map[string]string
	becomes(t, "three labels", "", func() error {
		object := configMap(namespace, "a", map[string]string{"has": "labels"})
		if err := e.client.Create(t.Context(), object, client.DryRunAll); err != nil {
			return err
		}
		if labels = object.Labels; labels["later"] == "" {
			return errors.New("not yet")
		}
		return nil
	})
	if labels["again"] != "yes" || labels["once"] == "" || labels["later"] != "x" {
		t.Errorf("the labels are %v", labels)
	}
	elsewhere := configMap(e.namespace(t, nil), "a", nil)
	e.create(t, elsewhere, client.DryRunAll)
	if len(elsewhere.Labels) > 0 {
		t.Errorf("in another namespace: %v", elsewhere.Labels)
	}
}
