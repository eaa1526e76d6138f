package wire

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CheckPost checks that a call is a POST of JSON. What should have been sent, such as "an AdmissionReview", is for the message.
func CheckPost(r *http.Request, review string) error {
	if r.Method != http.MethodPost {
		return &Problem{http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed,
			fmt.Errorf("the method is %s, use POST with %s", r.Method, review)}
	}
	const wanted = "application/json"
	if sent := r.Header["Content-Type"]; len(sent) > 0 && sent[0] == wanted {
		return nil
	}
	media := r.Header.Get("Content-Type")
	if parsed, _, err := mime.ParseMediaType(media); err != nil || parsed != wanted {
		return &Problem{http.StatusUnsupportedMediaType, metav1.StatusReasonUnsupportedMediaType,
			fmt.Errorf("the Content-Type is %q, send %s", media, wanted)}
	}
	return nil
}

// trusted is how much memory is set aside on the sole word of a Content-Length. Once that much has arrived, the rest of the length
// is believed, so that a review of many megabytes is not copied again and again.
const trusted = 1 << 20

// ReadBody reads the body of a call into body, whose memory is reused. It reads to the very end, because only then does net/http
// notice when the client hangs up. A body of more than limit bytes is a problem.
func ReadBody(body []byte, r *http.Request, limit int64) ([]byte, error) {
	body = body[:0]
	if r.ContentLength > limit {
		return body, tooLarge(limit)
	}
	if r.Body == nil { // the request did not come from a server
		return body, nil
	}
	// One byte more than announced, for the read that finds the end.
	announced := int(max(r.ContentLength, 0)) + 1
	if first := min(announced, trusted); cap(body) < first || cap(body) == 0 {
		body = make([]byte, 0, first+512)
	}
	for {
		n, err := r.Body.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case int64(len(body)) > limit:
			return body, tooLarge(limit)
		case err == io.EOF:
			return body, nil
		case err != nil:
			return body, unreadable(err)
		case len(body) == cap(body):
			body = append(make([]byte, 0, max(announced, 2*cap(body))), body...)
		}
	}
}

// unreadable is the problem of a body that could not be read.
func unreadable(err error) error {
	tooMany := (*http.MaxBytesError)(nil)
	switch {
	case errors.As(err, &tooMany):
		return tooLarge(tooMany.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &Problem{http.StatusRequestTimeout, metav1.StatusReasonTimeout, fmt.Errorf("the body did not arrive in time: %w", err)}
	}
	return BadRequest(fmt.Errorf("the body cannot be read: %w", err))
}

func tooLarge(limit int64) error {
	return &Problem{http.StatusRequestEntityTooLarge, metav1.StatusReasonRequestEntityTooLarge,
		fmt.Errorf("the body has more than %d bytes, which is the limit of this webhook: see BodyLimit", limit)}
}
