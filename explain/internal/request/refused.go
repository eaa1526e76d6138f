// SPDX-License-Identifier: Apache-2.0

package request

import (
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/registry/rest"
)

// Statement is what an object states of itself: its type, and its metadata.
type Statement struct {
	kind     schema.GroupVersionKind
	metadata *metav1.ObjectMeta // nil for an object without metadata
}

// Stated returns the statement of an object.
func Stated(o runtime.Object) Statement {
	if o == nil {
		return Statement{}
	}
	s := Statement{kind: o.GetObjectKind().GroupVersionKind()}
	if accessor, err := meta.Accessor(o); err == nil {
		s.metadata = &metav1.ObjectMeta{
			Name: accessor.GetName(), GenerateName: accessor.GetGenerateName(), Namespace: accessor.GetNamespace(), UID: accessor.GetUID(),
			Labels: accessor.GetLabels(), Annotations: accessor.GetAnnotations(), Finalizers: accessor.GetFinalizers(),
			OwnerReferences: accessor.GetOwnerReferences(), Generation: accessor.GetGeneration(),
		}
		s.metadata = s.metadata.DeepCopy()
	}
	return s
}

// Refused returns an API server's refusal of a type or metadata that mutations have made: BeforeCreate and BeforeUpdate
// of k8s.io/apiserver/pkg/registry/rest, and the validation of custom resources. before is the statement of the object
// before the mutations. Mistakes that it has already are not reported.
func Refused(r admission.Attributes, before Statement) error {
	changes := r.GetOperation() == admission.Create || r.GetOperation() == admission.Update
	if !changes || !isStored(r) || before.metadata == nil || r.GetObject() == nil {
		return nil
	}
	after := Stated(r.GetObject())
	if after.metadata == nil {
		return nil
	}
	expected := rest.ExpectedNamespaceForResource(r.GetNamespace(), r.GetResource())
	if after.metadata.Namespace != before.metadata.Namespace {
		if err := rest.EnsureObjectNamespaceMatchesRequestNamespace(expected, after.metadata); err != nil {
			return err
		}
	}
	var errs field.ErrorList
	if after.kind.Kind != before.kind.Kind {
		errs = append(errs, field.Invalid(field.NewPath("kind"), after.kind.Kind, "must be "+before.kind.Kind))
	}
	if after.kind.GroupVersion() != before.kind.GroupVersion() {
		errs = append(errs, field.Invalid(field.NewPath("apiVersion"), after.kind.GroupVersion().String(), "must be "+before.kind.GroupVersion().String()))
	}
	known := metadataErrors(before.metadata, expected != "")
	for _, err := range metadataErrors(after.metadata, expected != "") {
		if !slices.ContainsFunc(known, func(k *field.Error) bool { return k.Error() == err.Error() }) {
			errs = append(errs, err)
		}
	}
	path := field.NewPath("metadata")
	if old := Stated(r.GetOldObject()); old.metadata != nil && r.GetOperation() == admission.Update {
		errs = append(errs, validation.ValidateImmutableField(after.metadata.Name, old.metadata.Name, path.Child("name"))...)
		if after.metadata.UID != "" && before.metadata.UID != after.metadata.UID {
			errs = append(errs, validation.ValidateImmutableField(after.metadata.UID, old.metadata.UID, path.Child("uid"))...)
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(r.GetKind().GroupKind(), after.metadata.Name, errs)
}

// metadataErrors returns the mistakes in metadata, without those in names, whose rules depend on the kind.
func metadataErrors(m *metav1.ObjectMeta, namespaced bool) field.ErrorList {
	anyName := func(string, bool) []string { return nil }
	m = m.DeepCopy()
	if !namespaced {
		m.Namespace = ""
	} else if m.Namespace == "" {
		m.Namespace = metav1.NamespaceDefault
	}
	return slices.DeleteFunc(validation.ValidateObjectMetaAccessor(m, namespaced, anyName, field.NewPath("metadata")), func(e *field.Error) bool {
		return e.Field == "metadata.name" || e.Field == "metadata.generateName" || e.Field == "metadata.namespace"
	})
}
