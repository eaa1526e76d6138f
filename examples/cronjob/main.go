// SPDX-License-Identifier: Apache-2.0

// Command cronjob serves the conversions between two versions of the CronJob of kubebuilder's multiversion tutorial.
//
// It is an example: the markers are in api, and the hand-written conversion of the schedule in internal/webhook/v2.
package main

//go:generate go run sigs.k8s.io/controller-tools/cmd/controller-gen@v0.23.0 crd:maxDescLen=0 paths=./api/... output:crd:dir=config/crd/bases
//go:generate webhook-gen

import (
	"context"
	"errors"
	"flag"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	webhookv2 "example.com/cronjob/internal/webhook/v2"
	"github.com/webhook-gen/webhook-gen/runtime/conversion"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		slog.Error("cronjob ended", "error", err)
		os.Exit(1)
	}
}

// run serves until the context is done, and then until the last review has been answered.
func run(ctx context.Context, args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("cronjob", flag.ContinueOnError)
	flags.SetOutput(stderr)
	address := flags.String("address", ":9443", "address of the conversions, over TLS")
	certFile := flags.String("cert", "/etc/webhook/certs/tls.crt", "certificate of the server, PEM")
	keyFile := flags.String("key", "/etc/webhook/certs/tls.key", "its key, PEM")
	if err := flags.Parse(args); err != nil {
		return err
	}

	mux := http.NewServeMux()
	mux.Handle(conversion.Path, conversion.NewHandler(webhookv2.NewConverter(webhookv2.Schedules{}).Conversions()))
	// Slow clients are cut off. server.Server of the runtime does that and more; this program has a server of its own.
	server := &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      31 * time.Second, // an API server waits for 30
		IdleTimeout:       2 * time.Minute,
	}

	listener, err := net.Listen("tcp", *address)
	if err != nil {
		return err
	}
	slog.Info("serving conversions", "address", listener.Addr())
	ended := make(chan error, 1)
	go func() { ended <- server.ServeTLS(listener, *certFile, *keyFile) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return server.Shutdown(context.WithoutCancel(ctx))
	}
}
