// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"testing"

	webhookv2 "example.com/cronjob/internal/webhook/v2"
)

// webhooksToTest returns the webhooks that the API server calls. Set their other fields here.
func webhooksToTest(t testing.TB) webhooks {
	t.Helper()
	w := newWebhooks()
	w.V2Hooks = webhookv2.Schedules{}
	return w
}
