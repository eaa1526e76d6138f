// SPDX-License-Identifier: Apache-2.0

package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:object:root=true

// Job is a piece of work.
type Job struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec JobSpec `json:"spec"`
}

// JobSpec says when the work is done.
type JobSpec struct {
	// Schedule is @hourly, @daily or @weekly.
	Schedule string `json:"schedule"`
	// Suspend stops the work.
	Suspend *bool `json:"suspend,omitempty"`
}
