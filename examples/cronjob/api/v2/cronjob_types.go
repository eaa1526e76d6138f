// SPDX-License-Identifier: Apache-2.0

package v2

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CronJob starts jobs by the clock.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +webhook:conversion:spoke
type CronJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   CronJobSpec   `json:"spec,omitempty"`
	Status CronJobStatus `json:"status,omitempty"`
}

// CronJobSpec is what shall be done.
type CronJobSpec struct {
	// Schedule is in parts.
	//
	// +webhook:conversion:custom # a text there, parts here
	Schedule CronSchedule `json:"schedule"`
	// StartingDeadlineSeconds is how late a job may start.
	StartingDeadlineSeconds *int64 `json:"startingDeadlineSeconds,omitempty"`
	// ConcurrencyPolicy says what happens to a job while another one runs.
	ConcurrencyPolicy ConcurrencyPolicy `json:"concurrencyPolicy,omitempty"`
	// Suspend stops further jobs.
	Suspend *bool `json:"suspend,omitempty"`
	// JobTemplate is the job. Its schema would be thousands of lines long.
	//
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	JobTemplate batchv1.JobTemplateSpec `json:"jobTemplate"`
	// SuccessfulJobsHistoryLimit is how many jobs that succeeded are kept.
	SuccessfulJobsHistoryLimit *int32 `json:"successfulJobsHistoryLimit,omitempty"`
	// FailedJobsHistoryLimit is how many jobs that failed are kept.
	FailedJobsHistoryLimit *int32 `json:"failedJobsHistoryLimit,omitempty"`
}

// ConcurrencyPolicy says what happens to a job while another one runs.
type ConcurrencyPolicy string

// The policies that there are.
const (
	AllowConcurrent   ConcurrencyPolicy = "Allow"
	ForbidConcurrent  ConcurrencyPolicy = "Forbid"
	ReplaceConcurrent ConcurrencyPolicy = "Replace"
)

// CronJobStatus is the observed state of a CronJob.
type CronJobStatus struct {
	// Active are the jobs that run.
	Active []corev1.ObjectReference `json:"active,omitempty"`
	// LastScheduleTime is when a job was last started.
	LastScheduleTime *metav1.Time `json:"lastScheduleTime,omitempty"`
}

// CronSchedule is a schedule in parts. A missing part stands for any value.
type CronSchedule struct {
	Minute     *CronField `json:"minute,omitempty"`
	Hour       *CronField `json:"hour,omitempty"`
	DayOfMonth *CronField `json:"dayOfMonth,omitempty"`
	Month      *CronField `json:"month,omitempty"`
	DayOfWeek  *CronField `json:"dayOfWeek,omitempty"`
}

// CronField is one part of a schedule, in cron format.
type CronField string
