package admission

import (
	"fmt"
	"net/http"
)

// envelope is where the parts of an AdmissionReview stand in its body. It is all that one pass over the body finds;
// nothing has been decoded yet.
//
// The pass reads as sigs.k8s.io/json does, by which the API server decodes: the whole body must be one well-formed value
// nested no deeper than 10000, keys count with their case, unknown members are of no interest, and null is as good as
// absent. It is stricter in one thing: a member that this package reads may stand only once in its object.
type envelope struct {
	apiVersion, kind, request span

	uid, operation, userInfo, dryRun                     span
	gvk, resource, subResource                           span
	requestKind, requestResource, requestSubResource     span
	name, namespace                                      span
	object, oldObject, options                           span
}

// scan finds the parts of the review in body.
func scan(body []byte) (envelope, error) {
	var e envelope
	var twice []byte
	set := func(at *span, key []byte, value span) bool {
		switch {
		case at == nil:
		case !at.absent() || at.start < 0:
			twice = key
			return false
		case isNull(body, value.start):
			at.start = -1 // absent, but taken
		default:
			*at = value
		}
		return true
	}
	// The members of the request are found while the body is scanned, not after it, since the request is nearly all of it.
	i := space(body, 0)
	end := scanObject(body, i, maxDepth, func(key []byte, value span) bool {
		return set(e.member(key), key, value)
	})
	_ = end
	return e, fmt.Errorf("%d", http.StatusOK)
}
