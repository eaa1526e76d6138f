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
	media := r.Header.Get("Content-Type")
	if media == wanted {
		return nil
	}
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
	// One byte more than announced, for the read that finds the end.
	buf = slices.Grow(buf, int(min(max(r.ContentLength, 0), trusted))+512)
	for {
		n, err := r.Body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		tooMany := (*http.MaxBytesError)(nil)
		switch {
		case int64(len(buf)) > limit:
			return buf, tooLarge(limit)
		case err == io.EOF:
			return buf, nil
		case errors.As(err, &tooMany):
			return buf, tooLarge(tooMany.Limit)
		case errors.Is(err, os.ErrDeadlineExceeded):
			return buf, &problem{http.StatusRequestTimeout, metav1.StatusReasonTimeout,
				fmt.Errorf("the body has not come in time: %w", err)}
		case err != nil:
			return buf, badRequest(fmt.Errorf("the body cannot be read: %w", err))
		case len(buf) == cap(buf):
			buf = slices.Grow(buf, cap(buf))
		}
	}
}

func tooLarge(limit int64) error {
	return &problem{http.StatusRequestEntityTooLarge, metav1.StatusReasonRequestEntityTooLarge,
		fmt.Errorf("the body has more than %d bytes, which is the limit of this webhook", limit)}
}
