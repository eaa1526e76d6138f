// SPDX-License-Identifier: Apache-2.0

// Package wire reads and writes JSON by the shape of Go types. It determines a shape once, does the work of
// encoding/json in a fraction of the time, reports errors with the path of the field, and skips JSON that the caller
// does not need. The packages admission and conversion are built on it.
package wire
