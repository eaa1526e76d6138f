// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/webhook-gen/webhook-gen/integration/internal/apiserver"
)

var update = flag.Bool("update", false, "rewrite the table of what an API server serves")

// shared is the API server of all tests. TestMain starts it; shared is nil if its binaries are missing.
var shared *apiServer

// apiServer is how to reach an API server.
type apiServer struct {
	config     *rest.Config
	kubeconfig []byte
	// auditLog is the file of the audit log, which has the requests of auditPolicy.
	auditLog string
	// folder contains the commands after build, which builds them once. It is removed after the tests.
	folder string
	build  func() error
}

// auditPolicy has the requests in the audit log that TestPolicies and TestRequests send: they name them. Level Request
// has the patches of webhooks.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
- {level: Metadata, resources: [{group: apps}, {group: random.example.com}]}
- {level: Request, namespaces: [policies-prod, policies-dev, policies-plain]}
- {level: None}
`

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(apiserver.Run(m, start))
}

// start starts an API server whose clients do not hold back, and print no warnings.
func start() (stop func(), err error) {
	folder, err := os.MkdirTemp("", "explain")
	if err != nil {
		return nil, err
	}
	policy := filepath.Join(folder, "audit-policy.yaml")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o600); err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	log := filepath.Join(folder, "audit.log")
	env := &envtest.Environment{ControlPlaneStartTimeout: time.Minute} // The machine may have other things to do.
	env.ControlPlane.GetAPIServer().Configure().Set("audit-policy-file", policy).Set("audit-log-path", log)
	config, err := env.Start()
	if err != nil {
		return nil, errors.Join(err, env.Stop(), os.RemoveAll(folder))
	}
	config.QPS = -1
	config.WarningHandlerWithContext = rest.NoWarnings{}
	build := sync.OnceValue(func() error { return buildCommand(folder) })
	shared = &apiServer{config, env.KubeConfig, log, folder, build}
	return func() {
		_ = env.Stop()
		_ = os.RemoveAll(folder)
	}, nil
}

// onAPIServer returns the API server, and skips the test if there is no API server.
func onAPIServer(t *testing.T) *apiServer {
	t.Helper()
	if shared == nil {
		t.Skip(apiserver.Missing)
	}
	return shared
}

// webhookGen returns the path of webhook-gen.
func (a *apiServer) webhookGen(t *testing.T) string {
	t.Helper()
	if err := a.build(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(a.folder, "webhook-gen")
}

// buildCommand builds webhook-gen in a folder.
func buildCommand(folder string) error {
	build := exec.Command("go", "build", "-o", folder, "./cmd/webhook-gen")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}
