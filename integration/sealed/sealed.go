// SPDX-License-Identifier: Apache-2.0

// Package sealed has a default that keeps its webhook from ever being called: a caBundle of an authority that has not
// signed its server's certificate.
//
// +webhook:service(name: "webhooks", namespace: "integration-system", port: 8443)
// +webhook:defaults(caBundle: "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJXVENCLzZBREFnRUNBZ0VCTUFvR0NDcUdTTTQ5QkFNQ01CTXhFVEFQQmdOVkJBTVRDRzV2WW05a2VTZHoKTUNBWERUSXdNREV3TVRBd01EQXdNRm9ZRHpJeE1qQXdNVEF4TURBd01EQXdXakFUTVJFd0R3WURWUVFERXdodQpiMkp2WkhrbmN6QlpNQk1HQnlxR1NNNDlBZ0VHQ0NxR1NNNDlBd0VIQTBJQUJHN2FlQ0piTXRxM3N6RjBPSWtICk43aXFNLzZFa2NjMXVLemNvVWh4NjBHbCt2amFuR1d3a0VEQTVPRGxWQVhLZzQwMjRONnhNNzRXUnJ1UjByZXUKWlYyalFqQkFNQTRHQTFVZER3RUIvd1FFQXdJQ0JEQVBCZ05WSFJNQkFmOEVCVEFEQVFIL01CMEdBMVVkRGdRVwpCQlQxTHJUbHVpQVZycmdwanY5dlQza2FEWFJ4alRBS0JnZ3Foa2pPUFFRREFnTkpBREJHQWlFQXI2MjFhZVhJCmhkdXJrZDRCY2tadkNhc1BJejBtdngyNkdFOWJjZXlYZlBvQ0lRRERkb3RWSnhIbDN3TjFKVDkyRnl1aStGWGMKUk1tQ3prbW5Ka0UvZ003OUlnPT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=")
package sealed

import (
	"context"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// Seal would allow everything.
//
// +webhook:validating(for: "v1/ConfigMap", name: sealed, operations: "create", decode: none, objectSelector: "topic=sealed")
type Seal struct{}

// ValidateCreate allows.
func (Seal) ValidateCreate(context.Context, *admission.RawRequest) error { return nil }
