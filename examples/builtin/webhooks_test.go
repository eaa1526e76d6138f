// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/builtin/webhook"
)

// webhooks are the validators and the defaulter as the tests set them.
func webhooks() webhook.Webhooks {
	replicas := webhook.ReplicasWebhook{Max: 20}
	return webhook.Webhooks{
		NamespaceWebhook: &webhook.NamespaceWebhook{Administrators: "platform-admins"},
		PodWebhook:       &webhook.PodWebhook{Registry: "registry.example.com/"},
		ReplicasWebhook:  &replicas,
		ShellWebhook:     &webhook.ShellWebhook{},
		Workload:         &webhook.WorkloadWebhook{MaxReplicas: 20},
	}
}

var (
	pods         = metav1.GroupVersionResource{Version: "v1", Resource: "pods"}
	namespaces   = metav1.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	deployments  = metav1.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	statefulsets = metav1.GroupVersionResource{Group: "apps", Version: "v1", Resource: "statefulsets"}
	daemonsets   = metav1.GroupVersionResource{Group: "apps", Version: "v1", Resource: "daemonsets"}
)

// TestWebhooks has what every webhook decides.
func TestWebhooks(t *testing.T) {
	mux := http.NewServeMux()
	if err := webhooks().Register(mux.Handle); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(mux)
	defer server.Close()

	const (
		pod      = `{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop-prod}, spec: {containers: [{name: web, image: registry.example.com/web, resources: {limits: {memory: 1Gi}}}]}}`
		foreign  = `{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop-prod}, spec: {containers: [{name: web, image: registry.example.com/web}, {name: proxy, image: docker.io/proxy}]}}`
		debugged = `{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop-prod}, spec: {containers: [{name: web, image: registry.example.com/web}], ephemeralContainers: [{name: debug, image: busybox}]}}`
		shell    = `{apiVersion: v1, kind: PodExecOptions, stdin: true, stdout: true, tty: true, container: web, command: [sh]}`
		command  = `{apiVersion: v1, kind: PodExecOptions, stdout: true, container: web, command: [cat, /etc/hosts]}`
	)
	deployment := func(replicas string) string {
		return `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop-prod}, spec: {replicas: ` + replicas + `, paused: true}}`
	}
	scale := func(replicas string) string {
		return `{apiVersion: autoscaling/v1, kind: Scale, metadata: {name: web, namespace: shop-prod}, spec: {replicas: ` + replicas + `}, status: {replicas: 3, selector: app=web}}`
	}

	for name, test := range map[string]struct {
		path    string
		request request
		want    verdict
	}{
		"a pod gets its team": {
			webhook.MutatePodWebhookPath,
			request{operation: admissionv1.Create, resource: pods, object: pod},
			verdict{Allowed: true, Object: `{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop-prod, labels: {builtin.example.com/team: shop}}, spec: {containers: [{name: web, image: registry.example.com/web, resources: {limits: {memory: 1Gi}}}]}}`},
		},
		"what the defaulter knows nothing of stays": {
			webhook.MutatePodWebhookPath,
			request{operation: admissionv1.Create, resource: pods, object: `{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop, labels: {app: web}}, spec: {future: {of: 9007199254740993}}}`},
			verdict{Allowed: true, Object: `{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop, labels: {app: web, builtin.example.com/team: shop}}, spec: {future: {of: 9007199254740993}}}`},
		},
		"a pod that has its team is left alone": {
			webhook.MutatePodWebhookPath,
			request{operation: admissionv1.Create, resource: pods, object: `{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop-prod, labels: {builtin.example.com/team: shop}}}`},
			verdict{Allowed: true},
		},
		"a pod from our registry": {
			webhook.ValidatePodWebhookPath,
			request{operation: admissionv1.Create, resource: pods, object: pod},
			verdict{Allowed: true},
		},
		"an image from elsewhere, and no limits": {
			webhook.ValidatePodWebhookPath,
			request{operation: admissionv1.Create, resource: pods, object: foreign},
			verdict{
				Code:    http.StatusUnprocessableEntity,
				Message: `Pod "web" is invalid: spec.containers[1].image: Invalid value: "docker.io/proxy": must come from registry.example.com/`,
				Causes:  []string{"spec.containers[1].image"},
				Warnings: []string{
					"container web has no limit: it may take all the memory of its node",
					"container proxy has no limit: it may take all the memory of its node",
				},
			},
		},
		"an image from elsewhere that was there before": {
			webhook.ValidatePodWebhookPath,
			request{operation: admissionv1.Update, resource: pods, object: foreign, oldObject: foreign},
			verdict{Allowed: true},
		},
		"an image from elsewhere in an update": {
			webhook.ValidatePodWebhookPath,
			request{operation: admissionv1.Update, resource: pods, object: foreign, oldObject: pod},
			verdict{
				Code:    http.StatusUnprocessableEntity,
				Message: `Pod "web" is invalid: spec.containers[1].image: Invalid value: "docker.io/proxy": must come from registry.example.com/`,
				Causes:  []string{"spec.containers[1].image"},
			},
		},
		"an image from elsewhere to debug with": {
			webhook.ValidatePodWebhookPath,
			request{operation: admissionv1.Update, resource: pods, subResource: "ephemeralcontainers", object: debugged, oldObject: pod},
			verdict{
				Code:    http.StatusUnprocessableEntity,
				Message: `Pod "web" is invalid: spec.ephemeralContainers[0].image: Invalid value: "busybox": must come from registry.example.com/`,
				Causes:  []string{"spec.ephemeralContainers[0].image"},
			},
		},
		"a pod of another version": {
			webhook.ValidatePodWebhookPath,
			request{operation: admissionv1.Create, resource: pods, object: `{apiVersion: v2, kind: Pod, metadata: {name: web}}`},
			verdict{Failed: true, Code: http.StatusBadRequest, Message: "the object is Pod of v2 and webhook validate.pods.v1.builtin.example.com is for Pod of v1: correct its rules or its path in the configuration"},
		},
		"a deployment": {
			webhook.ValidateWorkloadPath,
			request{operation: admissionv1.Create, resource: deployments, object: deployment("3")},
			verdict{Allowed: true},
		},
		"a deployment that is too large": {
			webhook.ValidateWorkloadPath,
			request{operation: admissionv1.Create, resource: deployments, object: deployment("21")},
			verdict{
				Code:    http.StatusUnprocessableEntity,
				Message: `Deployment.apps "web" is invalid: spec.replicas: Invalid value: 21: must be 20 at most`,
				Causes:  []string{"spec.replicas"},
			},
		},
		"a deployment that was too large before": {
			webhook.ValidateWorkloadPath,
			request{operation: admissionv1.Update, resource: deployments, object: deployment("30"), oldObject: deployment("40")},
			verdict{Allowed: true},
		},
		"one replica in production": {
			webhook.ValidateWorkloadPath,
			request{operation: admissionv1.Update, resource: deployments, object: deployment("1"), oldObject: deployment("3")},
			verdict{Allowed: true, Warnings: []string{"with one replica nothing serves while its node is drained"}},
		},
		"a statefulset that is too large": {
			webhook.ValidateWorkloadPath,
			request{operation: admissionv1.Create, resource: statefulsets, object: `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db, namespace: shop}, spec: {replicas: 21, serviceName: db}}`},
			verdict{
				Code:    http.StatusUnprocessableEntity,
				Message: `StatefulSet.apps "db" is invalid: spec.replicas: Invalid value: 21: must be 20 at most`,
				Causes:  []string{"spec.replicas"},
			},
		},
		"a daemonset has no replicas": {
			webhook.ValidateWorkloadPath,
			request{operation: admissionv1.Create, resource: daemonsets, object: `{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: log, namespace: shop}, spec: {minReadySeconds: 5}}`},
			verdict{Allowed: true},
		},
		"a deployment is scaled": {
			webhook.ValidateReplicasWebhookScalePath,
			request{operation: admissionv1.Update, resource: deployments, subResource: "scale", object: scale("20"), oldObject: scale("3")},
			verdict{Allowed: true},
		},
		"a deployment is scaled too far": {
			webhook.ValidateReplicasWebhookScalePath,
			request{operation: admissionv1.Update, resource: deployments, subResource: "scale", object: scale("21"), oldObject: scale("3")},
			verdict{
				Code:    http.StatusUnprocessableEntity,
				Message: `Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: 21: must be 20 at most`,
				Causes:  []string{"spec.replicas"},
			},
		},
		"a statefulset is scaled too far": {
			webhook.ValidateReplicasWebhookScalePath,
			request{operation: admissionv1.Update, resource: statefulsets, subResource: "scale", object: scale("40"), oldObject: scale("30")},
			verdict{
				Code:    http.StatusUnprocessableEntity,
				Message: `Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: 40: must be 20 at most`,
				Causes:  []string{"spec.replicas"},
			},
		},
		"a statefulset shrinks": {
			webhook.ValidateReplicasWebhookScalePath,
			request{operation: admissionv1.Update, resource: statefulsets, subResource: "scale", object: scale("30"), oldObject: scale("40")},
			verdict{Allowed: true},
		},
		"a namespace of production goes": {
			webhook.ValidateNamespaceWebhookPath,
			request{operation: admissionv1.Delete, resource: namespaces, namespace: "shop-prod", name: "shop-prod", oldObject: `{apiVersion: v1, kind: Namespace, metadata: {name: shop-prod}}`},
			verdict{Code: http.StatusForbidden, Message: "namespace shop-prod is production: only the group platform-admins may delete it"},
		},
		"an administrator lets it go": {
			webhook.ValidateNamespaceWebhookPath,
			request{operation: admissionv1.Delete, resource: namespaces, namespace: "shop-prod", name: "shop-prod", groups: []string{"platform-admins"}, oldObject: `{apiVersion: v1, kind: Namespace, metadata: {name: shop-prod}}`},
			verdict{Allowed: true},
		},
		"another namespace goes": {
			webhook.ValidateNamespaceWebhookPath,
			request{operation: admissionv1.Delete, resource: namespaces, namespace: "shop-test", name: "shop-test", oldObject: `{apiVersion: v1, kind: Namespace, metadata: {name: shop-test}}`},
			verdict{Allowed: true},
		},
		"a shell in production": {
			webhook.ValidateShellWebhookExecPath,
			request{operation: admissionv1.Connect, resource: pods, subResource: "exec", namespace: "shop-prod", name: "web", object: shell},
			verdict{Code: http.StatusForbidden, Message: "no terminals in production: use `kubectl debug` on a copy of the pod"},
		},
		"a shell elsewhere": {
			webhook.ValidateShellWebhookExecPath,
			request{operation: admissionv1.Connect, resource: pods, subResource: "exec", namespace: "shop-test", name: "web", object: shell},
			verdict{Allowed: true, Audit: map[string]string{"command": "sh"}},
		},
		"a command in production": {
			webhook.ValidateShellWebhookExecPath,
			request{operation: admissionv1.Connect, resource: pods, subResource: "exec", namespace: "shop-prod", name: "web", object: command},
			verdict{Allowed: true, Audit: map[string]string{"command": "cat /etc/hosts"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			test.request.check(t, server.Client(), server.URL+test.path, test.want)
		})
	}
}
