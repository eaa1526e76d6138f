// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
		e.text(key, m[key])
	}
	e.out = append(e.out, '}')
}

// sameMetadata appends the metadata of an object whose conversion has seen only the name and the annotations: the
// original metadata with the new annotations of this package.
func (e *encoder) sameMetadata(had bool, converted metav1.Object, was []byte) {
	kept, keeps := converted.GetAnnotations()[Annotation]
	if isObject(was) && !had && !keeps {
		e.out = append(e.out, was...)
		return
	}
	e.out = append(e.out, '{')
	for m := range entries(was) {
		if !m.is("annotations") {
			e.entry(m)
		}
	}
	before := len(e.out)
	e.key("annotations")
	e.out = append(e.out, '{')
	for a := range entries(valueOf(was, "annotations")) {
		if !a.is(Annotation) && !a.is(Signature) {
			e.entry(a)
		}
	}
	if keeps {
		e.text(Annotation, kept)
		if signature, ok := converted.GetAnnotations()[Signature]; ok {
			e.text(Signature, signature)
		}
	}
	e.end(before)
	e.out = append(e.out, '}')
}
