// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"context"
	"fmt"
	"slices"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// NamespaceWebhook lets nobody but administrators delete a namespace of production. It looks only at the user and the
// request, so nothing is decoded.
//
// +webhook:validating(for: "v1/Namespace", operations: "delete", decode: none, failurePolicy: Fail)
type NamespaceWebhook struct {
	// Administrators is the name of their group.
	Administrators string
}

// The compiler reports a missing method of a marker's operation at this line.
var _ NamespaceWebhookValidator = (*NamespaceWebhook)(nil)

// ValidateDelete denies by 403.
func (p *NamespaceWebhook) ValidateDelete(_ context.Context, r *admission.RawRequest) error {
	if _, stage := teamAndStage(r.Name); stage != "prod" || slices.Contains(r.UserInfo.Groups, p.Administrators) {
		return nil
	}
	return fmt.Errorf("namespace %s is production: only the group %s may delete it", r.Name, p.Administrators)
}
