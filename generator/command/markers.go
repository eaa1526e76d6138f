// SPDX-License-Identifier: Apache-2.0

package command

import (
	"github.com/spf13/cobra"

	"github.com/webhook-gen/webhook-gen/generator/internal/registry"
)

func markersCommand(s streams) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:     "markers [names]",
		Short:   "List the markers, or show some in full",
		Example: "  webhook-gen markers\n  webhook-gen markers webhook:mutating\n  webhook-gen markers --format json webhook:mutating",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, d := range registry.MarkerDocs() {
				names = append(names, d.Name)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, names []string) error {
			return registry.PrintMarkers(s.out, format, names)
		},
	}
	addFormat(c, &format, registry.MarkerFormats())
	return c
}
