// SPDX-License-Identifier: Apache-2.0

package render

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
)

// aggregatedVersion is the version of the API group under which kube-aggregator has the webhooks.
const aggregatedVersion = "v1"

// group is the API group under which kube-aggregator has the webhooks: the DNS name of the Service, which is no
// other's.
func (d Delivery) group() string { return d.Name + "." + d.Namespace + ".svc" }

// prefix is what the path of a webhook begins with where an API server reaches it; empty where it reaches the Service.
func (d Delivery) prefix() string {
	if !d.Aggregated {
		return ""
	}
	return "/apis/" + d.group() + "/" + aggregatedVersion
}

// reached is a webhook as an API server reaches it.
func (d Delivery) reached(w admissionregistrationv1.MutatingWebhook) admissionregistrationv1.MutatingWebhook {
	if w.ClientConfig.Service != nil {
		w.ClientConfig.Service = new(d.service(*w.ClientConfig.Service))
	}
	return w
}

// service is where an API server reaches what a Service serves. Through kube-aggregator, that is the API server itself,
// by the name under which it knows itself and presents its own credentials (k8s.io/apiserver pkg/util/webhook,
// NewDefaultAuthenticationInfoResolverWrapper; k8s.io/kube-aggregator pkg/apiserver, NewLoopbackServiceResolver).
func (d Delivery) service(s admissionregistrationv1.ServiceReference) admissionregistrationv1.ServiceReference {
	if !d.Aggregated || s.Name != d.Name || s.Namespace != d.Namespace || s.Path == nil {
		return s
	}
	return admissionregistrationv1.ServiceReference{Namespace: "default", Name: "kubernetes", Path: new(d.prefix() + *s.Path)}
}
