// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"testing"

	"example.com/policies/policy"
)

// webhooksToTest returns the webhooks that the API server calls. Set their other fields here.
func webhooksToTest(t testing.TB) webhooks {
	t.Helper()
	w := newWebhooks()
	w.Policy.NamespacePolicy = &policy.NamespacePolicy{Administrators: "platform-admins"}
	w.Policy.PodPolicy = &policy.PodPolicy{Registry: "registry.example.com/"}
	w.Policy.ReplicasPolicy = &policy.ReplicasPolicy{Max: 20}
	w.Policy.Workload = &policy.WorkloadWebhook{MaxReplicas: 20}
	return w
}
