// SPDX-License-Identifier: Apache-2.0

// Package manifests has webhook-gen lint read the webhooks of real projects as the Go module proxy serves them,
// rendered by helm and kustomize where that is how they are delivered, and keeps in docs/lint.md what it finds. It also
// holds findings in SARIF to that format's schema.
package manifests

import (
	// It has the schema of SARIF.
	_ "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
)
