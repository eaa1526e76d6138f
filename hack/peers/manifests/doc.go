// Package manifests has webhook-gen lint read the webhooks of real projects as the Go module proxy serves them, rendered by
// helm and kustomize where that is how they are delivered, and keeps in docs/lint.md what it finds.
package manifests
