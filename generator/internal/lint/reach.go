// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// neverCalled reports webhooks without rules in a configuration that is complete otherwise.
func neverCalled(p configurationPass) {
	if !slices.ContainsFunc(p.Webhooks, func(w *model.Webhook) bool { return len(w.Spec.Rules) > 0 || isTrusted(w) }) && !p.isAnnotated() {
		return
	}
	for _, w := range p.Webhooks {
		if len(w.Spec.Rules) == 0 {
			p.report(w, w.Where("rules"), "the webhook has no rule, so that it is never called")
		}
	}
}

// isTrusted reports whether the webhook itself configures a trusted authority. A url is trusted as browsers do.
func isTrusted(w *model.Webhook) bool {
	return len(w.Spec.ClientConfig.CABundle) > 0 || w.Spec.ClientConfig.URL != nil
}

// isAnnotated reports an annotation by which an injector in the cluster writes every caBundle of the object.
func (p configurationPass) isAnnotated() bool { return isInjected(p.Annotations) }

func isInjected(annotations map[string]string) bool {
	for key := range annotations {
		switch group, name, _ := strings.Cut(key, "/"); {
		case (group == "cert-manager.io" || group == "certmanager.k8s.io") && strings.HasPrefix(name, "inject-"):
			return true
		case strings.HasSuffix(group, ".openshift.io") && name == "inject-cabundle":
			return true
		}
	}
	return false
}

func untrusted(p configurationPass) {
	if p.isAnnotated() {
		known := slices.IndexFunc(p.Webhooks, func(w *model.Webhook) bool { return !isTrusted(w) && p.isKnown(w) })
		// An overlay of kubebuilder's was to write the place of a Certificate there.
		if from := p.Annotations["cert-manager.io/inject-ca-from"]; strings.Contains(from, "CERTIFICATE_NAME") && known >= 0 {
			w := p.Webhooks[known]
			p.report(w, w.Where("clientConfig"), "cert-manager finds no Certificate %s, which was to be replaced", from).Hint =
				"write its namespace/name into cert-manager.io/inject-ca-from, as the replacements of kubebuilder's config/default do"
		}
		return
	}
	others := slices.ContainsFunc(p.Webhooks, func(w *model.Webhook) bool { return len(w.Spec.ClientConfig.CABundle) > 0 })
	for _, w := range p.Webhooks {
		switch {
		case isTrusted(w) || len(w.Spec.Rules) == 0:
		case others:
			p.report(w, w.Where("clientConfig"), "the webhook has no caBundle, and others of %s have one", p.Name)
		case p.isKnown(w) && !p.Injects:
			p.report(w, w.Where("clientConfig"), "the webhook has no caBundle, and nothing in these files adds one")
		}
	}
}

// isKnown reports whether the permissions of the webhook's server are known.
func (p pass) isKnown(w *model.Webhook) bool {
	s := w.Spec.ClientConfig.Service
	return s != nil && p.Servers[s.Namespace+"/"+s.Name]
}

// customPath is what controller-runtime's builder takes for a path (sigs.k8s.io/controller-runtime/pkg/builder).
var customPath = regexp.MustCompile(`^((/[a-zA-Z0-9-_]+)+|/)$`)

func serverOnlyPath(p webhookPass) {
	if path := p.Path(); customPath.MatchString(path) && strings.ContainsAny(path, "_ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		p.at("clientConfig.service.path", "API servers refuse the path %s, which controller-runtime takes", path)
	}
}

// staticSuffix ends the names of configurations that an API server reads from its own disk.
const staticSuffix = ".static.k8s.io"

func staticService(p webhookPass) {
	if strings.HasSuffix(p.Configuration, staticSuffix) && p.Spec.ClientConfig.Service != nil {
		p.at("clientConfig.service", "%s is the name of a configuration in a file of an API server, which cannot name a service", p.Configuration)
	}
}

func unreachable(p webhookPass) {
	if strings.HasSuffix(p.Configuration, staticSuffix) {
		return // it is on the API server's machine
	}
	if why, hint := unreachableURL(p.Spec.ClientConfig.URL); why != "" {
		d := p.at("clientConfig.url", "%s", why)
		d.Hint = cmp.Or(hint, d.Hint)
	}
}

// unreachableURL explains why API servers do not reach a url.
func unreachableURL(text *string) (why, hint string) {
	if text == nil {
		return "", ""
	}
	u, err := url.Parse(*text)
	if err != nil {
		return "", ""
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	ip := net.ParseIP(host)
	switch {
	case host == "localhost" || ip != nil && ip.IsLoopback():
		return host + " is the machine of each API server", ""
	case strings.HasSuffix(host, ".svc") || strings.HasSuffix(host, ".svc.cluster.local"):
		name, rest, _ := strings.Cut(host, ".")
		namespace, _, _ := strings.Cut(rest, ".")
		return "API servers do not ask the cluster's DNS for " + host, fmt.Sprintf("use the service %s/%s", namespace, name)
	}
	return "", ""
}

func oldReviews(p webhookPass) {
	versions := p.Spec.AdmissionReviewVersions
	if p.api == "v1" && len(versions) > 0 && !slices.Contains(versions, "v1") {
		p.at("admissionReviewVersions", "the webhook does not take AdmissionReview v1")
	}
	for i, v := range versions {
		if v != "v1" && v != "v1beta1" {
			p.at(fmt.Sprintf("admissionReviewVersions[%d]", i), "no API server sends AdmissionReview %s", v)
		}
	}
}
