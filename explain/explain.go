// SPDX-License-Identifier: Apache-2.0

// Package explain predicts what an API server does with webhooks and policies, by the API server's own code: it
// compiles and evaluates expressions, and matches requests. Nothing of CEL is set up before the first expression.
package explain

import (
	"sync"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// quiet discards the logs of the API server's code: answers contain its errors, too. klog's logger is a global, and
// setting it is not safe beside another call.
var quiet = sync.OnceFunc(func() { klog.SetLogger(logr.Discard()) }) //nolint:gochecknoglobals // once a process
