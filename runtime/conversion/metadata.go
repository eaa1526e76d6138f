// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// metadata appends the metadata of a converted object: the original metadata with the converted labels and annotations.
// The API server takes no other metadata from a conversion (k8s.io/apiextensions-apiserver/pkg/apiserver/conversion,
// restoreObjectMeta).
func (e *encoder) metadata(converted metav1.Object, was []byte) {
	e.out = append(e.out, '{')
	for m := range entries(was) {
		if !m.is("labels") && !m.is("annotations") {
			e.entry(m)
		}
	}
	e.texts("labels", converted.GetLabels())
	e.texts("annotations", converted.GetAnnotations())
	e.out = append(e.out, '}')
}

// texts appends a member that is a map of texts, unless it is empty.
func (e *encoder) texts(name string, m map[string]string) {
	if len(m) == 0 {
		return
	}
	e.key(name)
	e.out = append(e.out, '{')
	for _, key := range slices.Sorted(maps.Keys(m)) {
		e.key(key)
		e.out = wire.AppendText(e.out, m[key])
	}
	e.out = append(e.out, '}')
}

// sameMetadata appends the metadata of an object whose conversion has seen only the name and the annotations: the
// original metadata with the new annotations of this package.
func (e *encoder) sameMetadata(had bool, converted metav1.Object, was []byte) {
	kept, keeps := converted.GetAnnotations()[Annotation]
	signature, signed := converted.GetAnnotations()[Signature]
	switch {
	case !isObject(was):
		was = []byte("{}")
	case !had && !keeps:
		e.out = append(e.out, was...)
		return
	}
	e.out = append(e.out, '{')
	var annotations []byte
	for m := range entries(was) {
		if m.is("annotations") {
			annotations = m.value
		} else {
			e.entry(m)
		}
	}
	before := len(e.out)
	e.key("annotations")
	e.out = append(e.out, '{')
	for a := range entries(annotations) {
		if !a.is(Annotation) && !a.is(Signature) {
			e.entry(a)
		}
	}
	if keeps {
		e.key(Annotation)
		e.out = wire.AppendText(e.out, kept)
	}
	if keeps && signed {
		e.key(Signature)
		e.out = wire.AppendText(e.out, signature)
	}
	if e.out[len(e.out)-1] == '{' {
		e.out = e.out[:before]
	} else {
		e.out = append(e.out, '}')
	}
	e.out = append(e.out, '}')
}
