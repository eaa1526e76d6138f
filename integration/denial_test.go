// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// Visit is a kind whose Go type takes less than its schema.
type Visit struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec struct {
		Image string           `json:"image"`
		Wait  *metav1.Duration `json:"wait,omitempty"`
		Seen  *metav1.Time     `json:"seen,omitempty"`
		Do    string           `json:"do,omitempty"`
		Read  nervous          `json:"read,omitempty"`
		Made  nervous          `json:"made,omitempty"`
	} `json:"spec"`
}

// nervous carries out its text when it is read or written.
type nervous string

func (n *nervous) UnmarshalJSON(text []byte) error {
	*n = nervous(strings.Trim(string(text), `"`))
	act(strings.TrimPrefix(string(*n), "read: "))
	return nil
}

func (n nervous) MarshalJSON() ([]byte, error) {
	act(strings.TrimPrefix(string(n), "write: "))
	return []byte(`"` + string(n) + `"`), nil
}

// act stops in the way that its argument names.
func act(what string) {
	switch what {
	case "panic":
		panic("no way")
	case "abort":
		panic(http.ErrAbortHandler)
	case "end":
		runtime.Goexit()
	}
}

// visits serves Visits of a group, and their webhooks: a defaulter, and a validator that denies one image.
func visits(t *testing.T, e *environment, group string) *httptest.Server {
	t.Helper()
	evil := func(image string) error {
		if image == "evil" {
			return errors.New("evil is not allowed")
		}
		return nil
	}
	mux := http.NewServeMux()
	mux.Handle("/default", admission.Mutating("default.visits.example.com",
		admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[Visit]) error {
			switch r.Object.Spec.Do {
			case "write":
				r.Object.Spec.Made = "write: panic"
			case "spoil":
				r.Object.Spec.Image = "evil"
			}
			return nil
		})))
	mux.Handle("/validate", admission.Validating("validate.visits.example.com",
		admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[Visit]) error {
			act(r.Object.Spec.Do)
			return evil(r.Object.Spec.Image)
		}),
		admission.OnUpdate(func(_ context.Context, r *admission.UpdateRequest[Visit]) error {
			if _, err := r.OldObject(); err != nil {
				return admission.Failure(err)
			}
			return evil(r.Object.Spec.Image)
		}),
		admission.OnDelete(func(context.Context, *admission.DeleteRequest[Visit]) error { return nil })))
	mux.Handle("/pods", admission.Validating("pods.visits.example.com",
		admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[corev1.Pod]) error {
			return evil(r.Object.Spec.Containers[0].Image)
		})))
	server := httptest.NewTLSServer(mux)
	t.Cleanup(server.Close)

	yes := true
	text := apiextensionsv1.JSONSchemaProps{Type: "string"}
	crd := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "visits." + group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: group, Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: "Visit", ListKind: "VisitList", Plural: "visits", Singular: "visit"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{
				OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
					"spec": {Type: "object", XPreserveUnknownFields: &yes, Properties: map[string]apiextensionsv1.JSONSchemaProps{
						"image": text, "wait": text, "seen": {Type: "string", Format: "date-time"},
					}},
				}},
			}}},
		},
	}
	e.installFor(t, crd)
	namespace := e.namespace(t, nil)
	eventually(t, "the API server serves visits", func() bool {
		return e.client.Create(t.Context(), visit(group, namespace, "probe", map[string]any{}), client.DryRunAll) == nil
	})
	return server
}

func visit(group, namespace, name string, spec map[string]any) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	object.SetAPIVersion(group + "/v1")
	object.SetKind("Visit")
	object.SetNamespace(namespace)
	object.SetName(name)
	return object
}

// visitWebhook has the API server call a server for visits in one namespace.
func visitWebhook(server *httptest.Server, path, namespace string, policy admissionregistrationv1.FailurePolicyType, group, resource string, operations ...admissionregistrationv1.OperationType) admissionregistrationv1.ValidatingWebhook {
	none := admissionregistrationv1.SideEffectClassNone
	url := server.URL + path
	return admissionregistrationv1.ValidatingWebhook{
		Name: strings.TrimPrefix(path, "/") + ".visits.example.com",
		ClientConfig: admissionregistrationv1.WebhookClientConfig{
			URL:      &url,
			CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
		},
		Rules: []admissionregistrationv1.RuleWithOperations{{
			Operations: operations,
			Rule:       admissionregistrationv1.Rule{APIGroups: []string{group}, APIVersions: []string{"v1"}, Resources: []string{resource}},
		}},
		NamespaceSelector:       &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": namespace}},
		FailurePolicy:           &policy,
		SideEffects:             &none,
		AdmissionReviewVersions: []string{"v1"},
	}
}

