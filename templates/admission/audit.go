package admission

import (
	"maps"
	"strings"
)

// auditKeyLimit is how long the key of an audit annotation may be: it is the name part of a qualified name.
const auditKeyLimit = 63

// AuditAnnotation adds an entry to the audit event of the user's request, at level Metadata and above. The API server
// puts the webhook's name and a slash before the key. The last value of a key counts.
//
// The API server drops a key that does not make a qualified name, and says so only in its log (AddAnnotationWithLevel in
// k8s.io/apiserver/pkg/admission). So the key is made to fit: characters other than letters, digits, '-', '_' and '.'
// become '-', what must not stand at either end is cut off there, and so is what goes beyond 63 characters. A key that
// nothing is left of is "annotation".
func (r *Request) AuditAnnotation(key, value string) {
	if r.annotations == nil {
		r.annotations = make(map[string]string)
	}
	r.annotations[auditKey(key)] = value
}

// AuditAnnotations returns what [Request.AuditAnnotation] has taken, as the API server will get it.
func (r *Request) AuditAnnotations() map[string]string { return maps.Clone(r.annotations) }

func auditKey(key string) string {
	key = strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '.':
			return c
		}
		return '-'
	}, key)
	key = strings.TrimLeft(key, "-_.")
	key = strings.TrimRight(key[:min(len(key), auditKeyLimit)], "-_.")
	if key == "" {
		return "annotation"
	}
	return key
}
