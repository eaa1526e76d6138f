// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/webhook-gen/webhook-gen/explain/internal/evaluate"
	"github.com/webhook-gen/webhook-gen/explain/internal/project"
)

// output answers the requests. The policies and their kinds are there if the input asks for them.
type output struct {
	Answers  []evaluate.Answer `json:"answers"`
	Policies []project.Policy  `json:"policies,omitempty"`
	Kinds    []evaluate.Kind   `json:"kinds,omitempty"`
}

func evaluateCommand() *cobra.Command {
	return command("evaluate", "Run admission policies on requests, for tests of a project", func(c *cobra.Command) error {
		var in evaluate.Input
		if err := json.NewDecoder(c.InOrStdin()).Decode(&in); err != nil {
			return fmt.Errorf("policies and requests: %w", err)
		}
		answers, err := evaluate.Run(c.Context(), in)
		if err != nil {
			return err
		}
		out := output{Answers: answers}
		if in.Describe {
			out.Policies, out.Kinds = in.Policies, evaluate.Describe(in)
		}
		return writeJSON(c, out)
	})
}
