package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func versionCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(s.out, version())
			return err
		},
	}
}

// version is the module's version as the go command recorded it: v1.2.3 when installed by
// version, "devel" when built from a work tree, with the commit where that is known.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "webhook-gen devel"
	}
	v := info.Main.Version
	if v == "" || v == "(devel)" {
		v = "devel"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && v == "devel" {
			v += " " + s.Value
		}
	}
	return "webhook-gen " + v + " " + info.GoVersion
}
