// SPDX-License-Identifier: Apache-2.0

package program

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	// pageSize is the number of objects of one list request.
	pageSize = 500
	// restarts is how often the scan of a kind begins again after its list has expired.
	restarts = 5
)

// cluster scans the objects of a cluster.
func (s *scanner) cluster(ctx context.Context, set *settings) error {
	config, err := clusterConfig(set.clusterFlags)
	if err != nil {
		return err
	}
	config.UserAgent = "webhook-scan"
	known, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	if set.user != "" {
		s.user = fileUser(set)
	} else if s.user, err = whoAmI(ctx, client); err != nil {
		return fmt.Errorf("the API server does not name the kubeconfig's user: %w: set --user", err)
	}
	for _, kind := range s.kinds() {
		what := apiVersion(kind) + " " + kind.Kind
		list, err := known.ServerResourcesForGroupVersion(apiVersion(kind))
		if err != nil && !apierrors.IsNotFound(err) {
			s.report.problem(fmt.Sprintf("%s: %v", what, err))
			continue
		}
		resources := listed(list, kind.Kind)
		if len(resources) == 0 {
			s.report.skip(what, "the cluster has no resource that lists this kind")
		}
		for _, r := range resources {
			if set.namespace != "" && !r.namespaced {
				s.report.skip(what, "its objects have no namespace")
				continue
			}
			if err := s.resource(ctx, client, kind, r, set.namespace); err != nil {
				s.report.problem(fmt.Sprintf("%s: %v", what, err))
			}
		}
	}
	return ctx.Err()
}

// clusterConfig returns how to reach a cluster, as kubectl finds it. In a pod without a kubeconfig, that is the pod's
// own cluster.
func clusterConfig(from clusterFlags) (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = from.kubeconfig
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules,
		&clientcmd.ConfigOverrides{CurrentContext: from.context}).ClientConfig()
}

// whoAmI returns the user as whom the API server knows the client. It sends a SelfSubjectReview, which nothing stores.
func whoAmI(ctx context.Context, client dynamic.Interface) (authenticationv1.UserInfo, error) {
	review := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": authenticationv1.SchemeGroupVersion.String(), "kind": "SelfSubjectReview",
	}}
	answer, err := client.Resource(authenticationv1.SchemeGroupVersion.WithResource("selfsubjectreviews")).
		Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return authenticationv1.UserInfo{}, err
	}
	var typed authenticationv1.SelfSubjectReview
	err = runtime.DefaultUnstructuredConverter.FromUnstructured(answer.Object, &typed)
	return typed.Status.UserInfo, err
}

// resource is a resource of the cluster.
type resource struct {
	name       string
	namespaced bool
	hasStatus  bool // status is a subresource
}

// listed returns the resources of a group and version that list objects of a kind.
func listed(list *metav1.APIResourceList, kind string) []resource {
	if list == nil {
		return nil
	}
	var all []resource
	for _, r := range list.APIResources {
		if r.Kind == kind && !strings.Contains(r.Name, "/") && slices.Contains(r.Verbs, "list") {
			all = append(all, resource{r.Name, r.Namespaced, slices.ContainsFunc(list.APIResources,
				func(sub metav1.APIResource) bool { return sub.Name == r.Name+"/status" })})
		}
	}
	return all
}

// resource scans the objects of one resource, in all namespaces or one. A list that expires between two pages begins
// again, without the findings of the pages before.
func (s *scanner) resource(ctx context.Context, client dynamic.Interface, kind metav1.GroupVersionKind, r resource, namespace string) error {
	gvr := schema.GroupVersionResource{Group: kind.Group, Version: kind.Version, Resource: r.name}
	options := metav1.ListOptions{Limit: pageSize}
	var findings []finding
	var count int64
	for again := 0; ; {
		page, err := client.Resource(gvr).Namespace(namespace).List(ctx, options)
		if err != nil && options.Continue != "" && again < restarts && (apierrors.IsResourceExpired(err) || apierrors.IsGone(err)) {
			again++
			findings, count, options.Continue = nil, 0, ""
			continue
		}
		if err != nil {
			s.add(findings, count)
			return err
		}
		total := count + int64(len(page.Items))
		if rest := page.GetRemainingItemCount(); rest != nil {
			total += *rest
		}
		for i := range page.Items {
			s.progress.show(gvr.GroupResource().String(), count, total)
			count++
			o, err := created(&page.Items[i], kind, gvr, r.hasStatus)
			if err != nil {
				s.add(findings, count)
				return err
			}
			findings = append(findings, s.scan(ctx, o)...)
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if options.Continue = page.GetContinue(); options.Continue == "" {
			s.add(findings, count)
			return nil
		}
	}
}

func (s *scanner) add(findings []finding, count int64) {
	s.report.Objects += count
	s.report.add(findings...)
}

// created returns a stored object as a user would create it: without the metadata that the API server sets, and without
// status if that is a subresource.
func created(u *unstructured.Unstructured, kind metav1.GroupVersionKind, gvr schema.GroupVersionResource, dropStatus bool) (object, error) {
	for _, field := range []string{"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink",
		"deletionTimestamp", "deletionGracePeriodSeconds"} {
		unstructured.RemoveNestedField(u.Object, "metadata", field)
	}
	if dropStatus {
		delete(u.Object, "status")
	}
	// Items of a list can lack what the list has.
	u.SetAPIVersion(apiVersion(kind))
	u.SetKind(kind.Kind)
	text, err := json.Marshal(u.Object)
	return object{
		kind: kind, resource: metav1.GroupVersionResource(gvr),
		namespace: u.GetNamespace(), name: u.GetName(), text: text,
	}, err
}
