// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/webhook-gen/webhook-gen/explain"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/inspect"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

func explainEvaluateCommand(s streams) *cobra.Command {
	flags := runFlags{format: "text"} // findings are for people, and the answer is for programs
	c := &cobra.Command{
		Use:   "evaluate",
		Short: "Answer requests by the project's admission policies, for tests",
		Long: "evaluate reads {\"requests\": [...]} from standard input and prints {\"answers\": [...]}. A request has the fields of an\n" +
			"AdmissionRequest, and namespaceObject and params, the objects of the cluster that a policy may read. An answer has\n" +
			"allowed, code, reason, message, warnings, auditAnnotations, the object after all policies, and the steps to it.\n" +
			"With \"describe\": true the output also has the policies, and the kinds that they match, with their schemas.\n" +
			"The API server's own code evaluates the policies. No server or webhook is called.",
		Args: noArguments,
		RunE: flags.with(func(c *cobra.Command, config engine.Config, _ []string) error {
			var requests explain.Requests
			text, err := regular.ReadAll(s.in, regular.Manifest)
			if err == nil {
				err = json.NewDecoder(bytes.NewReader(text)).Decode(&requests)
			}
			if err != nil {
				return fmt.Errorf("the requests on standard input: %w", err)
			}
			described, diags, err := inspect.Describe(c.Context(), config)
			if err != nil {
				return err
			}
			if err := flags.report(s, config.Dir, diags); err != nil {
				return err
			}
			answers, err := explain.Evaluate(c.Context(), described, requests)
			if err != nil {
				return err
			}
			e := json.NewEncoder(s.out)
			e.SetEscapeHTML(false)
			return e.Encode(answers)
		}),
	}
	c.Flags().StringVarP(&flags.Dir, "directory", "C", "", "run as if started in this folder")
	c.Flags().StringSliceVar(&flags.Tags, "tags", nil, "build tags, comma-separated")
	return c
}
