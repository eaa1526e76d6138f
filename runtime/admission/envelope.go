// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// part is a member of an AdmissionReview or of its request that this package reads.
type part int

const (
	apiVersionPart part = iota
	kindPart
	requestPart
	uidPart // from here on: of the request
	objectKindPart
	resourcePart
	subResourcePart
	requestKindPart
	requestResourcePart
	requestSubResourcePart
	namePart
	namespacePart
	operationPart
	userInfoPart
	objectPart
	oldObjectPart
	dryRunPart
	optionsPart
	parts // how many there are
)

// partKeys are the keys of the parts.
var partKeys = [parts]string{
	"apiVersion", "kind", "request",
	"uid", "kind", "resource", "subResource", "requestKind", "requestResource", "requestSubResource", "name", "namespace",
	"operation", "userInfo", "object", "oldObject", "dryRun", "options",
}

func (p part) String() string { return partKeys[p] }

// isContent says whether users write the part. Users also have a part in userInfo, which the API server makes.
func (p part) isContent() bool { return p == objectPart || p == oldObjectPart || p == optionsPart }

// partOf returns the part among those from first to last whose key this is, or none. Members mostly come in the order
// of the parts, so it starts behind the part that was found before.
func partOf(key []byte, first, last, before part) part {
	for p := before + 1; p <= last; p++ {
		if partKeys[p] == string(key) {
			return p
		}
	}
	for p := first; p <= min(before, last); p++ {
		if partKeys[p] == string(key) {
			return p
		}
	}
	return none
}

// envelope holds the positions of the parts of an AdmissionReview in its body. One pass over the body finds them,
// without decoding anything.
//
// The pass reads JSON as sigs.k8s.io/json does, the decoder of the API server. The body must be one well-formed value
// that nests no deeper than 10000. Keys are case-sensitive, other members are skipped, and null counts as absent. One
// rule is stricter: a part must not occur twice.
//
// The API server limits the depth of an object before it puts it into a review. So object, oldObject and options may
// each nest 10000 deep in a review: otherwise a user could make a review unreadable.
type envelope struct {
	body       []byte
	texts      *wire.Texts
	found      [parts]wire.Span
	seen       [parts]bool
	twice      part         // the part that was found a second time, or none
	unreadable *undecodable // the last of the user's parts that could not be decoded, or nil
}

// raw returns the text of a part, and nil if it is absent or null. It is valid for as long as the body is.
func (e *envelope) raw(p part) []byte {
	if e.found[p].Absent() {
		return nil
	}
	return e.found[p].Of(e.body)
}

// scan finds the parts of the review in body.
func (e *envelope) scan(body []byte) error {
	*e = envelope{body: body, texts: e.texts, twice: none}
	end := wire.ScanAll(body, func(i int) int {
		return wire.ScanObject(body, i, wire.MaxDepth, e.member)
	})
	switch {
	case e.twice != none:
		return wire.Duplicate([]byte(partKeys[e.twice]))
	case end < 0:
		return fmt.Errorf("the body is not JSON: %w", wire.SyntaxError(body, ^end))
	case e.found[requestPart].Absent():
		return errors.New("the review has no request")
	case body[e.found[requestPart].Start] != '{':
		return errors.New("the request of the review is no object")
	}
	return nil
}

// part is partOf for a key that may contain escapes. The keys of the API server do not.
func (e *envelope) part(key wire.Span, first, last, before part) part {
	raw := e.body[key.Start+1 : key.End-1]
	p := partOf(raw, first, last, before)
	if p == none && !wire.IsPlain(raw) {
		p = partOf(wire.Text(e.body, key), first, last, before)
	}
	return p
}

// member reads a member of the review.
func (e *envelope) member(key wire.Span, i, depth int) int {
	p := e.part(key, apiVersionPart, requestPart, none)
	if p == requestPart && i < len(e.body) && e.body[i] == '{' {
		before := requestPart
		return e.note(p, i, wire.ScanObject(e.body, i, depth, func(key wire.Span, i, depth int) int {
			p := e.part(key, uidPart, optionsPart, before)
			before = max(before, p)
			if p.isContent() {
				depth = wire.MaxDepth
			}
			return e.note(p, i, wire.ScanValue(e.body, i, depth))
		}))
	}
	return e.note(p, i, wire.ScanValue(e.body, i, depth))
}

// note records the position of a part, and returns its end.
func (e *envelope) note(p part, start, end int) int {
	if p == none || end < 0 {
		return end
	}
	if e.seen[p] {
		e.twice = p
		return ^start
	}
	e.seen[p] = true
	if !wire.IsNull(e.body, start) {
		e.found[p] = wire.Span{Start: start, End: end}
	}
	return end
}

// decode reads a part of the request, which must be present, into the value that v points to.
func (e *envelope) decode(p part, s *wire.Shape, v reflect.Value) error {
	if e.found[p].Absent() {
		return fmt.Errorf("the request has no %s", p)
	}
	if err := wire.Decode(e.body, e.found[p], e.texts, s, v.Elem()); err != nil {
		return &undecodable{part: p, err: err}
	}
	return nil
}

// content is decode for a part that the user has written. Its error denies the request.
func (e *envelope) content(p part, s *wire.Shape, v reflect.Value) error {
	err := e.decode(p, s, v)
	if u, ok := err.(*undecodable); ok {
		if p == oldObjectPart || p == objectPart && e.storedToo(s) {
			u.stored = true
			u.name, _ = e.text(namePart)
		}
		e.unreadable = u
	}
	return err
}

// storedToo reports whether the stored object cannot be decoded either. Then this request has not caused the fault.
func (e *envelope) storedToo(s *wire.Shape) bool {
	at := e.found[oldObjectPart]
	return !at.Absent() && wire.Decode(e.body, at, e.texts, s, reflect.New(s.Typ).Elem()) != nil
}

// optional is decode for a part that may be missing.
func (e *envelope) optional(p part, s *wire.Shape, v reflect.Value) error {
	if e.found[p].Absent() {
		return nil
	}
	return e.decode(p, s, v)
}

// text returns the string value of a part, and "" if it is absent.
func (e *envelope) text(p part) (string, error) {
	at := e.found[p]
	switch {
	case at.Absent():
		return "", nil
	case e.body[at.Start] != '"':
		return "", fmt.Errorf("the %s of the review cannot be read: %s stands there and not a string", p, wire.Found(e.body[at.Start]))
	}
	return e.texts.Of(wire.Text(e.body, at)), nil
}
