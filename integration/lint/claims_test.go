// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/webhook-gen/webhook-gen/integration/internal/apiserver"
)

// TestClaims shows rules of lint, each with a configuration that breaks it and one beside it that does not.
func TestClaims(t *testing.T) {
	if client == nil {
		t.Skip(apiserver.Missing)
	}
	s := startServer(t)
	for i, c := range claims(t, s) {
		t.Run(fmt.Sprintf("%s/%d", c.rule, i), func(t *testing.T) {
			name := fmt.Sprintf("%s-%d", strings.ToLower(c.rule), i)
			if c.rule == "W21" && c.broken {
				name += ".static.k8s.io"
			}
			c.check(t, s, name)
		})
	}
}

func claims(t *testing.T, s *server) []claim {
	info, err := client.ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	is137 := version.MustParseGeneric(info.GitVersion).AtLeast(version.MustParseGeneric("1.37.0"))
	// happens does something that must succeed, and checks whether a path is called for it.
	happens := func(path string, called bool, do func() error) func(*testing.T, error) {
		return func(t *testing.T, err error) {
			before := s.calls(path) // by the probe
			if err == nil {
				err = do()
			}
			if err != nil {
				t.Fatal(err)
			}
			if n := s.calls(path) - before; (n > 0) != called {
				t.Errorf("%s is called %d times", path, n)
			}
		}
	}
	list := func(w ...v1.MutatingWebhook) []v1.MutatingWebhook { return w }
	// on is a webhook for one rule.
	on := func(path, operation, group string, resources ...string) v1.MutatingWebhook {
		return webhook(s.at(path), rule(operation, group, resources...))
	}
	without := func(w v1.MutatingWebhook) v1.MutatingWebhook {
		w.Rules = nil
		return w
	}
	labelled := func(w v1.MutatingWebhook, operator metav1.LabelSelectorOperator, key string, values ...string) v1.MutatingWebhook {
		w.NamespaceSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key, Operator: operator, Values: values}}}
		return w
	}
	unlabelled := func(w v1.MutatingWebhook, key string) v1.MutatingWebhook {
		w.ObjectSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key, Operator: metav1.LabelSelectorOpDoesNotExist}}}
		return w
	}
	ignored := func(w v1.MutatingWebhook) v1.MutatingWebhook {
		ignore := v1.Ignore
		w.FailurePolicy = &ignore
		return w
	}
	served := func(w v1.MutatingWebhook, path string) v1.MutatingWebhook { // by a Service that is not there
		w.ClientConfig.URL = nil
		w.ClientConfig.Service = &v1.ServiceReference{Namespace: "own", Name: "own", Path: &path}
		return w
	}
	nothing := func(w v1.MutatingWebhook) v1.MutatingWebhook {
		w.Rules = []v1.RuleWithOperations{rule("CREATE", "nothing.example.com", "nothings")}
		return w
	}
	versioned := func(w v1.MutatingWebhook, version string) v1.MutatingWebhook {
		w.Rules[0].APIVersions = []string{version}
		return w
	}
	scoped := func(w v1.MutatingWebhook, scope v1.ScopeType) v1.MutatingWebhook {
		w.Rules[0].Scope = &scope
		return w
	}
	skip := map[string]string{"skip": "me"}
	return []claim{
		{"W3", true, false, list(without(on("/w3/broken", "CREATE", "", "configmaps"))), happens("/w3/broken", false, newConfigMap(nil))},
		{"W3", false, false, list(on("/w3/good", "CREATE", "", "configmaps")), happens("/w3/good", true, newConfigMap(nil))},

		{"W4", true, false, list(on("/w4/broken", "CREATE", "", "configmaps", "*")), happens("/w4/broken", true, newConfigMap(nil))},
		{"W4", false, false, list(on("/w4/refused", "CREATE", "", "*", "configmaps")), isInvalid},

		{"W5", true, false, list(on("/w5/group", "CREATE", "core", "configmaps")), happens("/w5/group", false, newConfigMap(nil))},
		{"W5", true, false, list(on("/w5/resource", "CREATE", "", "ConfigMaps", "configmap*", "configmaps/a/b")), happens("/w5/resource", false, newConfigMap(nil))},
		// An empty subresource name means the resource itself.
		{"W5", false, false, list(on("/w5/slash", "CREATE", "", "configmaps/")), happens("/w5/slash", true, newConfigMap(nil))},
		{"W5", false, false, list(on("/w5/good", "CREATE", "", "configmaps")), happens("/w5/good", true, newConfigMap(nil))},

		{"W6", true, false, list(on("/w6/broken", "CREATE", "", "configmap")), happens("/w6/broken", false, newConfigMap(nil))},
		{"W6", true, false, list(on("/w6/deletion", "DELETE", "", "pods")), happens("/w6/deletion", false, evictPod)},
		{"W6", false, false, list(webhook(s.at("/w6/good"), rule("DELETE", "", "pods"), rule("CREATE", "", "pods/eviction"))), happens("/w6/good", true, evictPod)},

		{"W10", true, false, list(nothing(served(on("", "CREATE", ""), "/Validate_Order"))), isInvalid},
		{"W10", false, false, list(nothing(served(on("", "CREATE", ""), "/validate-order"))), happens("", false, func() error { return nil })},

		{"W12", true, false, list(served(on("", "CREATE", "", "pods"), "/w12")), isRefused(newPod)},
		{"W12", false, false, list(labelled(served(on("", "CREATE", "", "pods"), "/w12"), metav1.LabelSelectorOpNotIn, "kubernetes.io/metadata.name", "kube-system", "own")),
			happens("", false, newPod)},

		{"W13", true, false, list(labelled(on("/w13/broken", "CREATE", "rbac.authorization.k8s.io", "clusterroles"), metav1.LabelSelectorOpExists, "production")),
			happens("/w13/broken", true, newClusterRole)},
		{"W13", false, false, list(labelled(on("/w13/good", "CREATE", "", "configmaps"), metav1.LabelSelectorOpExists, "production")),
			happens("/w13/good", false, newConfigMap(nil))},

		{"W14", true, false, list(on("/w14/broken", "CREATE", "authentication.k8s.io", "tokenreviews")), happens("/w14/broken", !is137, reviewToken)},
		{"W14", false, false, list(on("/w14/good", "CREATE", "", "configmaps")), happens("/w14/good", true, newConfigMap(nil))},

		{"W15", true, false, list(on("/w15/broken", "CREATE", "admissionregistration.k8s.io", "validatingwebhookconfigurations")),
			happens("/w15/broken", false, newConfiguration)},
		{"W15", false, false, list(on("/w15/good", "CREATE", "rbac.authorization.k8s.io", "clusterroles")), happens("/w15/good", true, newClusterRole)},

		{"W16", true, true, list(ignored(on("/patch/w16", "DELETE", "", "configmaps"))), isRefused(deleteConfigMap)},
		{"W16", false, true, list(ignored(on("/patch/w16", "CREATE", "", "configmaps"))), happens("/patch/w16", true, newConfigMap(nil))},

		{"W21", true, false, list(nothing(served(on("", "CREATE", ""), "/w21"))), func(t *testing.T, err error) {
			if apierrors.IsInvalid(err) != is137 {
				t.Error(err)
			}
		}},
		{"W21", false, false, list(nothing(served(on("", "CREATE", ""), "/w21"))), happens("", false, func() error { return nil })},

		{"W23", true, false, list(unlabelled(on("/w23/broken", "CREATE", "", "configmaps"), "skip")), happens("/w23/broken", false, newConfigMap(skip))},
		{"W23", false, false, list(on("/w23/good", "CREATE", "", "configmaps")), happens("/w23/good", true, newConfigMap(skip))},

		{"W29", true, false, list(versioned(on("/w29/broken", "CREATE", "", "configmaps"), "v1beta1")), happens("/w29/broken", false, newConfigMap(nil))},
		{"W29", false, false, list(versioned(on("/w29/good", "CREATE", "", "configmaps"), "v1")), happens("/w29/good", true, newConfigMap(nil))},

		{"W30", true, false, list(scoped(on("/w30/namespaces", "CREATE", "", "namespaces"), v1.NamespacedScope)), happens("/w30/namespaces", false, newNamespace)},
		{"W30", true, false, list(scoped(on("/w30/configmaps", "CREATE", "", "configmaps"), v1.ClusterScope)), happens("/w30/configmaps", false, newConfigMap(nil))},
		{"W30", false, false, list(scoped(on("/w30/good", "CREATE", "", "namespaces"), v1.ClusterScope)), happens("/w30/good", true, newNamespace)},

		{"W31", true, false, list(unlabelled(on("/w31/broken", "CONNECT", "", "pods/exec"), "skip")), happens("/w31/broken", false, execInPod)},
		{"W31", false, false, list(on("/w31/good", "CONNECT", "", "pods/exec")), happens("/w31/good", true, execInPod)},
	}
}

