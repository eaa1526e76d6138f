package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/webhook-gen/webhook-gen/generator"
)

func deleteCommand(s streams) *cobra.Command {
	return group("delete", "Remove a webhook, or a version of a kind", deleteWebhookCommand(s), deleteVersionCommand(s))
}

func deleteWebhookCommand(s streams) *cobra.Command {
	var flags scaffoldFlags
	var resource resourceFlags
	var webhooks generator.Webhooks
	var force bool
	c := &cobra.Command{
		Use:   "webhook",
		Short: "Remove webhooks of a kind, with everything that was generated for them",
		Long: "webhook takes markers off the type of a kind, those of its mutating and validating webhooks unless flags say which.\n" +
			"What was generated for them goes. So does the file of the policy while it is as it was written; a policy that\n" +
			"was gone on with stops the command, unless --force says to remove it.",
		Example: "  webhook-gen delete webhook --group shop --version v1 --kind Order --mutating",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			return flags.run(c, s, func(ctx context.Context, config generator.Config) (generator.Scaffold, error) {
				return generator.DeleteWebhook(ctx, config, resource.Resource, webhooks, force)
			})
		},
	}
	flags.add(c)
	resource.add(c)
	addWebhooks(c, &webhooks)
	addForce(c, &force)
	return c
}

func deleteVersionCommand(s streams) *cobra.Command {
	var flags scaffoldFlags
	var resource resourceFlags
	var force bool
	c := &cobra.Command{
		Use:     "version",
		Aliases: []string{"api"},
		Short:   "Remove a version of a kind: its type, its webhooks and its conversion",
		Long: "version removes the file with the Go type of a kind in one version, and everything that was generated for it. Where\n" +
			"one version is left, nothing is converted any more.",
		Example: "  webhook-gen delete version --group shop --version v1 --kind Order",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			return flags.run(c, s, func(ctx context.Context, config generator.Config) (generator.Scaffold, error) {
				return generator.DeleteVersion(ctx, config, resource.Resource, force)
			})
		},
	}
	flags.add(c)
	resource.add(c)
	addForce(c, &force)
	return c
}

func addForce(c *cobra.Command, force *bool) {
	c.Flags().BoolVar(force, "force", false, "also remove files of policies that were gone on with")
}
