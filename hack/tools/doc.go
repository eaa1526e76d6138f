// SPDX-License-Identifier: Apache-2.0

// Package tools pins golangci-lint, which `make lint` builds. It is a module of its own so that the
// linters stay out of the generator's dependencies.
package tools
