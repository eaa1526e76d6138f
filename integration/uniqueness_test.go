// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"context"
	"crypto/sha256"
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// The tests here are those of the recipe for a value that no other object has, in docs/guides/cookbook-rules.md.
// ConfigMaps with the key host stand for the objects.

// claim reports whether the owner has the value. The first owner that claims a value gets it.
func claim(ctx context.Context, c client.Client, namespace, value string, owner metav1.OwnerReference) (bool, error) {
	claims := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: namespace, Name: fmt.Sprintf("claim-%x", sha256.Sum224([]byte(value))),
		OwnerReferences: []metav1.OwnerReference{owner},
	}}
	err := c.Create(ctx, claims)
	if !apierrors.IsAlreadyExists(err) {
		return err == nil, err
	}
	if err := c.Get(ctx, client.ObjectKeyFromObject(claims), claims); err != nil {
		return false, err
	}
	return len(claims.OwnerReferences) == 1 && claims.OwnerReferences[0].UID == owner.UID, nil
}

// withHost returns a ConfigMap with a host.
func withHost(namespace, name, topic, host string) *corev1.ConfigMap {
	o := configMap(namespace, name, map[string]string{"topic": topic})
	o.Data = map[string]string{"host": host}
	return o
}

// atOnce calls a function eight times at once, and returns its results.
func atOnce(f func(i int) error) []error {
	errs := make([]error, 8)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { errs[i] = f(i) })
	}
	all.Wait()
	return errs
}

// TestUniquenessByWebhook has a webhook that lists the objects with the same host. It denies a second object, but not
// two at the same time.
func TestUniquenessByWebhook(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	const topic = "unique-webhook"
	left, right := make(chan struct{}), make(chan struct{}) // each is closed once the request of that name has listed
	listed := map[string]func(){"left": sync.OnceFunc(func() { close(left) }), "right": sync.OnceFunc(func() { close(right) })}
	server := httptest.NewTLSServer(admission.Validating("unique.example.com", admission.OnCreate(func(ctx context.Context, r *admission.CreateRequest[corev1.ConfigMap]) error {
		var others corev1.ConfigMapList
		if err := e.client.List(ctx, &others, client.InNamespace(r.Namespace)); err != nil {
			return err
		}
		if reached := listed[r.Name]; reached != nil {
			reached()
			<-left
			<-right
		}
		for _, other := range others.Items {
			if other.Data["host"] == r.Object.Data["host"] {
				return fmt.Errorf("%s has the host", other.Name)
			}
		}
		return nil
	})))
	t.Cleanup(server.Close)
	webhook := e.validating(topic, "", admissionregistrationv1.Fail, admissionregistrationv1.Create)
	webhook.Webhooks[0].ClientConfig = admissionregistrationv1.WebhookClientConfig{URL: &server.URL,
		CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})}
	e.installFor(t, webhook)

	e.create(t, withHost(namespace, "first", topic, "tea"))
	eventually(t, "the webhook denies a second object", func() bool {
		err := e.client.Create(t.Context(), withHost(namespace, "second", topic, "tea"), client.DryRunAll)
		return err != nil && strings.Contains(err.Error(), "first has the host")
	})
	var both sync.WaitGroup
	for _, name := range []string{"left", "right"} {
		both.Go(func() {
			if err := e.client.Create(t.Context(), withHost(namespace, name, topic, "race")); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	both.Wait()
}

// TestUniquenessByName has a policy that requires the value as the name: of several objects, one is created.
func TestUniquenessByName(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	const topic = "unique-name"
	like := e.validating(topic, "", admissionregistrationv1.Fail, admissionregistrationv1.Create).Webhooks[0]
	e.installFor(t, &admissionregistrationv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: topic},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionregistrationv1.MatchResources{ObjectSelector: like.ObjectSelector,
				ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: like.Rules[0]}}},
			Validations: []admissionregistrationv1.Validation{{Expression: "object.metadata.name == object.data.host"}},
		}})
	e.installFor(t, &admissionregistrationv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: topic},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: topic, ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny}}})
	eventually(t, "the policy denies another name", func() bool {
		return e.client.Create(t.Context(), withHost(namespace, "other", topic, "tea"), client.DryRunAll) != nil
	})
	created := 0
	for _, err := range atOnce(func(int) error { return e.client.Create(t.Context(), withHost(namespace, "tea", topic, "tea")) }) {
		if err == nil {
			created++
		} else if !apierrors.IsAlreadyExists(err) {
			t.Error(err)
		}
	}
	if created != 1 {
		t.Errorf("%d objects are created", created)
	}
}

// TestUniquenessByClaim has several owners claim a value: one gets it, and keeps it.
func TestUniquenessByClaim(t *testing.T) {
	page, err := os.ReadFile("../docs/guides/cookbook-rules.md")
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile("uniqueness_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(own), "// claim reports")
	code, _, _ = strings.Cut(code, "\n}\n")
	if !strings.Contains(string(page), code) {
		t.Error("docs/guides/cookbook-rules.md has another function")
	}

	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	owners := make([]metav1.OwnerReference, 8)
	for i := range owners {
		o := configMap(namespace, fmt.Sprint("owner-", i), nil)
		e.create(t, o)
		owners[i] = metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: o.Name, UID: o.UID}
	}
	for _, value := range []string{"tea", "Tea Über.example.com", ""} {
		var last []bool
		for range 2 {
			has := make([]bool, len(owners))
			for _, err := range atOnce(func(i int) (err error) {
				has[i], err = claim(t.Context(), e.client, namespace, value, owners[i])
				return err
			}) {
				if err != nil {
					t.Error(err)
				}
			}
			count := 0
			for i := range has {
				if has[i] {
					count++
				}
				if last != nil && has[i] != last[i] {
					t.Errorf("%q: owner %d has the value: %t, and then %t", value, i, last[i], has[i])
				}
			}
			if count != 1 {
				t.Errorf("%q: %d owners have the value", value, count)
			}
			last = has
		}
	}
}
