// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"context"

	"github.com/webhook-gen/webhook-gen/runtime/internal/settings"
)

// LeaveOut reports whether a value that does not fit the other version is left out, and counts it. It returns true if
// the object comes from storage, because one object must not make a list fail. The field then stays unset, and the
// annotation keeps its value. Otherwise the value is an error. Generated functions call LeaveOut after a failed
// conversion of a value.
func LeaveOut(ctx context.Context) bool {
	omitted := settings.Of(ctx).Omitted
	if omitted != nil {
		omitted.Converted++
	}
	return omitted != nil
}
