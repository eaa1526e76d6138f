// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/webhook-gen/webhook-gen/generator/internal/project"
)

func deleteCommand(s streams) *cobra.Command {
	return group("delete", "Remove a webhook, or a version of a kind", deleteWebhookCommand(s), deleteVersionCommand(s))
}

func deleteWebhookCommand(s streams) *cobra.Command {
	var webhooks project.Webhooks
	var force bool
	c := kindCommand(s, &cobra.Command{
		Use:   "webhook",
		Short: "Remove webhooks of a kind, with everything that was generated for them",
		Long: "webhook removes the markers of mutating and validating webhooks from the type of a kind, unless flags choose.\n" +
			"Everything generated for them is removed, and so is the file of a validator or defaulter if you have not edited it.\n" +
			"One that you have edited stops the command, unless you pass --force. If another webhook needs it,\n" +
			"only the line that asserts its methods changes. A file that would not compile any more stops the command, too.",
		Example: "  webhook-gen delete webhook --group shop --version v1 --kind Order --mutating",
	}, func(ctx context.Context, config project.Config, kind project.Resource) (project.Result, error) {
		return project.DeleteWebhook(ctx, config, kind, webhooks, force)
	})
	addWebhooks(c, &webhooks)
	addForce(c, &force)
	return c
}

func deleteVersionCommand(s streams) *cobra.Command {
	var force bool
	c := kindCommand(s, &cobra.Command{
		Use:     "version",
		Aliases: []string{"api"},
		Short:   "Remove a version of a kind: its type, its webhooks and its conversion",
		Long: "version removes the file with the Go type of a kind in one version, and everything generated for it. If\n" +
			"only one version is left, its conversion is removed, too. A file that you have edited stops the command, unless you\n" +
			"pass --force. A type that other files of its package use stops it always.",
		Example: "  webhook-gen delete version --group shop --version v1 --kind Order",
	}, func(ctx context.Context, config project.Config, kind project.Resource) (project.Result, error) {
		return project.DeleteVersion(ctx, config, kind, force)
	})
	addForce(c, &force)
	return c
}

func addForce(c *cobra.Command, force *bool) {
	c.Flags().BoolVar(force, "force", false, "also remove files of yours that you have edited")
}
