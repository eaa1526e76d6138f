// SPDX-License-Identifier: Apache-2.0

// Package wire reads and writes JSON by the shape of Go types, which is determined once: it does what encoding/json
// does in a fraction of the time, with errors that name the field, and skips text that nobody asks for. It also reads
// the bodies of calls, and holds the error with which a call is answered that is not a review. The packages admission
// and conversion are built on it.
package wire
