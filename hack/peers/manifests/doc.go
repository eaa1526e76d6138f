// SPDX-License-Identifier: Apache-2.0

// Package manifests has webhook-gen lint read the webhooks of real projects as the Go module proxy serves them,
// rendered by helm and kustomize if the project is delivered in that way. It keeps the findings in docs/guides/lint.md.
// It also checks findings in SARIF with that format's schema.
package manifests

import (
	// It has the schema of SARIF.
	_ "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
)
