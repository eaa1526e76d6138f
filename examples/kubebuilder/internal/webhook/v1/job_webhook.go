// Package v1 holds the webhooks of batch.example.com/v1, with markers as kubebuilder writes them.
package v1

// +kubebuilder:webhook:path=/mutate-batch-example-com-v1-job,mutating=true,failurePolicy=fail,sideEffects=None,groups=batch.example.com,resources=jobs,verbs=create;update,versions=v1,name=mjob-v1.kb.io,admissionReviewVersions=v1

// JobCustomDefaulter sets what a user left out.
type JobCustomDefaulter struct{}

// +kubebuilder:webhook:path=/validate-batch-example-com-v1-job,mutating=false,failurePolicy=fail,sideEffects=None,groups=batch.example.com,resources=jobs,verbs=create;update;delete,versions=v1,name=vjob-v1.kb.io,admissionReviewVersions=v1,timeoutSeconds=5,patch=`{"namespaceSelector":{"matchLabels":{"batch":"enabled"}}}`

// JobCustomValidator refuses schedules that cannot be met.
type JobCustomValidator struct{}
