// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"context"

	"github.com/webhook-gen/webhook-gen/explain/internal/evaluate"
	"github.com/webhook-gen/webhook-gen/explain/project"
)

// Requests are the requests of an evaluation, as `webhook-gen explain evaluate` reads them from JSON.
type Requests struct {
	Requests []evaluate.Request `json:"requests"`
	// Describe adds the policies and their kinds to the answers.
	Describe bool `json:"describe"`
}

// Answers are the answers to requests, in their order.
type Answers struct {
	Answers []evaluate.Answer `json:"answers"`
	// Policies and Kinds are empty unless the requests set Describe.
	Policies []project.Policy `json:"policies,omitempty"`
	Kinds    []evaluate.Kind  `json:"kinds,omitempty"`
}

// Evaluate runs the policies of a project on requests.
func Evaluate(ctx context.Context, p *project.Project, r Requests) (Answers, error) {
	quiet()
	answers, err := evaluate.Run(ctx, p, r.Requests)
	if err != nil {
		return Answers{}, err
	}
	out := Answers{Answers: answers}
	if r.Describe {
		out.Policies, out.Kinds = p.Policies, evaluate.Describe(p)
	}
	return out, nil
}
