// SPDX-License-Identifier: Apache-2.0

package examples

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// pod is a pod with an image.
func pod(namespace, name, image string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: image}}},
	}
}

const (
	ownImage   = "registry.example.com/tea:1"
	otherImage = "registry.example.org/tea:1"
)

// TestBuiltin runs examples/builtin under an API server: Pods, their ephemeral containers and shells, Deployments and
// their scale, and Namespaces.
func TestBuiltin(t *testing.T) {
	s := onAPIServer(t)
	o := s.prepare(t, "../../examples/builtin/config/webhook/manifests.yaml")
	start(t, "../../examples/builtin",
		"-address", fmt.Sprintf("%s:%d", o.LocalServingHost, o.LocalServingPort), "-metrics-address", "127.0.0.1:0", "-drain", "-1s",
		"-cert", filepath.Join(o.LocalServingCertDir, "tls.crt"), "-key", filepath.Join(o.LocalServingCertDir, "tls.key"))
	if err := o.Install(s.config); err != nil {
		t.Fatal(err)
	}
	s.namespace(t, "shop-prod", nil)
	s.namespace(t, "shop-exempt", map[string]string{"builtin.example.com/exempt": "true"})
	eventually(t, func() error { // With failurePolicy Ignore, objects pass before webhooks are called.
		p := pod("shop-prod", "probe", otherImage)
		if err := s.client.Create(t.Context(), p, client.DryRunAll); err == nil || p.Labels["builtin.example.com/team"] == "" && !apierrors.IsInvalid(err) {
			return fmt.Errorf("webhooks are not called: %v", err)
		}
		return nil
	})

	t.Run("pods", func(t *testing.T) {
		wantError(t, s.client.Create(t.Context(), pod("shop-prod", "other", otherImage)), apierrors.IsInvalid,
			`admission webhook "validate.pods.v1.builtin.example.com" denied the request`, "spec.containers[0].image")
		own := pod("shop-prod", "own", ownImage)
		if err := s.client.Create(t.Context(), own); err != nil {
			t.Fatal(err)
		}
		if own.Labels["builtin.example.com/team"] != "shop" {
			t.Errorf("got labels %v", own.Labels)
		}
		if err := s.client.Create(t.Context(), pod("shop-exempt", "other", otherImage)); err != nil {
			t.Errorf("in an exempt namespace: %v", err)
		}
		own.Spec.EphemeralContainers = []corev1.EphemeralContainer{{
			EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "debug", Image: otherImage},
		}}
		wantError(t, s.client.SubResource("ephemeralcontainers").Update(t.Context(), own), apierrors.IsInvalid,
			"spec.ephemeralContainers[0].image")
		own.Spec.EphemeralContainers[0].Image = ownImage
		if err := s.client.SubResource("ephemeralcontainers").Update(t.Context(), own); err != nil {
			t.Error(err)
		}
	})

	t.Run("shells", func(t *testing.T) {
		clientset, err := kubernetes.NewForConfig(s.config)
		if err != nil {
			t.Fatal(err)
		}
		exec := func(tty string) error {
			return clientset.CoreV1().RESTClient().Post().Namespace("shop-prod").Resource("pods").Name("own").SubResource("exec").
				Param("command", "id").Param("stdout", "true").Param("tty", tty).Do(t.Context()).Error()
		}
		wantError(t, exec("true"), apierrors.IsForbidden, "no terminals in production")
		if err := exec("false"); apierrors.IsForbidden(err) {
			t.Error(err)
		}
	})

	t.Run("workloads", func(t *testing.T) {
		labels := map[string]string{"app": "tea"}
		deployment := &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop-prod", Name: "tea"},
			Spec: appsv1.DeploymentSpec{
				Replicas: new(int32(21)),
				Selector: &metav1.LabelSelector{MatchLabels: labels},
				Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod("", "", ownImage).Spec},
			},
		}
		wantError(t, s.client.Create(t.Context(), deployment), apierrors.IsInvalid, "validate.deployments.v1.apps.builtin.example.com", "must be 20 at most")
		deployment.Spec.Replicas = new(int32(2))
		if err := s.client.Create(t.Context(), deployment); err != nil {
			t.Fatal(err)
		}
		scale := func(replicas int32) error {
			scale := &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: replicas}}
			return s.client.SubResource("scale").Update(t.Context(), deployment, client.WithSubResourceBody(scale))
		}
		wantError(t, scale(21), apierrors.IsInvalid, "validate.scale.deployments.v1.apps.builtin.example.com", "must be 20 at most")
		if err := scale(20); err != nil {
			t.Error(err)
		}
	})

	t.Run("namespaces", func(t *testing.T) {
		as := func(group string) client.Client {
			config := rest.CopyConfig(s.config)
			config.Impersonate = rest.ImpersonationConfig{UserName: "alice", Groups: []string{"system:masters", group}}
			c, err := client.New(config, client.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		s.namespace(t, "tea-prod", nil)
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "tea-prod"}}
		wantError(t, as("developers").Delete(t.Context(), namespace), apierrors.IsForbidden, "only the group platform-admins may delete it")
		if err := as("platform-admins").Delete(t.Context(), namespace); err != nil {
			t.Error(err)
		}
	})
}

// wantError checks that an error has a kind and contains all of the texts.
func wantError(t *testing.T, err error, kind func(error) bool, texts ...string) {
	t.Helper()
	if err == nil || !kind(err) {
		t.Errorf("got %v", err)
		return
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("got %v, want %s", err, text)
		}
	}
}
