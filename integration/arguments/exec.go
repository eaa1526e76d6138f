// SPDX-License-Identifier: Apache-2.0

package arguments

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// Exec is called when somebody runs a command in a pod.
//
// +webhook:validating(for: "v1/Pod", subresource: exec, operations: "connect")
type Exec struct{}

// ValidateExecConnect denies terminals.
func (Exec) ValidateExecConnect(_ context.Context, r *admission.ConnectRequest[corev1.PodExecOptions]) error {
	if r.Options.TTY {
		return errors.New("no terminals")
	}
	return nil
}
