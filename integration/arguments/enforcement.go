// SPDX-License-Identifier: Apache-2.0

package arguments

import (
	"context"
	"errors"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// refusing denies everything.
type refusing struct{}

func (refusing) ValidateCreate(context.Context, *admission.RawRequest) error {
	return errors.New("not here")
}

// EnforcementDeny denies.
//
// +webhook:validating(for: "v1/ConfigMap", name: enforcementdeny, operations: "create", decode: none, objectSelector: "trial=deny", enforcement: deny)
type EnforcementDeny struct{ refusing }

// EnforcementWarn warns of what it would deny.
//
// +webhook:validating(for: "v1/ConfigMap", name: enforcementwarn, operations: "create", decode: none, objectSelector: "trial=warn", enforcement: warn)
type EnforcementWarn struct{ refusing }

// EnforcementAudit writes it into the audit log.
//
// +webhook:validating(for: "v1/ConfigMap", name: enforcementaudit, operations: "create", decode: none, objectSelector: "trial=audit", enforcement: audit)
type EnforcementAudit struct{ refusing }
