package v1beta1

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1beta2 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/webhook-gen/webhook-gen/runtime/conversion"
)

// References convert what markers do not say. A reference of v1beta2 has no version: APIVersion finds out
// which one the cluster serves.
type References struct {
	APIVersion func(context.Context, schema.GroupKind) (string, error)
}

func (References) ObjectReferenceToContractVersionedObjectReference(_ context.Context, src *corev1.ObjectReference, dst *clusterv1beta2.ContractVersionedObjectReference) error {
	gv, err := schema.ParseGroupVersion(src.APIVersion)
	*dst = clusterv1beta2.ContractVersionedObjectReference{APIGroup: gv.Group, Kind: src.Kind, Name: src.Name}
	return err
}

func (r References) ContractVersionedObjectReferenceToObjectReference(ctx context.Context, src *clusterv1beta2.ContractVersionedObjectReference, dst *corev1.ObjectReference) error {
	if !src.IsDefined() {
		return nil
	}
	*dst = corev1.ObjectReference{Kind: src.Kind, Name: src.Name, Namespace: conversion.ObjectOf[metav1.Object](ctx).GetNamespace()}
	if src.APIGroup == "" || src.Kind == "" {
		return nil // part of an object, as server-side apply converts it
	}
	var err error
	dst.APIVersion, err = r.APIVersion(ctx, src.GroupKind())
	return err
}

func (References) ObjectReferenceToClusterClassTemplateReference(_ context.Context, src *corev1.ObjectReference, dst *clusterv1beta2.ClusterClassTemplateReference) error {
	*dst = clusterv1beta2.ClusterClassTemplateReference{APIVersion: src.APIVersion, Kind: src.Kind, Name: src.Name}
	return nil
}

func (References) ClusterClassTemplateReferenceToObjectReference(ctx context.Context, src *clusterv1beta2.ClusterClassTemplateReference, dst *corev1.ObjectReference) error {
	*dst = corev1.ObjectReference{APIVersion: src.APIVersion, Kind: src.Kind, Name: src.Name, Namespace: conversion.ObjectOf[metav1.Object](ctx).GetNamespace()}
	return nil
}

func (References) ObjectReferenceToMachineHealthCheckRemediationTemplateReference(_ context.Context, src *corev1.ObjectReference, dst *clusterv1beta2.MachineHealthCheckRemediationTemplateReference) error {
	*dst = clusterv1beta2.MachineHealthCheckRemediationTemplateReference{APIVersion: src.APIVersion, Kind: src.Kind, Name: src.Name}
	return nil
}

func (References) MachineHealthCheckRemediationTemplateReferenceToObjectReference(ctx context.Context, src *clusterv1beta2.MachineHealthCheckRemediationTemplateReference, dst *corev1.ObjectReference) error {
	*dst = corev1.ObjectReference{APIVersion: src.APIVersion, Kind: src.Kind, Name: src.Name, Namespace: conversion.ObjectOf[metav1.Object](ctx).GetNamespace()}
	return nil
}

func (References) ObjectReferenceToMachineNodeReference(_ context.Context, src *corev1.ObjectReference, dst *clusterv1beta2.MachineNodeReference) error {
	dst.Name = src.Name
	return nil
}

func (References) MachineNodeReferenceToObjectReference(_ context.Context, src *clusterv1beta2.MachineNodeReference, dst *corev1.ObjectReference) error {
	*dst = corev1.ObjectReference{APIVersion: "v1", Kind: "Node", Name: src.Name}
	return nil
}