// TestContentDeniesUnderIgnore creates objects that are not allowed. Each has something that keeps the webhook from
// reading the image. Even with failurePolicy Ignore they must be denied.
func TestContentDeniesUnderIgnore(t *testing.T) {
	e := onAPIServer(t)
	const group = "ignored.example.com"
	server := visits(t, e, group)
	namespace := e.namespace(t, nil)
	validate := visitWebhook(server, "/validate", namespace, admissionregistrationv1.Ignore, group, "visits", admissionregistrationv1.Create, admissionregistrationv1.Update)
	pods := visitWebhook(server, "/pods", namespace, admissionregistrationv1.Ignore, "", "pods", admissionregistrationv1.Create)
	mutate := visitWebhook(server, "/default", namespace, admissionregistrationv1.Ignore, group, "visits", admissionregistrationv1.Create)
	e.installFor(t, &admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "visits-ignored"}, Webhooks: []admissionregistrationv1.MutatingWebhook{{
		Name: mutate.Name, ClientConfig: mutate.ClientConfig, Rules: mutate.Rules, NamespaceSelector: mutate.NamespaceSelector,
		FailurePolicy: mutate.FailurePolicy, SideEffects: mutate.SideEffects, AdmissionReviewVersions: mutate.AdmissionReviewVersions,
		ObjectSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"default": "yes"}},
	}}})
	e.installFor(t, &admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "visits-ignored"},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{validate, pods}})
	eventually(t, "both webhooks are called", func() bool {
		plain, defaulted := visit(group, namespace, "plain", map[string]any{"image": "evil"}), visit(group, namespace, "defaulted", map[string]any{"image": "good", "do": "spoil"})
		defaulted.SetLabels(map[string]string{"default": "yes"})
		return e.client.Create(t.Context(), plain, client.DryRunAll) != nil && e.client.Create(t.Context(), defaulted, client.DryRunAll) != nil
	})

	var deep any = "deepest"
	for range 9998 { // with the object and its spec, 10000: what API servers take
		deep = []any{deep}
	}
	for name, test := range map[string]struct {
		spec map[string]any
		code int32
	}{
		"plain":          {map[string]any{}, http.StatusForbidden},
		"duration":       {map[string]any{"wait": "abc"}, http.StatusBadRequest},
		"time":           {map[string]any{"seen": "2023-01-02t03:04:05z"}, http.StatusBadRequest},
		"deep":           {map[string]any{"deep": deep}, http.StatusForbidden},
		"panic":          {map[string]any{"do": "panic"}, http.StatusInternalServerError},
		"abort":          {map[string]any{"do": "abort"}, http.StatusInternalServerError},
		"end":            {map[string]any{"do": "end"}, http.StatusInternalServerError},
		"panic-reading":  {map[string]any{"read": "read: panic"}, http.StatusInternalServerError},
		"end-of-reading": {map[string]any{"read": "read: end"}, http.StatusInternalServerError},
		"panic-writing":  {map[string]any{"do": "write"}, http.StatusInternalServerError},
	} {
		t.Run(name, func(t *testing.T) {
			test.spec["image"] = "evil"
			object := visit(group, namespace, name, test.spec)
			if name == "panic-writing" {
				object.SetLabels(map[string]string{"default": "yes"})
			}
			wantDenied(t, e.client.Create(t.Context(), object), test.code)
		})
	}

	t.Run("a large pod", func(t *testing.T) {
		// Each < is one byte here and in storage, and six in a review, which is then larger than a webhook takes.
		body := fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"large"},"spec":{"containers":[{"name":"c","image":"evil","args":["%s"]}]}}`,
			strings.Repeat("<", 1_450_000))
		config := rest.CopyConfig(e.config)
		config.GroupVersion, config.APIPath, config.NegotiatedSerializer = &corev1.SchemeGroupVersion, "/api", scheme.Codecs.WithoutConversion()
		raw, err := rest.RESTClientFor(config)
		if err != nil {
			t.Fatal(err)
		}
		err = raw.Post().Namespace(namespace).Resource("pods").SetHeader("Content-Type", "application/json").Body([]byte(body)).Do(t.Context()).Error()
		wantDenied(t, err, http.StatusRequestEntityTooLarge)
	})
}

// wantDenied checks that a webhook has denied, with a code.
func wantDenied(t *testing.T, err error, code int32) {
	t.Helper()
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Code != code || !strings.Contains(err.Error(), "denied the request: ") {
		t.Errorf("got %.500v, want a denial with %d", err, code)
	}
}

// TestUndecodableObjectIsRemovable has objects in the storage that a webhook with failurePolicy Fail cannot decode.
// They are not deleted as they are, and neither is their namespace. With the match condition that the message names,
// they are.
func TestUndecodableObjectIsRemovable(t *testing.T) {
	e := onAPIServer(t)
	const group = "removed.example.com"
	server := visits(t, e, group)
	namespace := e.namespace(t, nil)
	stuck := visit(group, namespace, "stuck", map[string]any{"image": "good", "wait": "abc"})
	stuck.SetFinalizers([]string{"example.com/held"})
	second := visit(group, namespace, "second", map[string]any{"image": "good", "wait": "abc"})
	e.create(t, stuck)
	e.create(t, second)
	configuration := &admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "visits-removed"},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{visitWebhook(server, "/validate", namespace, admissionregistrationv1.Fail, group, "visits",
			admissionregistrationv1.Create, admissionregistrationv1.Update, admissionregistrationv1.Delete)}}
	e.installFor(t, configuration)
	var denied error
	eventually(t, "the API server calls the webhook", func() bool {
		denied = e.client.Delete(t.Context(), stuck.DeepCopy(), client.DryRunAll)
		return denied != nil
	})
	wantDenied(t, denied, http.StatusBadRequest)
	free := func() error {
		return e.client.Patch(t.Context(), stuck.DeepCopy(), client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`)))
	}
	if err := free(); err == nil || !strings.Contains(err.Error(), "with the match condition") {
		t.Errorf("the finalizer: %v", err)
	}
	// The next calls are the calls of the namespace controller.
	if err := e.client.Delete(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}); err != nil {
		t.Fatal(err)
	}
	all := func() error {
		return e.client.DeleteAllOf(t.Context(), visit(group, namespace, "", nil), client.InNamespace(namespace))
	}
	wantDenied(t, all(), http.StatusBadRequest)

	for _, object := range []*unstructured.Unstructured{stuck, second} {
		denied := e.client.Delete(t.Context(), object.DeepCopy(), client.DryRunAll)
		wantDenied(t, denied, http.StatusBadRequest) // the condition for the one does not exclude the other
		condition := regexp.MustCompile(`with the match condition (.*)$`).FindStringSubmatch(denied.Error())
		if condition == nil {
			t.Fatalf("no way out: %v", denied)
		}
		w := &configuration.Webhooks[0]
		w.MatchConditions = append(w.MatchConditions, admissionregistrationv1.MatchCondition{Name: "not-" + object.GetName(), Expression: condition[1]})
		if err := e.client.Update(t.Context(), configuration); err != nil {
			t.Fatal(err)
		}
		eventually(t, object.GetName()+" can be deleted", func() bool {
			return e.client.Delete(t.Context(), object.DeepCopy(), client.DryRunAll) == nil
		})
	}
	if err := all(); err != nil {
		t.Errorf("the namespace's objects: %v", err)
	}
	if err := free(); err != nil {
		t.Errorf("the finalizer: %v", err)
	}
	if err := e.client.Get(t.Context(), client.ObjectKeyFromObject(stuck), stuck.DeepCopy()); !apierrors.IsNotFound(err) {
		t.Errorf("the object is still there: %v", err)
	}
	ending := &corev1.Namespace{}
	if err := e.client.Get(t.Context(), client.ObjectKey{Name: namespace}, ending); err != nil {
		t.Fatal(err)
	}
	ending.Spec.Finalizers = nil
	if err := e.client.SubResource("finalize").Update(t.Context(), ending); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the namespace is gone", func() bool {
		return apierrors.IsNotFound(e.client.Get(t.Context(), client.ObjectKey{Name: namespace}, ending))
	})
}
