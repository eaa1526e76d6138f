package admission

import (
	"errors"
	"fmt"
	"reflect"
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

// envelope is where the parts of an AdmissionReview stand in its body. It is all that one pass over the body finds;
// nothing has been decoded then.
//
// The pass reads as sigs.k8s.io/json does, by which the API server decodes: the body must be one well-formed value that
// nests no deeper than 10000, keys count with their case, members of no interest are passed over, and null is as good
// as absent. It is stricter in one thing: a part may stand only once.
type envelope struct {
	body  []byte
	texts *texts
	found [parts]span
	seen  [parts]bool
	twice part // the part that was found a second time, or none
}

// raw returns the text of a part, and nil if it is absent or null. It is valid for as long as the body is.
func (e *envelope) raw(p part) []byte {
	if e.found[p].absent() {
		return nil
	}
	return e.found[p].of(e.body)
}

// scan finds the parts of the review in body.
func (e *envelope) scan(body []byte) error {
	*e = envelope{body: body, texts: e.texts, twice: none}
	end := scanAll(body, func(i int) int {
		return scanObject(body, i, maxDepth, e.member)
	})
	switch {
	case e.twice != none:
		return duplicate([]byte(partKeys[e.twice]))
	case end < 0:
		return fmt.Errorf("the body is not JSON: %w", syntaxError(body, ^end))
	case e.found[requestPart].absent():
		return errors.New("the review has no request")
	case body[e.found[requestPart].start] != '{':
		return errors.New("the request of the review is no object")
	}
	return nil
}

// part is partOf for a key that may have escapes in it, which those of the API server do not.
func (e *envelope) part(key span, first, last, before part) part {
	raw := e.body[key.start+1 : key.end-1]
	p := partOf(raw, first, last, before)
	if p == none && !isPlain(raw) {
		p = partOf(text(e.body, key), first, last, before)
	}
	return p
}

// member reads a member of the review.
func (e *envelope) member(key span, i, depth int) int {
	p := e.part(key, apiVersionPart, requestPart, none)
	if p == requestPart && i < len(e.body) && e.body[i] == '{' {
		before := requestPart
		return e.note(p, i, scanObject(e.body, i, depth, func(key span, i, depth int) int {
			p := e.part(key, uidPart, optionsPart, before)
			before = max(before, p)
			return e.note(p, i, scanValue(e.body, i, depth))
		}))
	}
	return e.note(p, i, scanValue(e.body, i, depth))
}

// note takes down where a part stands, and returns its end.
func (e *envelope) note(p part, start, end int) int {
	if p == none || end < 0 {
		return end
	}
	if e.seen[p] {
		e.twice = p
		return ^start
	}
	e.seen[p] = true
	if !isNull(e.body, start) {
		e.found[p] = span{start, end}
	}
	return end
}

// decode reads a part of the request, which must be there, into what v points to.
func (e *envelope) decode(p part, s *shape, v reflect.Value) error {
	if e.found[p].absent() {
		return fmt.Errorf("the request has no %s", p)
	}
	if err := decode(e.body, e.found[p], e.texts, s, v.Elem()); err != nil {
		return fmt.Errorf("the %s of the request cannot be read: %w", p, err)
	}
	return nil
}

// optional is decode for a part that need not be there.
func (e *envelope) optional(p part, s *shape, v reflect.Value) error {
	if e.found[p].absent() {
		return nil
	}
	return e.decode(p, s, v)
}

// text returns the string that a part is, and "" if it is absent.
func (e *envelope) text(p part) (string, error) {
	at := e.found[p]
	switch {
	case at.absent():
		return "", nil
	case e.body[at.start] != '"':
		return "", fmt.Errorf("the %s of the review cannot be read: %s stands there and not a string", p, found(e.body[at.start]))
	}
	return e.texts.of(text(e.body, at)), nil
}
