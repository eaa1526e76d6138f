// Package v1alpha1 converts v1alpha1 to and from v1beta1.
//
// +webhook:conversion:spoke(for: "github.com/tektoncd/pipeline/pkg/apis/resolution/v1alpha1.ResolutionRequest", hub: "github.com/tektoncd/pipeline/pkg/apis/resolution/v1beta1.ResolutionRequest")
//
// +webhook:conversion:custom(of: "github.com/tektoncd/pipeline/pkg/apis/resolution/v1alpha1.ResolutionRequestSpec", field: "params")
// +webhook:conversion:allow(of: "github.com/tektoncd/pipeline/pkg/apis/resolution/v1alpha1.ResolutionRequestStatus", rule: "V14")="the controller alone writes source"
// +webhook:conversion:allow(of: "github.com/tektoncd/pipeline/pkg/apis/resolution/v1alpha1.ResolutionRequestStatus", rule: "V21")="the controller alone writes source"
package v1alpha1
