// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// deadline is a request that its sender gives up after some seconds, whatever the failurePolicy of webhooks.
type deadline struct {
	request
	in      []string // namespaces; empty for cluster-scoped objects
	seconds int32
	effect  string
}

// deadlines lists them. Controllers and the scheduler renew a lease within a deadline of 10 seconds
// (k8s.io/component-base/config/v1alpha1), by attempts of half of it. Kubelets wait 10 seconds for a renewal and for
// the status of a node (k8s.io/kubernetes/pkg/kubelet).
func deadlines() []deadline {
	return []deadline{
		{request{"UPDATE", "coordination.k8s.io", "leases", true}, []string{metav1.NamespaceSystem, corev1.NamespaceNodeLease}, 5,
			"controllers lose their leadership, and nodes become NotReady"},
		{request{"UPDATE", "", "nodes/status", false}, nil, 10, "nodes become NotReady"},
	}
}

// impatient reports webhooks with failurePolicy Ignore for which requests wait longer, while the server is down, than
// their senders do: mutating webhooks are called one after the other, and validating ones all at once.
func impatient(p pass) {
	reported := map[*model.Webhook]bool{}
	for _, d := range deadlines() {
		var called []*model.Webhook
		var mutating, validating int32
		for _, w := range p.project.Webhooks() {
			if !d.reaches(webhookPass{pass: p, Webhook: w}) {
				continue
			}
			called = append(called, w)
			if w.Mutating {
				mutating += p.timeout(w)
			} else {
				validating = max(validating, p.timeout(w))
			}
		}
		if mutating+validating < d.seconds {
			continue
		}
		for _, w := range called {
			isSlow := w.Mutating || mutating+p.timeout(w) >= d.seconds
			if p.fails(w) || reported[w] || !isSlow {
				continue
			}
			reported[w] = true
			i := slices.IndexFunc(w.Spec.Rules, d.matchedBy)
			in := ""
			if len(d.in) > 0 {
				in = " in " + strings.Join(d.in, " and ")
			}
			p.report(w, w.Where(fmt.Sprintf("rules[%d].resources", i)),
				"while servers of webhooks are down, %s %s%s waits %d seconds (mutating webhooks %d, and the slowest validating one %d), and its sender gives up after %d: %s",
				d.operation, d.resource, in, mutating+validating, mutating, validating, d.seconds, d.effect)
		}
	}
}

// reaches reports that a webhook is called for a request for certain.
func (d deadline) reaches(p webhookPass) bool {
	if !isEmpty(p.Spec.ObjectSelector) || len(p.Spec.MatchConditions) > 0 || !slices.ContainsFunc(p.Spec.Rules, d.matchedBy) {
		return false
	}
	return len(d.in) == 0 || slices.ContainsFunc(d.in, p.reaches)
}
