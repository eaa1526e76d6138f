// SPDX-License-Identifier: Apache-2.0

// Command builtin serves webhooks on core objects with net/http and the runtime alone.
//
// It is an example: package webhook has the validators and the defaulter, main.go and the metrics beside it what a
// program around them needs. The tests call every handler as an API server does, and take the program through its life.
package main

//go:generate webhook-gen

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"example.com/builtin/webhook"
	"github.com/webhook-gen/webhook-gen/runtime/admission"
	"github.com/webhook-gen/webhook-gen/runtime/server"
)

func main() {
	err := run(os.Args[1:], os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		slog.Error("builtin ended", "error", err)
		os.Exit(1)
	}
}

// run serves until the process is told to stop, and then until the last request has been answered.
func run(args []string, stderr io.Writer) error {
	var server server.Server
	flags := flag.NewFlagSet("builtin", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&server.Address, "address", ":8443", "address of the webhooks, /healthz and /readyz, over TLS")
	flags.StringVar(&server.CertFile, "cert", "/etc/webhook/certs/tls.crt", "certificate of the server, PEM")
	flags.StringVar(&server.KeyFile, "key", "/etc/webhook/certs/tls.key", "its key, PEM")
	flags.StringVar(&server.ClientCAFile, "client-ca", "", "who signs client certificates of API servers, PEM; empty: anybody may call")
	flags.DurationVar(&server.DrainPeriod, "drain", 5*time.Second, "time to go on serving after SIGTERM, while API servers stop sending requests")
	metricsAddress := flags.String("metrics-address", ":8080", "address of /metrics, in plain HTTP")
	imageRegistry := flags.String("image-registry", "registry.example.com/", "what the names of images begin with")
	maxReplicas := flags.Int("max-replicas", 20, "how many replicas a workload may have")
	administrators := flags.String("administrators", "platform-admins", "group that may delete namespaces of production")
	if err := flags.Parse(args); err != nil {
		return err
	}

	registry := prometheus.NewRegistry()
	observer, err := newMetrics(registry)
	if err := errors.Join(err, registry.Register(collectors.NewGoCollector()), registerServerMetrics(registry, &server)); err != nil {
		return err
	}
	replicas := webhook.ReplicasWebhook{Max: *maxReplicas}
	err = webhook.Webhooks{
		NamespaceWebhook: &webhook.NamespaceWebhook{Administrators: *administrators},
		PodWebhook:       &webhook.PodWebhook{Registry: *imageRegistry},
		ReplicasWebhook:  &replicas,
		ShellWebhook:     &webhook.ShellWebhook{},
		Workload:         &webhook.WorkloadWebhook{MaxReplicas: *maxReplicas},
	}.Register(server.Handle, admission.Observe(observer))
	if err != nil {
		return err
	}
	metrics, err := serveMetrics(*metricsAddress, registry)
	if err != nil {
		return err
	}
	defer func() { _ = metrics.Close() }() // At the very end, so that the drain can be watched.
	return server.ListenAndServe()
}

// serveMetrics serves /metrics until it is closed.
func serveMetrics(address string, registry *prometheus.Registry) (*http.Server, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			slog.Error("metrics ended", "error", err)
		}
	}()
	slog.Info("serving metrics", "address", listener.Addr().String())
	return server, nil
}
