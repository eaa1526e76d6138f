package main

import (
	"context"
	"errors"
	"log/slog"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"example.com/policies/internal/webhook/admission"
)

// metrics is an observer that counts and times the calls of webhooks for Prometheus. It logs those that failed, as a
// webhook without an observer does.
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
func (m *metrics) Observe(ctx context.Context, o admission.Observation) {
	operation := string(o.Operation)
	switch o.Operation {
	case admission.Create, admission.Update, admission.Delete, admission.Connect:
	default:
		operation = "" // What is no review can say anything here, and each new text would be a new time series.
	}
	m.calls.WithLabelValues(o.Webhook, operation, strconv.FormatBool(o.Allowed), strconv.Itoa(int(o.Code))).
		Observe(o.Duration.Seconds())
	if !o.Failed {
		return
	}
	log := slog.With("webhook", o.Webhook, "operation", operation, "resource", o.Resource.String(),
		"namespace", o.Namespace, "name", o.Name, "uid", o.UID, "code", o.Code, "error", o.Err)
	if p := (*admission.PanicError)(nil); errors.As(o.Err, &p) {
		log = log.With("stack", string(p.Stack))
	}
	log.ErrorContext(ctx, "webhook failed")
}
