// SPDX-License-Identifier: Apache-2.0

package conversion

// DefaultBodyLimit is how many bytes the body of a review may have. An API server sends the objects of a list in one
// review, and reads 10000 objects at a time from etcd when it fills its cache (k8s.io/apiserver/pkg/storage/cacher).
// The limit has room for 10000 objects of 12 kB.
const DefaultBodyLimit = 128 << 20

// BodyLimit sets how many bytes the body of a review may have; a longer one is answered with 413.
func BodyLimit(bytes int64) Option {
	return func(h *Handler) { h.limit = bytes }
}

// MaxBody returns how many bytes the body of a review may have, so that a server need not read more.
func (h *Handler) MaxBody() int64 { return h.limit }
