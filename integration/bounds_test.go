// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// TestBoundsOfVersions writes a value that v1 accepts and the storage version v2 refuses. The API server validates
// objects in the version of the request: it stores the value, and refuses it in a new object of v2.
func TestBoundsOfVersions(t *testing.T) {
	e := onAPIServer(t)
	crd := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "jars.bounds.integration.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "bounds.integration.example.com", Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "jars", Singular: "jar", Kind: "Jar", ListKind: "JarList"},
		},
	}
	for name, longest := range map[string]int64{"v1": 9, "v2": 4} {
		crd.Spec.Versions = append(crd.Spec.Versions, apiextensionsv1.CustomResourceDefinitionVersion{
			Name: name, Served: true, Storage: name == "v2",
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
				Type: "object",
				Properties: map[string]apiextensionsv1.JSONSchemaProps{
					"label": {Type: "string", MaxLength: &longest}, "other": {Type: "string"},
				},
			}},
		})
	}
	if _, err := envtest.InstallCRDs(e.config, envtest.CRDInstallOptions{CRDs: []*apiextensionsv1.CustomResourceDefinition{crd}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = envtest.UninstallCRDs(e.config, envtest.CRDInstallOptions{CRDs: []*apiextensionsv1.CustomResourceDefinition{crd}})
	})
	namespace := e.namespace(t, nil)
	jar := func(version, name, label string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "bounds.integration.example.com/" + version, "kind": "Jar",
			"metadata": map[string]any{"namespace": namespace, "name": name}, "label": label,
		}}
	}

	if err := e.client.Create(t.Context(), jar("v1", "long", "plums!")); err != nil {
		t.Fatalf("v1 accepts the label, and so does its API server: %v", err)
	}
	stored := jar("v2", "long", "")
	if err := e.client.Get(t.Context(), client.ObjectKeyFromObject(stored), stored); err != nil || stored.Object["label"] != "plums!" {
		t.Fatalf("got %v, %v", stored.Object, err)
	}
	if err := e.client.Create(t.Context(), jar("v2", "copy", "plums!")); !apierrors.IsInvalid(err) {
		t.Errorf("want an object that is invalid in v2, got %v", err)
	}
	stored.Object["other"] = "edited"
	if err := e.client.Update(t.Context(), stored); err != nil {
		t.Errorf("an update that does not change the label: %v", err)
	}
	stored.Object["label"] = "plums?"
	if err := e.client.Update(t.Context(), stored); !apierrors.IsInvalid(err) {
		t.Errorf("want an update that is invalid in v2, got %v", err)
	}
}
