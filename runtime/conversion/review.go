// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// review is a ConversionReview's request: type ConversionRequest of
// k8s.io/apiextensions-apiserver/pkg/apis/apiextensions.
//
// It is read in one pass over the body, which must be one well-formed value. Unused members are skipped, and null
// counts as absent. A used member may appear only once: of two, the API server and this package might use different
// ones.
type review struct {
	body []byte
	// apiVersion is the version of the review and of its answer. desired is the version to which objects are converted.
	apiVersion, uid, desired string
	// objects are the objects to be converted; they lie in the body.
	objects []object
	// converted are the converted objects. They lie in the body too, in the place of the objects.
	converted []converted

	found   map[string]wire.Span // the members that have been found, by name
	problem error                // of a well-formed body
}

// read reads the request.
func (r *review) read(body []byte) error {
	if len(body) == 0 {
		return errors.New("the body is empty, send a ConversionReview")
	}
	*r = review{body: body, found: map[string]wire.Span{}}
	end := wire.ScanAll(body, func(i int) int {
		return wire.ScanObject(body, i, wire.MaxDepth, r.member)
	})
	switch {
	case r.problem != nil:
		return r.problem
	case end < 0:
		return fmt.Errorf("the body is not JSON: %w", wire.SyntaxError(body, ^end))
	}
	var kind string
	for name, s := range map[string]*string{"apiVersion": &r.apiVersion, "kind": &kind, "uid": &r.uid, "desiredAPIVersion": &r.desired} {
		if r.found[name].Absent() {
			continue
		}
		var err error
		if *s, err = stringOf(r.found[name].Of(body)); err != nil {
			return fmt.Errorf("the %s of the review: %w", name, err)
		}
	}
	if kind != "ConversionReview" || r.apiVersion != "apiextensions.k8s.io/v1" && r.apiVersion != "apiextensions.k8s.io/v1beta1" {
		return fmt.Errorf("the body is kind %q of %q, send a ConversionReview of apiextensions.k8s.io/v1 or v1beta1", kind, r.apiVersion)
	}
	if r.found["request"].Absent() {
		return errors.New("the review has no request")
	}
	return nil
}

// member reads a member of the review.
func (r *review) member(key wire.Span, i, depth int) int {
	switch name := string(wire.Text(r.body, key)); name {
	case "apiVersion", "kind":
		return r.note(name, i, wire.ScanValue(r.body, i, depth))
	case "request":
		if wire.At(r.body, i, '{') {
			return r.note(name, i, wire.ScanObject(r.body, i, depth, r.requested))
		}
	}
	return wire.ScanValue(r.body, i, depth)
}

// requested reads a member of the request.
func (r *review) requested(key wire.Span, i, depth int) int {
	switch name := string(wire.Text(r.body, key)); name {
	case "uid", "desiredAPIVersion":
		return r.note(name, i, wire.ScanValue(r.body, i, depth))
	case "objects":
		if wire.At(r.body, i, '[') {
			return r.note(name, i, wire.ScanList(r.body, i, depth, r.object))
		}
		end := wire.ScanValue(r.body, i, depth)
		if end >= 0 && !wire.IsNull(r.body, i) {
			r.problem = fmt.Errorf("the objects of the review: %s cannot be read as list", wire.Found(r.body[i]))
		}
		return end
	}
	return wire.ScanValue(r.body, i, depth)
}

// object reads an element of the list of objects.
func (r *review) object(i, depth int) int {
	var o object
	end := o.scan(r.body, i, depth)
	if end >= 0 {
		r.objects = append(r.objects, o)
	}
	return end
}

// note records the range of a member, and returns its end.
func (r *review) note(name string, start, end int) int {
	if end < 0 {
		return end
	}
	if _, ok := r.found[name]; ok && r.problem == nil {
		r.problem = fmt.Errorf("the key %q stands twice in the review", name)
	}
	r.found[name] = wire.Span{}
	if !wire.IsNull(r.body, start) {
		r.found[name] = wire.Span{Start: start, End: end}
	}
	return end
}

// answer returns the text of the answering review, in parts. It has every object converted, or none and a failure
// status.
func (r *review) answer(failure *metav1.Status) (iter.Seq[[]byte], error) {
	all, result := r.converted, &metav1.Status{Status: metav1.StatusSuccess}
	if failure != nil {
		all, result = nil, failure
	}
	status, err := json.Marshal(result)
	if err != nil {
		return nil, err
	}
	begin := []byte(`{"kind":"ConversionReview","apiVersion":"` + r.apiVersion + `","response":{"uid":`)
	begin = append(wire.AppendText(begin, r.uid), `,"convertedObjects":[`...)
	end := append(append([]byte(`],"result":`), status...), "}}"...)
	comma := []byte{','}
	return func(yield func([]byte) bool) {
		if !yield(begin) {
			return
		}
		for i, c := range all {
			if i > 0 && !yield(comma) || !yield(c.inPlace) || len(c.rest) > 0 && !yield(c.rest) {
				return
			}
		}
		yield(end)
	}, nil
}
