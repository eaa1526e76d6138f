package v1alpha1

import (
	"fmt"
	"math/rand/v2"
	"testing"

	pipelinev1 "github.com/tektoncd/pipeline/pkg/apis/pipeline/v1"
	"github.com/tektoncd/pipeline/pkg/apis/resolution/v1alpha1"
	"github.com/tektoncd/pipeline/pkg/apis/resolution/v1beta1"

	"github.com/webhook-gen/webhook-gen/runtime/conversion/conversiontest"
)

func newResolutionRequestConversion(testing.TB) conversiontest.Kind[v1alpha1.ResolutionRequest, v1beta1.ResolutionRequest] {
	c := NewConverter(Hooked{})
	return conversiontest.Kind[v1alpha1.ResolutionRequest, v1beta1.ResolutionRequest]{
		ToHub: c.ResolutionRequestToHub, FromHub: c.ResolutionRequestFromHub,
		// A parameter's value has one form, and parameters have names of their own.
		Hub: func(o *v1beta1.ResolutionRequest, random *rand.Rand) {
			for i := range o.Spec.Params {
				p := &o.Spec.Params[i]
				p.Name = fmt.Sprint(p.Name, i)
				p.Value = []pipelinev1.ParamValue{
					*pipelinev1.NewStructuredValues(p.Name), *pipelinev1.NewStructuredValues("a", "b"), *pipelinev1.NewObject(map[string]string{"key": p.Name}),
				}[random.IntN(3)]
			}
		},
		Kept: []string{"spec.params"},
	}
}
