// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// metrics is an observer that counts and times the calls of webhooks for Prometheus.
type metrics struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
}

// newMetrics registers
//
//	webhook_admission_requests_total{webhook, operation, verdict, code}
//	webhook_admission_duration_seconds{webhook, operation}
//
// The verdict is allowed, denied, would-deny or error; after an error, the webhook's failurePolicy decides. The code is
// 200 for an allowed request, and otherwise the code of the status in the answer.
func newMetrics(registry prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "webhook_admission_requests_total",
			Help: "Calls of admission webhooks.",
		}, []string{"webhook", "operation", "verdict", "code"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "webhook_admission_duration_seconds",
			Help: "Time from the call of an admission webhook to its answer.",
			// Every write waits for its webhooks, which take milliseconds or less.
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"webhook", "operation"}),
	}
	return m, errors.Join(registry.Register(m.requests), registry.Register(m.duration))
}

// Observe implements admission.Observer.
func (m *metrics) Observe(_ context.Context, o admission.Observation) {
	verdict := "denied"
	switch {
	case o.Failed:
		verdict = "error"
	case o.Unenforced:
		verdict = "would-deny"
	case o.Allowed:
		verdict = "allowed"
	}
	m.requests.WithLabelValues(o.Webhook, string(o.Operation), verdict, strconv.Itoa(int(o.Code))).Inc()
	m.duration.WithLabelValues(o.Webhook, string(o.Operation)).Observe(o.Duration.Seconds())
}
