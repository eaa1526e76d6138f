package conversion

import (
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// problem is why a call gets no review for an answer. It is answered with its HTTP status and a metav1.Status, whose message
// the API server shows.
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

// status is what the API server is told of an error.
func status(code int, reason metav1.StatusReason, err error) *metav1.Status {
	return &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure,
		Message:  err.Error(),
		Reason:   reason,
		Code:     int32(code),
	}
}
