package main

import (
	"context"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"example.com/policies/internal/webhook/admission"
)

// metrics is an observer that counts and times the calls of webhooks for Prometheus.
type metrics struct {
	calls *prometheus.HistogramVec
}

// newMetrics registers
//
//	webhook_admission_duration_seconds{webhook, operation, allowed, code}
//
// whose count is that of the calls. The code is 200 for what is allowed, else the one that says why it is not: that of
// a denial or, where there is no verdict, that of the HTTP answer.
func newMetrics(registry prometheus.Registerer) (*metrics, error) {
	m := &metrics{prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "webhook_admission_duration_seconds",
		Help: "Time from the call of an admission webhook to its answer.",
		// What a webhook takes is added to every write that it is called for: that is milliseconds or less.
		Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, []string{"webhook", "operation", "allowed", "code"})}
	return m, registry.Register(m.calls)
}

// Observe implements admission.Observer.
func (m *metrics) Observe(_ context.Context, o admission.Observation) {
	m.calls.WithLabelValues(o.Webhook, string(o.Operation), strconv.FormatBool(o.Allowed), strconv.Itoa(int(o.Code))).
		Observe(o.Duration.Seconds())
}
