// SPDX-License-Identifier: Apache-2.0

package serving

import (
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Problem is the error of a call that is answered with an HTTP status and a metav1.Status instead of a review. The API
// server shows its message to the user.
type Problem struct {
	Code   int // the HTTP status
	Reason metav1.StatusReason
	Err    error
}

// BadRequest returns the problem of an invalid request.
func BadRequest(err error) *Problem {
	return &Problem{http.StatusBadRequest, metav1.StatusReasonBadRequest, err}
}

// InternalError returns a problem of the webhook itself.
func InternalError(err error) *Problem {
	return &Problem{http.StatusInternalServerError, metav1.StatusReasonInternalError, err}
}

func (p *Problem) Error() string { return p.Err.Error() }
func (p *Problem) Unwrap() error { return p.Err }

// Status returns the answer to the API server.
func (p *Problem) Status() *metav1.Status {
	return &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure,
		Message:  p.Error(),
		Reason:   p.Reason,
		Code:     int32(p.Code),
	}
}
