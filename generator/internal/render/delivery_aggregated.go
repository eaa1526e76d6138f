// SPDX-License-Identifier: Apache-2.0

package render

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/spec"
)

// aggregatedVersion is the version of the API group in which kube-aggregator serves the webhooks.
const aggregatedVersion = "v1"

// group returns the API group in which kube-aggregator serves the webhooks. It is the Service's DNS name, so that it
// is unique in the cluster.
func (d Delivery) group() string { return d.Name + "." + d.Namespace + ".svc" }

// prefix returns the prefix of webhook paths in kube-aggregator's API, or "" if API servers call the Service.
func (d Delivery) prefix() string {
	if !d.Aggregated {
		return ""
	}
	return "/apis/" + d.group() + "/" + aggregatedVersion
}

// withCalledService returns a webhook with the service that API servers call.
func (d Delivery) withCalledService(w admissionregistrationv1.MutatingWebhook) admissionregistrationv1.MutatingWebhook {
	if w.ClientConfig.Service != nil {
		w.ClientConfig.Service = new(d.service(*w.ClientConfig.Service))
	}
	return w
}

// service returns the service that API servers call. With kube-aggregator, this is the API server's own service: the
// API server knows that name and presents its own credentials (k8s.io/apiserver pkg/util/webhook,
// NewDefaultAuthenticationInfoResolverWrapper; k8s.io/kube-aggregator pkg/apiserver, NewLoopbackServiceResolver).
func (d Delivery) service(s admissionregistrationv1.ServiceReference) admissionregistrationv1.ServiceReference {
	if !d.Aggregated || s.Name != d.Name || s.Namespace != d.Namespace || s.Path == nil {
		return s
	}
	return admissionregistrationv1.ServiceReference{Namespace: "default", Name: "kubernetes", Path: new(d.prefix() + *s.Path), Port: spec.Port(nil)}
}
