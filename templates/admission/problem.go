package admission

import (
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// problem is why a call gets no verdict. It is answered with its HTTP status and a metav1.Status, whose message the API
// server shows to the user.
type problem struct {
	code   int
	reason metav1.StatusReason
	error
}

func (p *problem) Unwrap() error { return p.error }

// badRequest is a problem with what has been sent.
func badRequest(err error) error {
	return &problem{http.StatusBadRequest, metav1.StatusReasonBadRequest, err}
}

// failed is a problem of the webhook.
func failed(err error) *problem {
	return &problem{http.StatusInternalServerError, metav1.StatusReasonInternalError, err}
}

func (p *problem) status() metav1.Status {
	return metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure,
		Message:  p.Error(),
		Reason:   p.reason,
		Code:     int32(p.code),
	}
}
