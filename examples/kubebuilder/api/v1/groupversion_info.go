// Package v1 contains API Schema definitions for the batch v1 API group.
// +kubebuilder:object:generate=true
// +groupName=batch.example.com
package v1

import "k8s.io/apimachinery/pkg/runtime/schema"

// GroupVersion is group version used to register these objects.
var GroupVersion = schema.GroupVersion{Group: "batch.example.com", Version: "v1"}