// TestPatience shows W18: with three webhooks that do not answer within 10 seconds a request passes by them, with four
// it fails, though each may be left out.
func TestPatience(t *testing.T) {
	if client == nil {
		t.Skip(apiserver.Missing)
	}
	for hooks, broken := range map[int]bool{3: false, 4: true} {
		t.Run(fmt.Sprint(hooks), func(t *testing.T) {
			t.Parallel()
			s := startServer(t)
			name := fmt.Sprintf("patience-%d", hooks)
			if _, err := client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			c := claim{rule: "W18", broken: broken, mutating: true}
			ignore := v1.Ignore
			for i := range hooks {
				w := webhook(s.at(fmt.Sprintf("/hang/%d", i)), rule("CREATE", "", "configmaps"))
				w.Name = fmt.Sprintf("w%d.lint.example.com", i)
				w.FailurePolicy = &ignore
				w.NamespaceSelector.MatchLabels = map[string]string{corev1.LabelMetadataName: name}
				c.webhooks = append(c.webhooks, w)
			}
			c.seen = func(t *testing.T, err error) {
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				_, err = client.CoreV1().ConfigMaps(name).Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "x"}}, metav1.CreateOptions{})
				t.Logf("%d webhooks, %v: %v", hooks, time.Since(began).Round(time.Second), err)
				if (err != nil) != broken {
					t.Errorf("%d webhooks: %v", hooks, err)
				}
			}
			c.check(t, s, name)
		})
	}
}

