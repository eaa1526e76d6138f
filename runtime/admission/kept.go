// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"bytes"
	"reflect"
	"slices"

	authenticationv1 "k8s.io/api/authentication/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// kept holds a decoded part of the last request. A part with the same text in the next request is not decoded again: a
// webhook is mostly called for objects of one kind, and often for the same controller. The members of T other than
// strings must be copied before a function gets them, because functions may change them.
type kept[T any] struct {
	raw   []byte
	value T
}

// longPart is the length from which on a part is not kept.
const longPart = 512

// decode reads a part, which may be missing, into the zero value that v points to.
func (k *kept[T]) decode(e *envelope, p part, s *wire.Shape, v *T) error {
	raw := e.raw(p)
	if bytes.Equal(raw, k.raw) {
		*v = k.value
		return nil
	}
	if err := e.optional(p, s, reflect.ValueOf(v)); err != nil {
		return err
	}
	if len(raw) < longPart {
		k.raw, k.value = append(k.raw[:0], raw...), *v
	}
	return nil
}

// decodeUser reads the user of the request. Each function gets its own copy of the groups. A user with extra
// information is not kept.
func decodeUser(k *kept[authenticationv1.UserInfo], e *envelope, user *authenticationv1.UserInfo) error {
	if err := k.decode(e, userInfoPart, userShape, user); err != nil {
		return err
	}
	if user.Extra != nil {
		*k = kept[authenticationv1.UserInfo]{}
		return nil
	}
	user.Groups = slices.Clone(user.Groups)
	return nil
}
