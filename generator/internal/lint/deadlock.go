// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// need is a request that has to succeed for a webhook's server to start and to be reached.
type need struct {
	request
	in []string // namespaces whose labels decide; empty for other objects of the cluster
}

// needs lists them for a server in a namespace. Pods of kube-system are the network, its leases are held by the
// controllers and the scheduler. Each pod mounts the ConfigMap kube-root-ca.crt of its namespace. Kubelets get their
// certificates by CertificateSigningRequests, which controllers approve and sign. Without definitions and APIServices,
// and the conditions in their status, the kinds that servers watch are not served. A namespace that is not finalized
// cannot be installed again. Secrets and certificates are those of the issuer.
func needs(own, certificate, secret string) (all []need) {
	pods, here := []string{own, metav1.NamespaceSystem}, []string{own}
	all = []need{
		{request{"CREATE", "", "pods", true}, pods},
		{request{"CREATE", "", "pods/binding", true}, pods},
		{request{"UPDATE", "", "pods/status", true}, pods},
		{request{"CREATE", "", "serviceaccounts/token", true}, pods},
		{request{"CREATE", "discovery.k8s.io", "endpointslices", true}, here},
		{request{"UPDATE", "discovery.k8s.io", "endpointslices", true}, here},
		{request{"UPDATE", "coordination.k8s.io", "leases", true}, []string{metav1.NamespaceSystem, corev1.NamespaceNodeLease}},
		{request{"CREATE", "", "nodes", false}, nil},
		{request{"UPDATE", "", "nodes/status", false}, nil},
		{request{"CREATE", "", "configmaps", true}, here},
		{request{"UPDATE", "", "namespaces/finalize", false}, here},
		{request{"UPDATE", "certificates.k8s.io", "certificatesigningrequests/approval", false}, nil},
		{request{"UPDATE", "certificates.k8s.io", "certificatesigningrequests/status", false}, nil},
		{request{"UPDATE", "apiextensions.k8s.io", "customresourcedefinitions/status", false}, nil},
		{request{"UPDATE", "apiregistration.k8s.io", "apiservices/status", false}, nil},
	}
	for _, operation := range []admissionregistrationv1.OperationType{"CREATE", "UPDATE"} {
		all = append(all,
			need{request{operation, "apps", "replicasets", true}, here},
			need{request{operation, "certificates.k8s.io", "certificatesigningrequests", false}, nil},
			need{request{operation, "apiextensions.k8s.io", "customresourcedefinitions", false}, nil},
			need{request{operation, "apiregistration.k8s.io", "apiservices", false}, nil})
		if secret != "" {
			all = append(all, need{request{operation, "", "secrets", true}, []string{secret}})
		}
		if certificate != "" {
			all = append(all,
				need{request{operation, "cert-manager.io", "certificates", true}, []string{certificate}},
				need{request{operation, "cert-manager.io", "certificaterequests", true}, []string{certificate}})
		}
	}
	if certificate != "" {
		all = append(all,
			need{request{"UPDATE", "cert-manager.io", "certificates/status", true}, []string{certificate}},
			need{request{"UPDATE", "cert-manager.io", "certificaterequests/status", true}, []string{certificate}})
	}
	return all
}

// issued returns the namespaces of the Certificate and of the Secret that an annotation of cert-manager names; empty
// without one. The Secret of a Certificate is beside it.
func (p webhookPass) issued() (certificate, secret string) {
	of := func(c *model.Configuration, name string) string {
		namespace, _, ok := strings.Cut(c.Annotations["cert-manager.io/"+name], "/")
		if !ok || strings.Contains(namespace, "CERTIFICATE_NAMESPACE") {
			return ""
		}
		return namespace
	}
	for _, c := range p.project.Configurations {
		if slices.Contains(c.Webhooks, p.Webhook) {
			certificate = of(c, "inject-ca-from")
			return certificate, cmp.Or(certificate, of(c, "inject-ca-from-secret"))
		}
	}
	return "", ""
}

// deadlock reports a webhook that refuses, while its server is down, what brings that server back.
func deadlock(p webhookPass) {
	service := p.Spec.ClientConfig.Service
	if service == nil || !p.fails(p.Webhook) || !isEmpty(p.Spec.ObjectSelector) || len(p.OwnConditions()) > 0 {
		return
	}
	var refused, exclude []string
	at, cluster := -1, ""
	patched := p.isPlaceholder(service.Namespace) && p.Patched()
	certificate, secret := p.issued()
	for _, n := range needs(service.Namespace, certificate, secret) {
		rule := slices.IndexFunc(p.Spec.Rules, n.matchedBy)
		if rule < 0 {
			continue
		}
		var in []string
		for _, namespace := range n.in {
			if !patched && p.reaches(namespace) && !slices.Contains(in, namespace) {
				in = append(in, namespace)
			}
		}
		if len(n.in) > 0 && in == nil {
			continue
		}
		if at < 0 {
			at = rule
		}
		if i := slices.IndexFunc(in, p.isPlaceholder); i >= 0 {
			in[i] = "the server's own namespace"
		}
		text := fmt.Sprintf("%s %s", n.operation, n.resource)
		if len(in) > 0 {
			text += " in " + strings.Join(in, " and ")
		}
		refused = append(refused, text)
		exclude = append(exclude, in...)
		if len(n.in) == 0 && cluster == "" {
			cluster = n.resource
		}
	}
	own, rule := p.ownStatus()
	if own != "" && len(refused) == 0 {
		at = rule
	}
	if own != "" {
		refused = append(refused, "UPDATE "+own)
	}
	if refused == nil {
		return
	}
	const enough = 3
	if len(refused) > enough {
		refused = append(refused[:enough], "...")
	}
	d := p.at(fmt.Sprintf("rules[%d].resources", at), "while its own server is down, the webhook refuses what brings that back: %s", strings.Join(refused, ", "))
	d.Hint = p.wayOut(exclude, cluster)
	if own != "" {
		d.Hint = strings.TrimPrefix(d.Hint+"; name the resources without their subresources: * in the place of */*", "; ")
	}
}

