// SPDX-License-Identifier: Apache-2.0

package controllerruntime

import (
	"testing"

	// The modules below the runtime.
	_ "github.com/webhook-gen/webhook-gen/runtime/controllerruntime"
	_ "github.com/webhook-gen/webhook-gen/runtime/program"
)

// TestAdapters runs the tests of the modules below the runtime with the newest controller-runtime and Go. `make test`
// runs them with the oldest that their go.mod name.
func TestAdapters(t *testing.T) {
	const runtime = "github.com/webhook-gen/webhook-gen/runtime/"
	execute(t, ".", "go", "test", runtime+"controllerruntime", runtime+"program")
}
