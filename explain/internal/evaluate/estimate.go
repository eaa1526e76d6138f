// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"math"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/webhook-gen/webhook-gen/explain/internal/policy"
)

// estimateKey is a policy, with the kind of the object that it sees.
type estimateKey struct {
	policy *unstructured.Unstructured
	object schema.GroupVersionKind
}

// estimate sets the estimated costs of steps.
func (e *Evaluator) estimate(steps []Step) error {
	for i := range steps {
		s := &steps[i]
		if s.Policy == "" || s.kind.Empty() {
			continue
		}
		estimate, err := e.estimateOf(estimateKey{s.source, s.kind})
		if err != nil {
			return err
		}
		if estimate != nil {
			s.EstimatedCost = s.estimated(estimate)
		}
	}
	return nil
}

func (e *Evaluator) estimateOf(k estimateKey) (estimate *policy.Estimate, err error) {
	if known, ok := e.estimates[k]; ok {
		return known, nil
	}
	if e.checker == nil {
		if e.checker, err = policy.NewChecker(nil, e.types); err != nil {
			return nil, err
		}
		e.estimates = map[estimateKey]*policy.Estimate{}
	}
	estimate, err = e.checker.Estimate(k.policy, k.object)
	e.estimates[k] = estimate
	return estimate, err
}

// estimated is the part of an estimate for the expressions that a step evaluates.
func (s *Step) estimated(e *policy.Estimate) int64 {
	var parts []uint64
	switch {
	case s.Mutation != nil && *s.Mutation > 0:
		parts = []uint64{e.Mutations[*s.Mutation]}
	case s.Mutation != nil:
		parts = []uint64{e.Conditions, e.Mutations[0]}
	case s.Verdict == ConditionFalse || s.Phase != Validation:
		parts = []uint64{e.Conditions}
	default:
		parts = []uint64{e.Conditions, e.Validations}
	}
	return int64(min(policy.Sum(parts...), math.MaxInt64))
}
