// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/webhook-gen/webhook-gen/internal/controlplane"
)

func assetsCommand(s streams) *cobra.Command {
	options := controlplane.Options{Progress: s.err}
	c := &cobra.Command{
		Use:   "assets",
		Short: "Print a folder with kube-apiserver and etcd for tests",
		Long: "assets prints a folder with kube-apiserver and etcd, which envtest reads from KUBEBUILDER_ASSETS. It takes the first of:\n" +
			"the folder that KUBEBUILDER_ASSETS names, an earlier build, and what setup-envtest has or downloads. If all of them\n" +
			"fail, it builds both programs from the Go module proxy, in some minutes, and keeps them in the user's cache folder.\n\n" +
			"Tests in Go have the same as module controlplane.",
		Example: "  webhook-gen assets\n" +
			"  webhook-gen assets --kubernetes 1.35 --index https://mirror.example.com/envtest-releases.yaml",
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			dir, err := controlplane.Assets(c.Context(), options)
			if err != nil {
				return err
			}
			fmt.Fprintln(s.out, dir)
			return nil
		},
	}
	flags := c.Flags()
	flags.StringVar(&options.Version, "kubernetes", controlplane.DefaultVersion, "version of Kubernetes: a minor version, for its newest patch, or a patch")
	flags.StringVar(&options.Index, "index", "", "URL of an index of archives, instead of setup-envtest's own")
	flags.StringVar(&options.Cache, "cache", "", "folder that keeps the built programs (default webhook-gen/controlplane in the user's cache folder)")
	flags.StringSliceVar(&options.Require, "require", nil, "modules to raise in a build, each as golang.org/x/net@v0.61.0")
	flags.BoolVar(&options.Build, "build", false, "build without asking setup-envtest")
	return c
}
