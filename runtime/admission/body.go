// SPDX-License-Identifier: Apache-2.0

package admission

// DefaultBodyLimit is the default of [BodyLimit], in bytes. The API server accepts objects of up to 3 MiB, and an
// update carries two; the rest is room for escapes.
const DefaultBodyLimit = 8 << 20

// BodyLimit sets the largest body of a review, in bytes. A larger body is answered with 413.
func BodyLimit(bytes int64) Option {
	return func(h *Handler) { h.limit = bytes }
}

// MaxBody returns the largest body of a review, in bytes, so that a server need not read more.
func (h *Handler) MaxBody() int64 { return h.limit }
