package v1alpha1

import (
	"context"
	"maps"
	"slices"

	pipelinev1 "github.com/tektoncd/pipeline/pkg/apis/pipeline/v1"
	"github.com/tektoncd/pipeline/pkg/apis/resolution/v1alpha1"
	"github.com/tektoncd/pipeline/pkg/apis/resolution/v1beta1"
)

// Hooked converts parameters that are text. Others are kept in the annotation.
type Hooked struct{}

func (Hooked) ResolutionRequestSpecParametersToHub(_ context.Context, src *v1alpha1.ResolutionRequestSpec, dst *v1beta1.ResolutionRequestSpec) error {
	for _, name := range slices.Sorted(maps.Keys(src.Parameters)) {
		dst.Params = append(dst.Params, pipelinev1.Param{Name: name, Value: *pipelinev1.NewStructuredValues(src.Parameters[name])})
	}
	return nil
}

func (Hooked) ResolutionRequestSpecParametersFromHub(_ context.Context, src *v1beta1.ResolutionRequestSpec, dst *v1alpha1.ResolutionRequestSpec) error {
	dst.Parameters = map[string]string{}
	for _, p := range src.Params {
		if p.Value.Type == pipelinev1.ParamTypeString {
			dst.Parameters[p.Name] = p.Value.StringVal
		}
	}
	return nil
}
