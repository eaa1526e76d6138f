// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	v1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/explain/internal/celcheck"
	"github.com/webhook-gen/webhook-gen/explain/internal/condition"
)

func policyCommand() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "policy KIND [packages]",
		Short: "Write the checks of a kind's validators as validations of an admission policy, as far as CEL can say them",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			patterns := args[1:]
			if len(patterns) == 0 {
				patterns = []string{"./..."}
			}
			dir, err := os.Getwd()
			if err != nil {
				return err
			}
			result, err := celcheck.Read(dir, args[0], patterns...)
			if err != nil {
				return err
			}
			compiler, err := condition.NewCompiler(nil)
			if err != nil {
				return err
			}
			for i := range result.Checks {
				check := &result.Checks[i]
				check.At = check.Position.String()
				if below, err := filepath.Rel(dir, check.Position.Filename); err == nil {
					check.At = fmt.Sprintf("%s:%d", filepath.ToSlash(below), check.Position.Line)
				}
				if check.Expression == "" {
					continue
				}
				if found := compiler.Check([]v1.MatchCondition{{Name: "check", Expression: check.Expression}}, nil, false); len(found) > 0 && found[0].Rule == condition.Compiles {
					check.Reason, check.Expression = "its expression is refused: "+found[0].Message, ""
				}
			}
			if format == "json" {
				e := json.NewEncoder(c.OutOrStdout())
				e.SetEscapeHTML(false)
				return e.Encode(result)
			}
			result.Print(c.OutOrStdout())
			return nil
		},
	}
	c.Flags().StringVar(&format, "format", "text", "text or json")
	return c
}
