// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/webhook-gen/webhook-gen/generator/internal/inspect"
)

func explainUpgradeCommand(s streams) *cobra.Command {
	var dir, format string
	c := &cobra.Command{
		Use:   "upgrade OLD [NEW]",
		Short: "Show what a change of markers and types means to a running cluster",
		Long: "upgrade compares two states of a project and shows the effects of the step on a running cluster: refused requests,\n" +
			"lost data, rules that no longer hold. It gives the order of steps that avoids them.\n" +
			"docs/reference/rules.md has the rules.\n\n" +
			"A state is a git revision (of the enclosing module), a folder with go.mod, a folder of manifests, a manifest, or -\n" +
			"for one on standard input, as kubectl get -o yaml prints it. NEW is the work tree by default. Nothing is written.\n" +
			"It exits with 1 if something breaks, and with 0 otherwise. A step that is meant to break is accepted with\n" +
			"upgrade.accepted in webhook-gen.yaml: the finding as it is printed, a colon, and the reason.",
		Example: "  webhook-gen explain upgrade HEAD~1\n  webhook-gen explain upgrade v1.4.0 v1.5.0 --format json\n" +
			"  kubectl get mutatingwebhookconfigurations,validatingwebhookconfigurations,crds -l app=orders -o yaml |\n    webhook-gen explain upgrade - rendered.yaml",
		Args: cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, words []string) (err error) {
			if err := oneOf("format", format, inspect.UpgradeFormats()); err != nil {
				return err
			}
			dir, err := filepath.Abs(dir)
			if err != nil {
				return err
			}
			closing := func(s *inspect.State) { err = errors.Join(err, s.Close()) }
			old, err := inspect.OpenState(c.Context(), dir, words[0], c.InOrStdin())
			if err != nil {
				return err
			}
			defer closing(old)
			now, err := inspect.OpenState(c.Context(), dir, strings.Join(words[1:], ""), c.InOrStdin())
			if err != nil {
				return err
			}
			defer closing(now)
			if old.IsEmpty() && now.IsEmpty() {
				return errors.New("neither state has a webhook, a policy or a CustomResourceDefinition: name the folder or file that has them, with templates rendered")
			}
			findings := inspect.Upgrade(old, now)
			if err := findings.Print(s.out, format, dir); err != nil {
				return err
			}
			for _, unused := range findings.Unused {
				fmt.Fprintf(s.err, "webhook-gen: upgrade.accepted lists %q, which is not found\n", unused)
			}
			breaking, careful, safe, accepted := findings.Count()
			fmt.Fprintf(s.err, "webhook-gen: %d breaking, %d careful, %d safe", breaking, careful, safe)
			if accepted > 0 {
				fmt.Fprintf(s.err, ", %d accepted", accepted)
			}
			fmt.Fprintln(s.err)
			if breaking > 0 {
				return errFindings
			}
			return nil
		},
	}
	c.Flags().StringVarP(&dir, "directory", "C", "", "run as if started in this folder")
	addFormat(c, &format, inspect.UpgradeFormats())
	return c
}
