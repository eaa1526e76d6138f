// SPDX-License-Identifier: Apache-2.0

// Command webhook-gen reads +webhook markers on Go types and writes the manifests and Go code that serve them.
//
//	webhook-gen                    generate for the module of the current folder
//	webhook-gen generate ./api/... generate for these packages
//	webhook-gen verify             print the changes that generate would make; for CI
//	webhook-gen markers            the markers and their arguments
//	webhook-gen import             turn +kubebuilder:webhook markers into +webhook markers
//
// `go vet -vettool=$(which webhook-gen) ./...` runs the rules of lint that read code.
//
// It exits with 0 on success, with 1 when it found mistakes or drift, and with 2 when it was called wrongly or could
// not do its work. webhook-gen.yaml at the module's root has the settings that go:generate, make and CI share.
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/webhook-gen/webhook-gen/explain/vet"
	"github.com/webhook-gen/webhook-gen/generator/command"
)

// released is the version of a release, set by the linker: -ldflags "-X main.released=v0.1.0".
var released string //nolint:gochecknoglobals // the linker needs it

func main() {
	if vet.IsTool(os.Args[1:]) {
		vet.Tool()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := command.Run(ctx, os.Args[1:], released, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
