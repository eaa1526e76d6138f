// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"testing"

	"example.com/builtin/webhook"
)

// webhooksToTest returns the webhooks that the API server calls. Set their other fields here.
func webhooksToTest(t testing.TB) webhooks {
	t.Helper()
	w := newWebhooks()
	w.Webhook.NamespaceWebhook = &webhook.NamespaceWebhook{Administrators: "platform-admins"}
	w.Webhook.PodWebhook = &webhook.PodWebhook{Registry: "registry.example.com/"}
	w.Webhook.ReplicasWebhook = &webhook.ReplicasWebhook{Max: 20}
	w.Webhook.Workload = &webhook.WorkloadWebhook{MaxReplicas: 20}
	return w
}
