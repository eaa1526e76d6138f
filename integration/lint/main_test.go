// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"flag"
	"os"
	"testing"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/webhook-gen/webhook-gen/integration/internal/apiserver"
)

// client is a client of the API server of all tests. TestMain starts it; client is nil if its binaries are missing.
var client *kubernetes.Clientset

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(apiserver.Run(m, apiserver.Plain(func(config *rest.Config, _ []byte) (err error) {
		client, err = kubernetes.NewForConfig(config)
		return err
	})))
}
