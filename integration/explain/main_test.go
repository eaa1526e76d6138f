package explain

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

var update = flag.Bool("update", false, "rewrite the table of what an API server serves")

// shared is the API server of all tests, which TestMain starts. It is nil where there is none to start.
var shared *apiServer

// apiServer is how to reach an API server.
type apiServer struct {
	config     *rest.Config
	kubeconfig []byte
}

// noAPIServer says why tests are skipped, which they are not in CI.
const noAPIServer = "no API server: KUBEBUILDER_ASSETS is not set; `make test-explain` builds one and sets it"

func TestMain(m *testing.M) {
	flag.Parse()
	log.SetLogger(logr.Discard()) // Otherwise controller-runtime complains, with a stack.
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		if os.Getenv("CI") != "" {
			fmt.Fprintln(os.Stderr, noAPIServer)
			return 1
		}
		return m.Run() // Each test says why it is skipped.
	}
	env := &envtest.Environment{ControlPlaneStartTimeout: time.Minute} // The machine may have other things to do.
	defer env.Stop()
	config, err := env.Start()
	if err != nil {
		fmt.Fprintln(os.Stderr, "start an API server:", err)
		return 1
	}
	config.QPS = -1 // It is the API server that is to be seen, not a client that holds back.
	config.WarningHandlerWithContext = rest.NoWarnings{}
	shared = &apiServer{config, env.KubeConfig}
	return m.Run()
}

// onAPIServer returns the API server, and skips the test where there is none.
func onAPIServer(t *testing.T) *apiServer {
	t.Helper()
	if shared == nil {
		t.Skip(noAPIServer)
	}
	return shared
}
