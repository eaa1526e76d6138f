// SPDX-License-Identifier: Apache-2.0

// Command manager serves the webhooks of the orders example, both versions of its API, on the webhook server of a
// controller-runtime manager, and counts their calls beside controller-runtime's own metrics.
//
// It is a module of its own, so that the go.mod of the example shows what generated code needs: k8s.io/api and
// k8s.io/apimachinery. An operator has one module for all of it, and nothing else is different.
package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/config"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"example.com/orders/internal/stock"
	webhookv1 "example.com/orders/internal/webhook/v1"
	webhookv2 "example.com/orders/internal/webhook/v2"
	"github.com/webhook-gen/webhook-gen/runtime/admission"
	"github.com/webhook-gen/webhook-gen/runtime/program"
)

func main() {
	ctrl.SetLogger(logr.FromSlogHandler(slog.Default().Handler()))
	ctx := ctrl.SetupSignalHandler()
	if code, ran := program.Run(ctx, os.Args[1:], register); ran {
		os.Exit(code)
	}
	err := run(ctx, os.Args[1:], os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		slog.Error("manager ended", "error", err)
		os.Exit(1)
	}
}

// run serves until ctx is done, then for the drain period, and then until the last request has been answered.
func run(ctx context.Context, args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("manager", flag.ContinueOnError)
	flags.SetOutput(stderr)
	config.RegisterFlags(flags)
	port := flags.Int("webhook-port", webhook.DefaultPort, "port of the webhooks, over TLS")
	certDir := flags.String("cert-dir", "/etc/webhook/certs", "folder with tls.crt and tls.key, PEM")
	metricsAddress := flags.String("metrics-address", ":8080", "address of /metrics, in plain HTTP")
	healthAddress := flags.String("health-address", ":8081", "address of /healthz and /readyz, in plain HTTP")
	drain := flags.Duration("drain", 5*time.Second, "time to go on serving after SIGTERM, while API servers stop sending requests")
	var enforcements admission.Enforcements
	flags.Var(&enforcements, "enforcement", "NAME=deny, NAME=warn or NAME=audit: the enforcement of the validator with that name, repeatable")
	if err := flags.Parse(args); err != nil {
		return err
	}
	cluster, err := config.GetConfig()
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(cluster, ctrl.Options{
		WebhookServer:          webhook.NewServer(webhook.Options{Port: *port, CertDir: *certDir}),
		Metrics:                metricsserver.Options{BindAddress: *metricsAddress},
		HealthProbeBindAddress: *healthAddress,
	})
	if err != nil {
		return err
	}
	observer, err := newMetrics(ctrlmetrics.Registry)
	if err != nil {
		return err
	}
	err = errors.Join(
		register(manager.GetWebhookServer().Register, admission.Observe(observer), enforcements.Option()),
		enforcements.Unknown(),
		manager.AddHealthzCheck("webhooks", manager.GetWebhookServer().StartedChecker()),
		manager.AddReadyzCheck("webhooks", manager.GetWebhookServer().StartedChecker()),
		manager.AddReadyzCheck("not-draining", func(*http.Request) error { return ctx.Err() }),
	)
	if err != nil {
		return err
	}
	return manager.Start(after(ctx, *drain))
}

// register registers the webhooks of both versions.
func register(handle func(path string, handler http.Handler), options ...admission.Option) error {
	sold := stock.Table{"tea": 100, "rare-tea": 1}
	carriers := []string{"north", "south"}
	return errors.Join(
		webhookv1.Webhooks{
			Order:    &webhookv1.OrderWebhook{Stock: sold},
			Shipment: &webhookv1.ShipmentWebhook{Carriers: carriers},
		}.Register(handle, options...),
		webhookv2.Webhooks{
			Order:    &webhookv2.OrderWebhook{Stock: sold},
			Shipment: &webhookv2.ShipmentWebhook{Carriers: carriers},
		}.Register(handle, options...),
	)
}

// after returns a context that is done some time after ctx is. A manager whose context is done takes no more requests
// at once, while API servers still send some: they turn away only when readiness has told them to.
func after(ctx context.Context, period time.Duration) context.Context {
	later, cancel := context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() { time.AfterFunc(period, cancel) })
	return later
}
