// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/settings"
)

// shortestKey is the smallest length of a key in bytes.
const shortestKey = 32

// signatureRoom is how many bytes the signature of an annotation takes, with its key.
const signatureRoom = len(Signature) + (sha256.Size*8+5)/6

// Keys protects the annotation: users can neither write values into it nor copy them from an object of another name.
// The handler signs each annotation that it writes with the first key, and stores the signature in the annotation
// [Signature]. It drops an annotation that none of the keys has signed for the group, kind, namespace and name of the
// object. A key is 32 bytes or longer, from crypto/rand, and the same in all replicas.
//
// The source is called for each review, so keys can be replaced while the program runs. Put the new key behind the old
// one, then in front of it. Remove the old key when every object has been written. If the source fails, so does the
// review. [KeyFile] is a source.
//
// A signed annotation may restore more than an unsigned one: values for which the object's version has a place by now,
// and values that the markers of a type have forbidden since.
func Keys(source func() ([][]byte, error)) Option {
	return func(h *Handler) { h.keys = source }
}

// AcceptUnsigned has a handler with [Keys] treat annotations without a signature as if it had no keys. Use it while
// stored objects have annotations that were written before there were keys.
func AcceptUnsigned() Option {
	return func(h *Handler) { h.unsigned = true }
}

// KeyFile returns a source of keys that reads a file each time, for example a file of a mounted Secret. Each line is a
// key in base64.
func KeyFile(path string) func() ([][]byte, error) {
	return func() ([][]byte, error) {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var keys [][]byte
		for _, line := range bytes.Fields(text) {
			key, err := base64.StdEncoding.DecodeString(string(line))
			if err != nil {
				return nil, fmt.Errorf("%s: key %d is not base64", path, len(keys)+1)
			}
			keys = append(keys, key)
		}
		return keys, nil
	}
}

// checkedKeys returns the keys of a handler. It fails if the source has no key or a key is too short.
func (h *Handler) checkedKeys() ([][]byte, error) {
	if h.keys == nil {
		return nil, nil
	}
	keys, err := h.keys()
	if err != nil {
		return nil, fmt.Errorf("the keys that sign annotations: %w", err)
	}
	if len(keys) == 0 {
		return nil, errors.New("there is no key that signs annotations")
	}
	for i, key := range keys {
		if len(key) < shortestKey {
			return nil, fmt.Errorf("key %d, which signs annotations, has %d bytes: it needs %d", i+1, len(key), shortestKey)
		}
	}
	return keys, nil
}

// signature signs an annotation of an object. The name may be one that is still to be generated.
func signature(key []byte, group, kind string, object metav1.Object, name, annotation string) []byte {
	h := hmac.New(sha256.New, key)
	for _, part := range []string{Annotation, group, kind, object.GetNamespace(), name, annotation} {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		h.Write(length[:])
		h.Write([]byte(part))
	}
	return h.Sum(nil)
}

// signedName returns the name for the signature of an object. If the object has only a generateName, an ending follows
// that no name has.
func signedName(object metav1.Object) string {
	return cmp.Or(object.GetName(), object.GetGenerateName()+"*")
}

// sign replaces the signature of an object's annotation.
func sign(keys [][]byte, group, kind string, object metav1.Object) {
	annotation, ok := object.GetAnnotations()[Annotation]
	if _, had := object.GetAnnotations()[Signature]; !ok && !had {
		return
	}
	write(object, annotation)
	if ok {
		object.GetAnnotations()[Signature] = base64.RawStdEncoding.EncodeToString(signature(keys[0], group, kind, object, signedName(object), annotation))
	}
}

// isSigned reports whether one of the keys has signed an object's annotation.
func isSigned(keys [][]byte, group, kind string, object metav1.Object) bool {
	annotations := object.GetAnnotations()
	given, err := base64.RawStdEncoding.DecodeString(annotations[Signature])
	if err != nil {
		return false
	}
	names := []string{signedName(object)}
	if object.GetName() != "" && object.GetGenerateName() != "" {
		names = append(names, object.GetGenerateName()+"*")
	}
	for _, key := range keys {
		for _, name := range names {
			if hmac.Equal(given, signature(key, group, kind, object, name, annotations[Annotation])) {
				return true
			}
		}
	}
	return false
}

// judge decides whether the annotation of an object is used, after the object has been read. Without keys it is used.
// With a valid signature it is trusted, and with an invalid one dropped. Without a signature it is dropped unless
// unsigned annotations are accepted.
func (r *route) judge(into reflect.Value, with *settings.Conversion) {
	object := into.Addr().Interface().(metav1.Object)
	if _, ok := object.GetAnnotations()[Annotation]; !ok || len(with.Keys) == 0 {
		return
	}
	with.Trusted = isSigned(with.Keys, r.group, r.kind, object)
	_, signed := object.GetAnnotations()[Signature]
	if !with.Trusted && (signed || !with.AcceptUnsigned) {
		write(object, "")
	}
}
