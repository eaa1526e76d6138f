// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"flag"
	"os"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/webhook-gen/webhook-gen/integration/internal/apiserver"
)

var update = flag.Bool("update", false, "rewrite the table of what an API server serves")

// shared is the API server of all tests. TestMain starts it; shared is nil if its binaries are missing.
var shared *apiServer

// apiServer is how to reach an API server.
type apiServer struct {
	config     *rest.Config
	kubeconfig []byte
}

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(apiserver.Run(m, apiserver.Plain(func(config *rest.Config, kubeconfig []byte) error {
		shared = &apiServer{config, kubeconfig}
		return nil
	})))
}

// onAPIServer returns the API server, and skips the test if there is no API server.
func onAPIServer(t *testing.T) *apiServer {
	t.Helper()
	if shared == nil {
		t.Skip(apiserver.Missing)
	}
	return shared
}
