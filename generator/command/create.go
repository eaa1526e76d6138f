// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/project"
)

func createCommand(s streams) *cobra.Command {
	return group("create", "Write a kind, a webhook, a further version of a kind, or tests of existing handlers", createAPICommand(s), createWebhookCommand(s), createVersionCommand(s), createTestsCommand(s))
}

func createAPICommand(s streams) *cobra.Command {
	var plural string
	c := kindCommand(s, &cobra.Command{
		Use:     "api",
		Short:   "Write the Go type of a new kind",
		Long:    "api writes the Go type of a new kind, and the package of its group and version if it does not exist.",
		Example: "  webhook-gen create api --group shop --version v1 --kind Order",
	}, func(ctx context.Context, config project.Config, kind project.Resource) (project.Result, error) {
		return project.CreateAPI(ctx, config, kind, plural)
	})
	c.Flags().StringVar(&plural, "plural", "", "name of the kind's resource, in lower case (default the plural that controller-gen derives)")
	return c
}

func createWebhookCommand(s streams) *cobra.Command {
	var webhooks project.Webhooks
	c := kindCommand(s, &cobra.Command{
		Use:   "webhook",
		Short: "Mark a kind for webhooks, and write the validator or defaulter to fill in",
		Long: "webhook puts +webhook markers on the type of a kind, generates their files, and writes the validator or defaulter to\n" +
			"fill in. For built-in kinds of Kubernetes and kinds of other modules, the type is in package external, below the\n" +
			"folder of handlers (internal/webhook). In the file of the type only the markers change. A validator or defaulter\n" +
			"that you have edited never changes; methods for further operations get a file beside it.",
		Example: "  webhook-gen create webhook --group shop --version v1 --kind Order --mutating --validating\n" +
			"  webhook-gen create webhook --version v1 --kind Pod --validating --operations create",
	}, func(ctx context.Context, config project.Config, kind project.Resource) (project.Result, error) {
		return project.CreateWebhook(ctx, config, kind, webhooks)
	})
	addWebhooks(c, &webhooks)
	c.Flags().StringSliceVar(&webhooks.Operations, "operations", nil, "operations that the webhooks are called for; an existing marker gets the missing ones: "+strings.Join(model.Operations(), ", ")+" (default create,update)")
	c.Flags().StringSliceVar(&webhooks.Spokes, "spoke", nil, "versions to convert, with --conversion (default all others)")
	c.Flags().StringVar(&webhooks.Import, "external-api-path", "", "import path of the package that has the Go type of another module's kind")
	complete(c, "operations", model.Operations()...)
	return c
}

// addWebhooks adds the flags that name kinds of webhooks.
func addWebhooks(c *cobra.Command, webhooks *project.Webhooks) {
	c.Flags().BoolVar(&webhooks.Mutating, "mutating", false, "a webhook that sets fields, such as defaults")
	c.Flags().BoolVar(&webhooks.Validating, "validating", false, "a webhook that allows or denies requests")
	c.Flags().BoolVar(&webhooks.Conversion, "conversion", false, "conversion between the versions of the kind, with this one as the hub")
}

func createVersionCommand(s streams) *cobra.Command {
	var from string
	c := kindCommand(s, &cobra.Command{
		Use:   "version",
		Short: "Write a further version of a kind, with its conversion",
		Long: "version writes a further version of one of the project's kinds, as a copy of the version --from, and generates the\n" +
			"conversions. The first new version becomes the hub, because fields added to the hub need no marker; later ones are\n" +
			"spokes. Webhooks stay on the version that has them: the API server converts the objects it sends.",
		Example: "  webhook-gen create version --group shop --version v2 --kind Order",
	}, func(ctx context.Context, config project.Config, kind project.Resource) (project.Result, error) {
		return project.CreateVersion(ctx, config, kind, from)
	})
	c.Flags().StringVar(&from, "from", "", "version to copy (default the hub, or else the newest)")
	return c
}

func createTestsCommand(s streams) *cobra.Command {
	return projectCommand(s, &cobra.Command{
		Use:   "tests [packages]",
		Short: "Write a test of the webhook handlers that the project already has",
		Long: "tests writes webhook_handlers_test.go beside the +kubebuilder:webhook and +webhook markers of each package whose\n" +
			"handlers are not generated, such as controller-runtime's. The test sends requests to the project's own handlers, and\n" +
			"reports their defects with the smallest object that shows each. Handlers in calls of NewWebhookManagedBy are filled\n" +
			"in; you write the others. No existing file changes, but go.mod gets the requirement of the test.",
		Example: "  webhook-gen create tests\n" +
			"  webhook-gen create tests ./internal/webhook/v1",
	}, func(ctx context.Context, config project.Config, packages []string) (project.Result, error) {
		config.Patterns = packages
		return project.CreateTests(ctx, config)
	})
}
