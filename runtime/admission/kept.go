// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"bytes"
	"reflect"
	"slices"

	authenticationv1 "k8s.io/api/authentication/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// kept is a part of a request as the last call has decoded it, to be taken again where it stands in the same words: a
// webhook is mostly called for objects of one kind, and often for the same controller. What of T is no string must be
// copied before a policy gets it, for policies may change what they get.
type kept[T any] struct {
	raw   []byte
	value T
}

// longPart is the length from which on a part is not kept.
const longPart = 512

// decode reads a part, which need not be there, into what v points to, which must be zero.
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

// decodeUser reads who asks. The groups are the policy's own; a user with extra information is not kept.
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
