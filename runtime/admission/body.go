// SPDX-License-Identifier: Apache-2.0

package admission

// DefaultBodyLimit is how many bytes the body of a review may have. The API server takes objects of up to 3 MiB, and an
// update carries two; the rest is room for escapes.
const DefaultBodyLimit = 8 << 20

// BodyLimit sets how many bytes the body of a review may have; a longer one is answered with 413.
func BodyLimit(bytes int64) Option {
	return func(h *Handler) { h.limit = bytes }
}

// MaxBody returns how many bytes the body of a review may have, so that a server need not read more.
func (h *Handler) MaxBody() int64 { return h.limit }
