// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/webhook-gen/webhook-gen/explain/internal/condition"
	"github.com/webhook-gen/webhook-gen/explain/internal/configuration"
	"github.com/webhook-gen/webhook-gen/explain/internal/project"
)

// finding is a problem in a matchCondition. webhook-gen reads it, and adds the rule's text and the expression's
// position in the source.
type finding struct {
	Rule condition.Rule `json:"rule"`
	// Configuration and Webhook are indexes into the input, and Condition is an index into the webhook's matchConditions.
	Configuration int `json:"configuration"`
	Webhook       int `json:"webhook"`
	Condition     int `json:"condition"`
	// From and To are the bytes of the expression that are wrong.
	From    int    `json:"from"`
	To      int    `json:"to"`
	Message string `json:"message"`
}

func conditionsCommand() *cobra.Command {
	var kubeVersion string
	c := &cobra.Command{
		Use:   "conditions",
		Short: "Say what is wrong with the matchConditions of a project, for webhook-gen lint",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			p, err := project.Read(c.InOrStdin())
			if err != nil {
				return err
			}
			var kubernetes *version.Version
			if kubeVersion != "" {
				if kubernetes, err = version.ParseGeneric(kubeVersion); err != nil {
					return fmt.Errorf("--kube-version: %w", err)
				}
			}
			found, err := checkConditions(p, kubernetes)
			if err != nil {
				return err
			}
			e := json.NewEncoder(c.OutOrStdout())
			e.SetEscapeHTML(false)
			return e.Encode(map[string][]finding{"findings": found})
		},
	}
	c.Flags().Bool("project", true, "read what webhook-gen says of a project from standard input")
	c.Flags().StringVar(&kubeVersion, "kube-version", "", "version of Kubernetes")
	return c
}

func checkConditions(p *project.Project, kubernetes *version.Version) ([]finding, error) {
	compiler, err := condition.NewCompiler(kubernetes)
	if err != nil {
		return nil, err
	}
	found := []finding{}
	for i := range p.Configurations {
		var set configuration.Set
		if err := set.Add(&p.Configurations[i].Object); err != nil {
			return nil, err
		}
		check := func(webhook int, conditions []v1.MatchCondition, rules []v1.RuleWithOperations, mutating bool) {
			for _, f := range compiler.Check(conditions, rules, mutating) {
				found = append(found, finding{f.Rule, i, webhook, f.Condition, f.From, f.To, f.Message})
			}
		}
		for _, c := range set.Mutating {
			for j, w := range c.Webhooks {
				check(j, w.MatchConditions, w.Rules, true)
			}
		}
		for _, c := range set.Validating {
			for j, w := range c.Webhooks {
				check(j, w.MatchConditions, w.Rules, false)
			}
		}
	}
	return found, nil
}
