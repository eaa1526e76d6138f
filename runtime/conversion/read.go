// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"context"

	"github.com/webhook-gen/webhook-gen/runtime/internal/settings"
)

// Omit counts a value that does not fit the other version, and leaves it out: the field stays unset, and the annotation
// keeps the value. It does so for an object that comes from storage, because one object must not make a list fail, and
// returns true then. For any other object it returns false, and the value is an error. Generated functions call Omit
// after a failed conversion of a value.
func Omit(ctx context.Context) bool {
	omitted := settings.Of(ctx).Omitted
	if omitted != nil {
		omitted.Converted++
	}
	return omitted != nil
}
