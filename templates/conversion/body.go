package conversion

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// DefaultBodyLimit is how many bytes the body of a review may have. An API server sends the objects of a list in one
// review, and reads 10000 at a time from etcd when it fills its cache (k8s.io/apiserver/pkg/storage/cacher): this is room
// for as many of 12 kB.
const DefaultBodyLimit = 128 << 20

// BodyLimit sets how many bytes the body of a review may have; a longer one is answered with 413.
func BodyLimit(bytes int64) Option {
	return func(h *Handler) { h.limit = bytes }
}

// accepts checks method and media type.
func accepts(r *http.Request) error {
	if r.Method != http.MethodPost {
		return &problem{http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed,
			fmt.Errorf("the method is %s, use POST with a ConversionReview", r.Method)}
	}
	const wanted = "application/json"
	media := r.Header.Get("Content-Type")
	if parsed, _, err := mime.ParseMediaType(media); err != nil || parsed != wanted {
		return &problem{http.StatusUnsupportedMediaType, metav1.StatusReasonUnsupportedMediaType,
			fmt.Errorf("the Content-Type is %q, send %s", media, wanted)}
	}
	return nil
}

// firstRead is how much memory is set aside on the sole word of a Content-Length. Once that has come in, the rest is believed, so
// that a review of many megabytes is not moved from one place to the next.
const firstRead = 1 << 20

// readBody reads the body into memory that may be used again, to its very end: only then does net/http notice when the client hangs up.
func readBody(body []byte, r *http.Request, limit int64) ([]byte, error) {
	body = body[:0]
	if r.ContentLength > limit {
		return body, tooLarge(limit)
	}
	if r.Body == nil { // a request that no server has read
		return body, nil
	}
	// One byte more than announced, for the read that finds the end.
	announced := int(max(r.ContentLength, 0)) + 1
	if first := min(announced, firstRead); cap(body) < first || cap(body) == 0 {
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

// unreadable says why a body could not be read.
func unreadable(err error) error {
	tooMany := (*http.MaxBytesError)(nil)
	switch {
	case errors.As(err, &tooMany):
		return tooLarge(tooMany.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &problem{http.StatusRequestTimeout, metav1.StatusReasonTimeout, fmt.Errorf("the body has not come in time: %w", err)}
	}
	return badRequest(fmt.Errorf("the body cannot be read: %w", err))
}

func tooLarge(limit int64) error {
	return &problem{http.StatusRequestEntityTooLarge, metav1.StatusReasonRequestEntityTooLarge,
		fmt.Errorf("the body has more than %d bytes, which is the limit of this webhook", limit)}
}
