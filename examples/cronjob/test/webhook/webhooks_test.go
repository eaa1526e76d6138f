// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"testing"

	webhookv2 "example.com/cronjob/internal/webhook/v2"
)

// webhooksToTest are the webhooks that the API server calls. What they need besides is set here.
func webhooksToTest(t testing.TB) webhooks {
	t.Helper()
	w := newWebhooks()
	w.V2Hooks = webhookv2.Schedules{}
	return w
}