// ownStatus returns the status of a kind with a definition here that a rule matches by */* of its group, and the rule.
// The controller that starts beside the webhook's server writes it.
func (p webhookPass) ownStatus() (resource string, at int) {
	if !isEmpty(p.Spec.NamespaceSelector) {
		return "", 0
	}
	for i, rule := range p.Spec.Rules {
		for _, name := range slices.Sorted(maps.Keys(p.Subresources)) {
			plural, group, _ := strings.Cut(name, ".")
			if slices.Contains(rule.Resources, "*/*") && slices.Contains(rule.APIGroups, group) && holds(rule.Operations, "UPDATE") &&
				slices.Contains(p.Subresources[name], "status") {
				return plural + "/status", i
			}
		}
	}
	return "", 0
}

// silenced reports a webhook that refuses, while its server is down, the events that tell why.
func silenced(p webhookPass) {
	service := p.Spec.ClientConfig.Service
	if service == nil || !p.fails(p.Webhook) || !isEmpty(p.Spec.ObjectSelector) || len(p.OwnConditions()) > 0 || !p.reaches(service.Namespace) ||
		p.isPlaceholder(service.Namespace) && p.Patched() {
		return
	}
	for i, rule := range p.Spec.Rules {
		j := slices.Index(rule.Resources, "events")
		if j >= 0 && (request{"CREATE", "", "events", true}.matchedBy(rule) || request{"CREATE", "events.k8s.io", "events", true}.matchedBy(rule)) {
			p.at(fmt.Sprintf("rules[%d].resources[%d]", i, j), "while its own server is down, the webhook refuses the events that tell why")
		}
	}
}

// wayOut says how to leave namespaces out, and a resource of the cluster, in the words of the marker or manifest.
func (p webhookPass) wayOut(namespaces []string, cluster string) string {
	var hints []string
	if slices.Sort(namespaces); len(namespaces) > 0 {
		list := strings.Join(slices.Compact(namespaces), ", ")
		hint := fmt.Sprintf("add a namespaceSelector: %s NotIn %s", corev1.LabelMetadataName, list)
		if p.Package != "" && !p.Kubebuilder {
			hint = fmt.Sprintf(`add namespaceSelector: "%s notin (%s)"`, corev1.LabelMetadataName, list)
		}
		hints = append(hints, hint)
	}
	if resource, _, _ := strings.Cut(cluster, "/"); resource != "" {
		way := "set scope to Namespaced, or name the resources"
		if slices.ContainsFunc(p.Spec.Rules, func(r admissionregistrationv1.RuleWithOperations) bool { return slices.Contains(r.Resources, cluster) }) {
			way = "remove it from the rules, or set failurePolicy to Ignore"
		}
		hints = append(hints, "a namespaceSelector excludes no "+resource+": "+way)
	}
	return strings.Join(hints, "; ")
}

// isPlaceholder reports the namespace that kubebuilder's kustomize bases write, and overlays replace.
func (p webhookPass) isPlaceholder(namespace string) bool {
	s := p.Spec.ClientConfig.Service
	return s != nil && namespace == s.Namespace && s.Namespace == model.PlaceholderNamespace
}

// reaches reports that the webhook is called in a namespace for certain. Of a namespace that the surroundings do not
// have, the name alone is known, and of a placeholder that it is not one of Kubernetes' own.
func (p webhookPass) reaches(namespace string) bool {
	if isEmpty(p.Spec.NamespaceSelector) {
		return !p.Scoped
	}
	selector, err := metav1.LabelSelectorAsSelector(p.Spec.NamespaceSelector)
	if err != nil {
		return false // package check reports it
	}
	placeholder, of := p.isPlaceholder(namespace), labels.Set{corev1.LabelMetadataName: namespace}
	if known, ok := p.Namespaces[namespace]; ok && !placeholder {
		maps.Copy(of, known)
		return selector.Matches(of)
	}
	isOther := func(name string) bool {
		return !slices.Contains([]string{"default", metav1.NamespacePublic, metav1.NamespaceSystem, corev1.NamespaceNodeLease}, name)
	}
	requirements, _ := selector.Requirements()
	isOpen := func(r labels.Requirement) bool {
		return r.Key() != corev1.LabelMetadataName || placeholder && slices.ContainsFunc(r.ValuesUnsorted(), isOther)
	}
	return !slices.ContainsFunc(requirements, isOpen) && selector.Matches(of)
}
