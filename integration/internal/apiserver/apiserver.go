// SPDX-License-Identifier: Apache-2.0

// Package apiserver starts the kube-apiserver of a test package.
package apiserver

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// Missing explains why tests are skipped. In CI they are not skipped.
const Missing = "no API server: KUBEBUILDER_ASSETS is not set; `make test-integration` and `make test-cluster` build one and set it"

// Run runs the tests of a package between start and stop, and returns their exit code. Without the API server's
// binaries it starts nothing, and each test prints why it is skipped.
func Run(m *testing.M, start func() (stop func(), err error)) int {
	log.SetLogger(logr.Discard()) // Otherwise controller-runtime complains, with a stack.
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		if os.Getenv("CI") != "" {
			fmt.Fprintln(os.Stderr, Missing)
			return 1
		}
		return m.Run()
	}
	stop, err := start()
	if err != nil {
		fmt.Fprintln(os.Stderr, "start an API server:", err)
		return 1
	}
	defer stop()
	return m.Run()
}

// Plain starts an API server as it is, and hands it to use. Its clients do not hold back, and print no warnings.
func Plain(use func(config *rest.Config, kubeconfig []byte) error) func() (stop func(), err error) {
	return func() (func(), error) {
		env := &envtest.Environment{ControlPlaneStartTimeout: time.Minute} // The machine may have other things to do.
		config, err := env.Start()
		if err == nil {
			config.QPS = -1
			config.WarningHandlerWithContext = rest.NoWarnings{}
			err = use(config, env.KubeConfig)
		}
		if err != nil {
			return nil, errors.Join(err, env.Stop())
		}
		return func() { _ = env.Stop() }, nil
	}
}
