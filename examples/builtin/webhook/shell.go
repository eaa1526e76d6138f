// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"context"
	"errors"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// ShellWebhook allows no interactive shells in pods of production. Every other command that is run in a pod is put down
// in the audit log.
//
// +webhook:validating(for: "v1/Pod", subresource: exec, operations: "connect")
type ShellWebhook struct{}

// The compiler reports a missing method of a marker's operation at this line.
var _ ShellWebhookExecValidator = (*ShellWebhook)(nil)

// ValidateExecConnect denies terminals with code 403.
func (p *ShellWebhook) ValidateExecConnect(_ context.Context, r *admission.ConnectRequest[corev1.PodExecOptions]) error {
	if _, stage := teamAndStage(r.Namespace); stage == "prod" && r.Options.TTY {
		return errors.New("no terminals in production: use `kubectl debug` on a copy of the pod")
	}
	r.AuditAnnotation("command", strings.Join(r.Options.Command, " "))
	return nil
}
