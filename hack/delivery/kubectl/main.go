// SPDX-License-Identifier: Apache-2.0

// Command kubectl is kubectl, for the tests beside it: the go command builds no commands of k8s.io/kubernetes.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
)

func main() {
	if err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
		cmdutil.CheckErr(err)
		os.Exit(1)
	}
}
