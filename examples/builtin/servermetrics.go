// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/webhook-gen/webhook-gen/runtime/server"
)

// registerServerMetrics registers what the server tells of itself:
//
//	webhook_server_requests_in_flight
//	webhook_server_requests_refused_total
//	webhook_server_certificate_expiry_timestamp_seconds
func registerServerMetrics(registry prometheus.Registerer, server *server.Server) error {
	return errors.Join(
		registry.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "webhook_server_requests_in_flight",
			Help: "Requests that are being handled.",
		}, func() float64 { return float64(server.Stats().InFlight) })),
		registry.Register(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "webhook_server_requests_refused_total",
			Help: "Requests that were refused, to be made again, because too many were being handled.",
		}, func() float64 { return float64(server.Stats().Refused) })),
		registry.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "webhook_server_certificate_expiry_timestamp_seconds",
			Help: "When the serving certificate ends, in seconds since 1970.",
		}, func() float64 { return float64(server.Stats().CertificateExpiry.Unix()) })),
	)
}
