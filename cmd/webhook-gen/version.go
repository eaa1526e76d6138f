// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// released is the version of a release, set by the linker: -ldflags "-X main.released=v0.1.0".
var released string

func versionCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long:  "version prints the version of a release or, for a build from a work tree, the folder and the revision.",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(s.out, thisBuild().version())
			return err
		},
	}
}