func isInvalid(t *testing.T, err error) {
	if !apierrors.IsInvalid(err) {
		t.Errorf("the API server says %v", err)
	}
}

// isRefused checks that the API server fails a request with status 500.
func isRefused(do func() error) func(*testing.T, error) {
	return func(t *testing.T, err error) {
		if err != nil {
			t.Fatal(err)
		}
		if err := do(); !apierrors.IsInternalError(err) {
			t.Errorf("the API server says %v", err)
		}
	}
}

func newConfigMap(labels map[string]string) func() error {
	return func() error {
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "x-", Labels: labels}}
		_, err := client.CoreV1().ConfigMaps("default").Create(context.Background(), object, metav1.CreateOptions{})
		return err
	}
}

func newNamespace() error {
	_, err := client.CoreV1().Namespaces().Create(context.Background(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "x-"}}, metav1.CreateOptions{})
	return err
}

// execInPod connects to a pod, which runs nowhere: an API server finds that out after admission.
func execInPod() error {
	pods := client.CoreV1().Pods("default")
	object := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "x-"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "x", Image: "x"}}}}
	pod, err := pods.Create(context.Background(), object, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	err = client.CoreV1().RESTClient().Post().Namespace("default").Resource("pods").Name(pod.Name).SubResource("exec").
		Param("command", "true").Param("stdout", "true").Do(context.Background()).Error()
	if apierrors.IsBadRequest(err) {
		return nil
	}
	return fmt.Errorf("a pod without a node is entered: %w", err)
}

func deleteConfigMap() error {
	configMaps := client.CoreV1().ConfigMaps("default")
	object, err := configMaps.Create(context.Background(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "x-"}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	return configMaps.Delete(context.Background(), object.Name, metav1.DeleteOptions{})
}

func pod(namespace string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "x-", Namespace: namespace},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "x", Image: "x"}}},
	}
}

func newPod() error {
	_, err := client.CoreV1().Pods("kube-system").Create(context.Background(), pod("kube-system"), metav1.CreateOptions{})
	return err
}

func evictPod() error {
	created, err := client.CoreV1().Pods("default").Create(context.Background(), pod("default"), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	return client.PolicyV1().Evictions("default").Evict(context.Background(), &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: created.Name, Namespace: "default"}})
}

func newClusterRole() error {
	_, err := client.RbacV1().ClusterRoles().Create(context.Background(), &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{GenerateName: "x-"}}, metav1.CreateOptions{})
	return err
}

func newConfiguration() error {
	_, err := client.AdmissionregistrationV1().ValidatingWebhookConfigurations().Create(context.Background(),
		&v1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{GenerateName: "x-"}}, metav1.CreateOptions{})
	return err
}

func reviewToken() error {
	_, err := client.AuthenticationV1().TokenReviews().Create(context.Background(),
		&authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: "none"}}, metav1.CreateOptions{})
	return err
}
