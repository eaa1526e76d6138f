// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/webhook-gen/webhook-gen/explain"
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
	var force, migrated bool
	var kubeconfig string
	c := kindCommand(s, &cobra.Command{
		Use:     "version",
		Aliases: []string{"api"},
		Short:   "Remove a version of a kind: its type, its webhooks and its conversion",
		Long: "version removes the file with the Go type of a kind in one version, and everything generated for it. If\n" +
			"only one version is left, its conversion is removed, too. A file that you have edited stops the command, unless you\n" +
			"pass --force. A type that other files of its package use stops it always.\n\n" +
			"An API server cannot read objects that are stored in a version without a conversion. If other versions are left,\n" +
			"pass --kubeconfig for each cluster: the command stops if status.storedVersions of the definition has the version.\n" +
			"The command migrate of your program empties it. Or pass --migrated.",
		Example: "  webhook-gen delete version --group shop --version v1 --kind Order --migrated",
	}, func(ctx context.Context, config project.Config, kind project.Resource) (project.Result, error) {
		unstored := notAsked
		switch {
		case migrated && kubeconfig != "":
			return project.Result{}, errors.New("--kubeconfig checks a cluster, and --migrated checks none: use one of the two")
		case migrated:
			unstored = nil
		case kubeconfig != "":
			unstored = func(ctx context.Context, kind project.Resource) error { return checkUnstored(ctx, kubeconfig, kind) }
		}
		return project.DeleteVersion(ctx, config, kind, unstored, force)
	})
	addForce(c, &force)
	c.Flags().StringVar(&kubeconfig, "kubeconfig", "", "kubeconfig file of a cluster that must store no object in the version")
	c.Flags().BoolVar(&migrated, "migrated", false, "no cluster stores objects in the version")
	return c
}

// notAsked is the error of a deletion without a cluster to ask.
func notAsked(_ context.Context, kind project.Resource) error {
	return fmt.Errorf("a cluster may store objects of %s in %s, and nothing would convert them any more: "+
		"run the command migrate of your program in each cluster, and pass --kubeconfig to check a cluster, or --migrated", kind.Kind, kind.Version)
}

// checkUnstored reports an error if a cluster stores objects in a version.
func checkUnstored(ctx context.Context, kubeconfig string, kind project.Resource) error {
	name, versions, err := explain.Stored(ctx, kubeconfig, schema.GroupKind{Group: kind.Group, Kind: kind.Kind})
	if err != nil {
		return fmt.Errorf("--kubeconfig: %w", err)
	}
	if slices.Contains(versions, kind.Version) {
		return fmt.Errorf("status.storedVersions of %s has %s: make another version the storage version, and run the command migrate of your program", name, kind.Version)
	}
	return nil
}

func addForce(c *cobra.Command, force *bool) {
	c.Flags().BoolVar(force, "force", false, "also remove files of yours that you have edited")
}
