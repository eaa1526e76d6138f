// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"context"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// LeaveOut reports whether a value that does not fit the other version is left out, and counts it: the object comes
// from storage, and one object must not make a list fail. The field stays unset then, and its value is kept in the
// annotation. Generated functions call it after a failed conversion of a value. Otherwise that is an error.
func LeaveOut(ctx context.Context) bool {
	left := wire.ModeOf(ctx).Read
	if left != nil {
		left.Converted++
	}
	return left != nil
}
