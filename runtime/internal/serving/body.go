// SPDX-License-Identifier: Apache-2.0

package serving

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CheckPost checks that a call is a POST of JSON. Its error names the expected body: the argument review, such as "an
// AdmissionReview".
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

// Received is the body of a call that the server has read to its end before it calls the handler.
type Received struct{ unread, all []byte }

// NewReceived returns a body of these bytes. The caller may use their memory again after Revoke.
func NewReceived(all []byte) *Received { return &Received{all, all} }

// Revoke takes the bytes back from a handler that kept the body.
func (b *Received) Revoke() { b.unread, b.all = nil, nil }

// Read implements io.Reader.
func (b *Received) Read(p []byte) (int, error) {
	if len(b.unread) == 0 {
		return 0, io.EOF
	}
	n := copy(p, b.unread)
	b.unread = b.unread[n:]
	return n, nil
}

// Close implements io.Closer.
func (b *Received) Close() error { return nil }

// FirstBytes is the memory set aside for a body before any of it has arrived. Memory then doubles as bytes arrive,
// whatever Content-Length announces: a caller must send half of the memory that it takes.
const FirstBytes = 16 << 10

// ReadBody returns the body of a call. It reads into memory and replaces its content, unless the server has already
// read the body: then the bytes belong to the server until the call has been answered. It reads to the very end,
// because only then does net/http notice when the client hangs up. A body of more than limit bytes is a problem;
// ReadBody then also returns the beginning of the body, if it has been read.
func ReadBody(memory *[]byte, r *http.Request, limit int64) ([]byte, error) {
	if received, ok := r.Body.(*Received); ok && len(received.unread) == len(received.all) {
		body := received.all
		received.unread = nil
		if int64(len(body)) > limit || r.ContentLength > limit {
			return body, tooLarge(limit)
		}
		return body, nil
	}
	if r.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	if r.Body == nil { // the request did not come from a server
		return nil, nil
	}
	body, err := Receive((*memory)[:0], r, limit, func(int) error { return nil })
	*memory = body
	return body, err
}

// Receive reads the body of a call to its end and appends it to body, which is empty. Before memory grows beyond
// FirstBytes, Receive calls grow with the additional capacity, and returns its error.
func Receive(body []byte, r *http.Request, limit int64, grow func(more int) error) ([]byte, error) {
	// One byte more than announced or allowed, for the read that finds the end.
	enough := int(min(limit, 1<<62)) + 1
	if r.ContentLength >= 0 {
		enough = int(min(r.ContentLength, limit)) + 1
	}
	if first := min(enough, FirstBytes); cap(body) < first {
		body = make([]byte, 0, first)
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
			// Capacity may exceed enough if the memory is reused, or if the reader reports the end apart from the last
			// bytes.
			size := max(min(2*cap(body), enough), cap(body)+512)
			if err := grow(size - cap(body)); err != nil {
				return body, err
			}
			body = append(make([]byte, 0, size), body...)
		}
	}
}

// HeadBytes is how many bytes are read of a body that is too large. The beginning of a review identifies its request.
const HeadBytes = 4 << 10

// ReceiveHead reads HeadBytes of a body that is too large into memory, and discards the rest.
func ReceiveHead(memory []byte, r *http.Request) []byte {
	if r.Body == nil {
		return nil
	}
	if cap(memory) < HeadBytes {
		memory = make([]byte, HeadBytes)
	}
	n, _ := io.ReadFull(r.Body, memory[:HeadBytes])
	Discard(r)
	return memory[:n]
}

// discarded is how many bytes are read beyond the limit of a body: two objects of 3 MiB with every byte escaped.
const discarded = 40 << 20

// Discard reads the rest of a body beyond its limit. Otherwise an API server that is still writing might miss the
// answer.
func Discard(r *http.Request) {
	if r.Body != nil {
		_, _ = io.CopyN(io.Discard, r.Body, discarded)
	}
}

// unreadable returns the problem of a body that could not be read.
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

// tooLarge returns the problem of a body of more than limit bytes.
func tooLarge(limit int64) error {
	return &Problem{http.StatusRequestEntityTooLarge, metav1.StatusReasonRequestEntityTooLarge,
		fmt.Errorf("the body has more than %d bytes, which is the limit of this webhook: see BodyLimit", limit)}
}
