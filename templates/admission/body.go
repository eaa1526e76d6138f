package admission

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// DefaultBodyLimit is how many bytes the body of a review may have. The API server takes objects of up to 3 MiB, and an
// update carries two; the rest is room for escapes.
const DefaultBodyLimit = 8 << 20

// BodyLimit sets how many bytes the body of a review may have.
func BodyLimit(bytes int64) Option {
	return func(h *Handler) { h.limit = bytes }
}

// accepts checks method and media type.
func accepts(r *http.Request) error {
	if r.Method != http.MethodPost {
		return &problem{http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed,
			fmt.Errorf("the method is %s, use POST with an AdmissionReview", r.Method)}
	}
	const wanted = "application/json"
	if sent := r.Header["Content-Type"]; len(sent) > 0 && sent[0] == wanted {
		return nil
	}
	media := r.Header.Get("Content-Type")
	if parsed, _, err := mime.ParseMediaType(media); err != nil || parsed != wanted {
		return &problem{http.StatusUnsupportedMediaType, metav1.StatusReasonUnsupportedMediaType,
			fmt.Errorf("the Content-Type is %q, send %s", media, wanted)}
	}
	return nil
}

// trusted is how much memory is set aside on the sole word of a Content-Length.
const trusted = 1 << 20

// readBody appends the body to buf, to its very end: only then does net/http notice when the client hangs up.
func readBody(buf []byte, r *http.Request, limit int64) ([]byte, error) {
	if r.ContentLength > limit {
		return buf, tooLarge(limit)
	}
	if r.Body == nil { // a request that no server has read
		return buf, nil
	}
	// One byte more than announced, for the read that finds the end.
	buf = slices.Grow(buf, int(min(max(r.ContentLength, 0), trusted))+512)
	for {
		n, err := r.Body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case int64(len(buf)) > limit:
			return buf, tooLarge(limit)
		case err == io.EOF:
			return buf, nil
		case err != nil:
			return buf, unreadable(err)
		case len(buf) == cap(buf):
			buf = slices.Grow(buf, cap(buf))
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
