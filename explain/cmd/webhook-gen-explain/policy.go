// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	v1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/explain/internal/celcheck"
	"github.com/webhook-gen/webhook-gen/explain/internal/policy"
	"github.com/webhook-gen/webhook-gen/explain/internal/project"
)

// policyRequest has the arguments of `webhook-gen explain policy`.
type policyRequest struct {
	Kind     string   `json:"kind"`
	Packages []string `json:"packages"`
	Format   string   `json:"format"`
}

func policyCommand() *cobra.Command {
	const short = "Write the checks of a kind's validators as validations of an admission policy, as far as CEL can say them"
	return command("policy", short, func(c *cobra.Command) error {
		request := policyRequest{Packages: []string{"./..."}}
		described, err := project.Read(c.InOrStdin(), &request)
		if err != nil {
			return err
		}
		dir, err := os.Getwd()
		if err != nil {
			return err
		}
		result, err := celcheck.Read(dir, request.Kind, request.Packages...)
		if err != nil {
			return err
		}
		if err := compileChecks(result.Checks, described); err != nil {
			return err
		}
		for i := range result.Checks {
			check := &result.Checks[i]
			check.At = check.Position.String()
			if below, err := filepath.Rel(dir, check.Position.Filename); err == nil {
				check.At = fmt.Sprintf("%s:%d", filepath.ToSlash(below), check.Position.Line)
			}
		}
		if request.Format == "json" {
			return writeJSON(c, result)
		}
		result.Print(c.OutOrStdout())
		return nil
	})
}

// compileChecks compiles the expressions of checks for the oldest Kubernetes of a project, with the Go types of the
// project. A check whose expression is refused stays with the validator.
func compileChecks(checks []celcheck.Check, p *project.Project) error {
	kubernetes, err := kubernetesVersion("", p)
	if err != nil {
		return err
	}
	checker, err := policy.NewChecker(kubernetes, p.Types)
	if err != nil {
		return err
	}
	for i := range checks {
		check := &checks[i]
		if check.Expression == "" {
			continue
		}
		rule, kinds := seenBy(*check, p.Types)
		found, err := checker.Validation(check.Expression, rule, kinds)
		if err != nil {
			return err
		}
		for _, f := range found {
			reason := "its expression is refused: "
			switch f.Rule {
			case policy.Affordable: // a warning, which the marker gets, too
				continue
			case policy.Fits:
				reason = "its expression does not fit the type: "
			case policy.Present:
				reason = "its expression may fail: "
			}
			check.Reason, check.Expression = reason+f.Message, ""
			break
		}
	}
	return nil
}

// seenBy returns a rule that matches the requests of a check, and the kinds of the objects.
func seenBy(check celcheck.Check, types []project.Type) (rule v1.RuleWithOperations, kinds []project.GroupVersionKind) {
	rule.Rule = v1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"objects"}}
	for _, o := range check.Operations {
		rule.Operations = append(rule.Operations, v1.OperationType(o))
	}
	for _, t := range types {
		if t.GoType == check.Type {
			kinds = append(kinds, t.GroupVersionKind)
			rule.APIGroups, rule.APIVersions = []string{t.Group}, []string{t.Version}
		}
	}
	return rule, kinds
}
