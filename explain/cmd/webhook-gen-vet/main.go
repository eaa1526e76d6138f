// SPDX-License-Identifier: Apache-2.0

// Command webhook-gen-vet compares the code of webhooks with their markers: rules W17, W27 and W33 of webhook-gen lint.
//
//	go vet -vettool=$(which webhook-gen-vet) ./...    with go vet's cache
//	webhook-gen-vet ./...                                by itself
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/webhook-gen/webhook-gen/explain/internal/vet"
)

func main() { multichecker.Main(vet.Analyzers()...) }
